"""Damaged files of every kind that Dovetail reads; long runs by `benchmarks/fuzz.py`."""
