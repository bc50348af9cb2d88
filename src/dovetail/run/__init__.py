"""A run: what is asked for, the loop, and what is recorded."""
