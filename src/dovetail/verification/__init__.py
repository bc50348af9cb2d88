"""How large the error of a result is: the same system, run another way, and how far both differ."""
