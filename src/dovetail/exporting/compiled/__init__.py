"""Python models as C: traced, compiled, compared with what they were."""
