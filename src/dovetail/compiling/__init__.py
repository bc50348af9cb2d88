"""Traced functions in C: compiled once, kept, and called from Python."""
