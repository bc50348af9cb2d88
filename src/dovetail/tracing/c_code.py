"""Arithmetic as C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isinf, isnan

from .tape import Operand, Operation, Tape

_INFIX = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "greater": ">",
    "greater_equal": ">=",
    "less": "<",
    "less_equal": "<=",
    "equal": "==",
    "not_equal": "!=",
}
_CALLS = {
    **{n: n for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "log10")},
    **{n: n for n in ("log1p", "expm1", "floor", "ceil", "asin", "acos", "atan", "atan2")},
    "power": "pow",
    "abs": "fabs",
    "hypot": "hypot",
}


def function(tape: Tape, heading: str, results: Mapping[str, Sequence[Operand]]) -> str:
    """A function with this heading that puts results into arrays, by name."""
    wanted = [place for places in results.values() for place in places]
    lines = [f"{heading} {{"]
    for place in tape.needed(wanted):
        lines.append(f"    const double v{place} = {_value(tape, tape.operations[place])};")
    for name, places in results.items():
        lines += [f"    {name}[{k}] = v{place};" for k, place in enumerate(places)]
    return "\n".join([*lines, "}"]) + "\n"


def _value(tape: Tape, operation: Operation) -> str:
    a, b, c, *_ = [*(f"v{k}" for k in operation.operands), "", "", ""]
    op = operation.op
    if op == "constant":
        return literal(operation.value)
    if op == "symbol":
        return operation.name
    if operation.name:  # a function that comes with the C, by its name
        return f"{operation.name}({int(operation.value)}, {a})"
    if op in _INFIX:
        return f"{a} {_INFIX[op]} {b}"
    if op == "power" and _is(tape, operation.operands[1], 2.0):
        return f"{a} * {a}"
    if op in _CALLS:
        return f"{_CALLS[op]}({', '.join(f'v{k}' for k in operation.operands)})"
    return {
        "negate": f"-{a}",
        "square": f"{a} * {a}",
        "and": f"{a} != 0 && {b} != 0",
        "or": f"{a} != 0 || {b} != 0",
        "not": f"{a} == 0",
        "where": f"{a} != 0 ? {b} : {c}",
        "maximum": f"{a} != {a} || {a} >= {b} ? {a} : {b}",
        "minimum": f"{a} != {a} || {a} <= {b} ? {a} : {b}",
        "sign": f"({a} > 0) - ({a} < 0)",
    }[op]


def _is(tape: Tape, place: Operand, value: float) -> bool:
    found = tape.operations[place]
    return found.op == "constant" and found.value == value


def literal(value: float) -> str:
    """A number in C, to the last bit."""
    if isnan(value):
        return "(double)NAN"
    if isinf(value):
        return "(double)INFINITY" if value > 0 else "-(double)INFINITY"
    return value.hex()
