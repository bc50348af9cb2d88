"""`src/dovetail/__init__.pyi`: what type checkers and editors read, made from the table in
`__init__.py`.

    python tests/public_stub.py --write
"""

from __future__ import annotations

import sys
from pathlib import Path

import dovetail
from dovetail.core.renamed import RENAMED

PATH = Path(dovetail.__file__).with_suffix(".pyi")
WIDTH = 100


def stub() -> str:
    """The text of the stub."""
    homes = {f".{home}": names.split() for home, names in dovetail._HOMES.items()}
    lines = [
        '"""Made by tests/public_stub.py from the table in __init__.py; do not edit."""',
        "",
        *_imports(".", dovetail._MODULES),
        *(line for home, names in sorted(homes.items()) for line in _imports(home, names)),
        "",
        "__version__: str",
        "",
        "# names of 0.1, until 0.3",
        *(f"{old} = {new}" for old, new in RENAMED.items()),
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in dovetail.__all__),
        "]",
    ]
    return "\n".join(lines) + "\n"


def _imports(home: str, names: list[str]) -> list[str]:
    # what is not in __all__ is exported by its second name
    more = [f"from {home} import {n} as {n}" for n in names if n not in dovetail.__all__]
    names = [name for name in names if name in dovetail.__all__]
    line = f"from {home} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return [line, *more]
    return [f"from {home} import (", *(f"    {name}," for name in names), ")", *more]


if __name__ == "__main__" and "--write" in sys.argv:
    PATH.write_text(stub(), encoding="utf-8")
