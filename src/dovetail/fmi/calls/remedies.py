"""What to do where a library cannot be loaded."""

from __future__ import annotations

import sys


def remedy(reason: str) -> str:
    """The way out, from what the system says."""
    if "cannot open shared object file" in reason and ":" in reason:
        needed = reason.partition(":")[0]
        return f"install the library '{needed}' that it needs, or name its folder in {_SEARCHED}"
    if any(sign in reason for sign in _FOREIGN):
        return "it is built for another machine"
    if "Library not loaded: " in reason:  # macOS
        needed = reason.partition("Library not loaded: ")[2].split()[0]
        return f"install the library '{needed}' that it needs, or name its folder in {_SEARCHED}"
    if "Could not find module" in reason:  # Windows, which does not say what it needs
        return (
            "it may need other libraries, often those of Microsoft Visual C++: install them, or "
            "put them beside it"
        )
    if "code signature" in reason:
        return "macOS does not trust it; ask its supplier for a signed one"
    if "file too short" in reason:
        return "copy or export it again"
    if "version `" in reason and "not found" in reason:
        return "it is built on a newer system; ask for one that is built on an older one"
    if "undefined symbol" in reason:
        return "it was linked without a library that it needs; ask its supplier"
    return "it may need other libraries or another machine"


_SEARCHED = "DYLD_LIBRARY_PATH" if sys.platform == "darwin" else "LD_LIBRARY_PATH"
_FOREIGN = (
    *("wrong ELF class", "invalid ELF header"),
    *("WinError 193", "not a valid Win32 application"),
    *("incompatible architecture", "wrong architecture", "not a mach-o file"),
)
