"""The libraries of exports: made where Dovetail is installed, beside the kernel."""

from __future__ import annotations

import sys
from pathlib import Path

from ..core.errors import InputError

NAME = {"win32": "_shim.dll", "darwin": "_shim.dylib"}.get(sys.platform, "_shim.so")
BESIDE = NAME.replace("_shim", "_beside")


def shim() -> Path:
    """The library of exported systems for this machine."""
    return _library(NAME, "exported systems")


def beside() -> Path:
    """The library of Python models that run beside their importer."""
    return _library(BESIDE, "exported Python models")


def _library(name: str, what: str) -> Path:
    found = Path(__file__).parents[1] / name
    if not found.is_file():
        raise InputError(
            f"there is no library for {what} ({name} in the folder of dovetail): it was "
            "not built when Dovetail was installed; install a C compiler, or `pip install ziglang`,"
            " and reinstall"
        )
    return found
