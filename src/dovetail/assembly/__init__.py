"""The live parts of a drawing, the one door to them, and where a run stands."""
