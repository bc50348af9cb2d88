"""Multi-models of Maestro, the co-simulation engine of INTO-CPS, and how they are to be run."""
