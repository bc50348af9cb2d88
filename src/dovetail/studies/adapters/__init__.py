"""Optimizers and samplers of others: what each is handed, and how it is answered."""
