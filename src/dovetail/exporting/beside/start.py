"""Starts the Python model of this FMU beside the program that imports it.

Copied into the resources of such FMUs; it knows nothing but the standard library, so that it can
say what is missing.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REFUSED = 4


def refused(write: int, why: str) -> None:
    """Tell the importer why not; docs/protocol.md of Dovetail has the frame."""
    payload = json.dumps({"why": why}).encode()
    os.write(write, struct.pack("<4sIQQ", b"dvm1", REFUSED, 0, len(payload)) + payload)


def lacking(wanted: dict[str, Any]) -> str:
    """Why this Python cannot run the model; nothing if it can."""
    found = ".".join(map(str, sys.version_info[:2]))
    if found != wanted["version"]:
        return f"it is Python {found}; {needs(wanted)}"
    missing = [name for name in wanted["modules"] if find_spec(name) is None]
    if missing:
        return f"it has no {', '.join(missing)}; {needs(wanted)}"
    there = import_module("dovetail").__version__
    if there != wanted["dovetail"]:
        return f"it has dovetail {there}; {needs(wanted)}"
    return ""


def needs(wanted: dict[str, Any]) -> str:
    """The way out."""
    return f"this FMU needs {wanted['needs']}; set DOVETAIL_PYTHON to the path of such a Python"


def main() -> None:
    """Keep the connection to itself, look around, and serve."""
    folder = Path(__file__).resolve().parent
    read, write = os.dup(0), os.dup(0 if sys.argv[1:] == ["socket"] else 1)
    if sys.platform == "win32":
        import msvcrt

        for file in (read, write):
            msvcrt.setmode(file, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what models print goes where errors go
    sys.path[:] = [p for p in sys.path if p and Path(p).resolve() != folder]
    wanted = json.loads((folder / "beside.json").read_text(encoding="utf-8"))
    why = lacking(wanted)
    if why:
        refused(write, why)
        sys.exit(1)
    import_module("dovetail.exporting.beside.serving").serve(read, write, folder)


if __name__ == "__main__":
    main()
