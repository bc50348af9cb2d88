"""What `dovetail demo` shows: a belt drive, coupled loosely and strongly, beside the truth."""
