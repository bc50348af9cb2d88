"""A system as a block diagram: what is drawn, where it is placed, and the picture."""
