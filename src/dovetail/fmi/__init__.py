"""FMUs: archives, descriptions, bindings, and the crew that steps them."""
