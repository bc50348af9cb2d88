"""Whether a notebook is watching."""

from __future__ import annotations

import sys


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook, such as Jupyter; costs no import."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
