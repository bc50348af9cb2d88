"""Functions of numbers, written down as arithmetic: traced, differentiated, written as C."""
