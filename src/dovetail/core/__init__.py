"""Small value types, and what every other room needs of them. No behaviour of runs."""
