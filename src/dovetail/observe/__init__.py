"""What is watched and counted while a run goes on."""
