"""The functions of an FMU, version by version."""
