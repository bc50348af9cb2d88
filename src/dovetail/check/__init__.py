"""What can be said of a system before it runs."""
