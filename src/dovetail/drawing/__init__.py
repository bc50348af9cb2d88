"""What a user draws: systems, connections, junctions, ports. Checked as it is drawn, never run."""
