"""FMUs: archives, descriptions, bindings, and the batch that steps them."""
