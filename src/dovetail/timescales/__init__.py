"""Time scales of a model: cycle analysis, operating points, where to cut."""
