"""What the page talks to: a server for this machine alone."""
