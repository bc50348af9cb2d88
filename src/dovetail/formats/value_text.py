"""A value written as text, such as on the command line, read by the type of its variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.description import Kind, Variable
from ..core.errors import FileError
from .scalars import binary, truth
from .yaml_text import tree_of


def value_from_text(variable: Variable, text: str) -> Any:
    """What a text means for a variable: a number, true or false, text, a list in brackets.

    What it cannot mean stays text, for the variable to refuse, or to read as a quantity with its
    unit. ValueError where a list is none.
    """
    text = text if variable.kind == Kind.STRING else text.strip()
    if not variable.shape or not text.lstrip().startswith("["):
        return _READ[variable.kind](text)
    try:
        items = tree_of(text, "the list").data
    except FileError:
        raise ValueError(f"takes a list such as [1, 2], and cannot read {text!r}") from None
    return _each(_READ[variable.kind], items)


def _each(read: Callable[[str], Any], items: Any) -> Any:
    if isinstance(items, list):
        return [_each(read, item) for item in items]
    return read(items) if isinstance(items, str) else items


def _number(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            return text

    return read


def _flag(text: str) -> Any:
    return {"1": True, "0": False}.get(text, truth(text))


_READ: dict[Kind, Callable[[str], Any]] = {
    Kind.REAL: _number(float),
    Kind.INTEGER: _number(int),
    Kind.ENUMERATION: _number(int),
    Kind.BOOLEAN: _flag,
    Kind.CLOCK: _flag,
    Kind.STRING: str,
    Kind.BINARY: binary,
}
