"""System Structure and Parameterization: reading and writing drawings of other tools."""
