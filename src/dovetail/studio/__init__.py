"""The studio: draw, check, run, plot and judge a system in a browser."""
