"""What users call first."""
