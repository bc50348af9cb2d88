"""FMUs as live parts: co-simulation, model exchange, scheduled execution."""
