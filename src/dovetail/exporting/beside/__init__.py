"""Python models as FMUs that run in a Python of their own, beside the importer."""
