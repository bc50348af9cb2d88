"""What can be known before running."""
