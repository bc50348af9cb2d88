"""What a live part is, what it may be able to do, and several behind one call."""
