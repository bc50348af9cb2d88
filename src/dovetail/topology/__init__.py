"""Which part depends on which: components, order, and where signals lie."""
