"""Options in one line, as Python writes a call: `gauss_seidel(max_iterations=20, inputs=ramp)`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from math import inf
from typing import Any

from .scalars import resolved

_NAME = re.compile(r"\s*[A-Za-z]+(-[A-Za-z]+)+")  # gauss-seidel, as options are written elsewhere


@dataclass(frozen=True, slots=True)
class Call:
    """A name with values by place and by name."""

    name: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


def parse_call(text: str) -> Call:
    """The call that a text is; a bare name is one too. ValueError says what it is not."""
    name = _NAME.match(text)
    plain = text if name is None else name[0].replace("-", "_") + text[name.end() :]
    try:
        found = _value(ast.parse(plain.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        found = None
    if isinstance(found, str):
        found = Call(found)
    if not isinstance(found, Call):
        raise ValueError(f"cannot be read: {text!r}; write it as name(option=value, ...)")
    return found


def _value(node: ast.expr) -> Any:
    """What a part of the text stands for; names stand for themselves."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return inf if node.id == "inf" else resolved(node.id)
        case ast.Attribute():  # dv.GaussSeidel
            return node.attr
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Tuple() | ast.List():
            return [_value(element) for element in node.elts]
        case ast.Call(func=ast.Name() | ast.Attribute()):
            options = {k.arg: _value(k.value) for k in node.keywords if k.arg is not None}
            return Call(str(_value(node.func)), tuple(map(_value, node.args)), options)
    raise SyntaxError(ast.dump(node))
