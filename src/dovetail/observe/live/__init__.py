"""A plot that grows while a run goes on: in a terminal, in a notebook, or in a window."""
