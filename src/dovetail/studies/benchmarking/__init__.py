"""Which algorithm and which windows serve a system best: error against work."""
