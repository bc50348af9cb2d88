"""The library of every exported system: made where Dovetail is installed, beside the kernel."""

from __future__ import annotations

import sys
from pathlib import Path

from ..core.errors import InputError

NAME = {"win32": "_shim.dll", "darwin": "_shim.dylib"}.get(sys.platform, "_shim.so")


def shim() -> Path:
    """The library for this machine."""
    found = Path(__file__).parents[1] / NAME
    if not found.is_file():
        raise InputError(
            f"there is no library for exported systems ({NAME} in the folder of dovetail): it was "
            "not built when Dovetail was installed; install a C compiler, or `pip install ziglang`,"
            " and reinstall"
        )
    return found
