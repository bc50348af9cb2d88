"""Examples imported as modules, beside other tests that import modules of the same names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"
_NAMES = ("models", "run")


@contextmanager
def example(folder: str) -> Iterator[Any]:
    """`run` of an example, with its own `models`; afterwards these names mean what they did."""
    place = str(EXAMPLES / folder)
    before = {name: sys.modules.pop(name, None) for name in _NAMES}
    sys.path.insert(0, place)
    try:
        import run

        yield run
    finally:
        sys.path.remove(place)
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module
