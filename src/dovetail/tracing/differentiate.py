"""Derivatives of arithmetic, as more of it."""

from __future__ import annotations

from collections.abc import Callable

from .tape import Operand, Tape

Rule = Callable[[Tape, Operand, tuple[Operand, ...], int], Operand]


def derivative(tape: Tape, result: Operand, symbol: Operand) -> Operand | None:
    """The derivative of a result by a symbol; None where it does not depend on it.

    Of functions with corners it is that of the side they are on, as of np.where.
    """
    found: dict[Operand, Operand | None] = {}
    for place in tape.needed([result]):
        found[place] = tape.constant(1.0) if place == symbol else _total(tape, place, found)
    return found[result]


def _total(tape: Tape, place: Operand, found: dict[Operand, Operand | None]) -> Operand | None:
    operation = tape.operations[place]
    if operation.op == "where":
        condition, yes, no = operation.operands
        inner = found[yes], found[no]
        if inner == (None, None):
            return None
        zero = tape.constant(0.0)
        return tape.put("where", condition, *(zero if d is None else d for d in inner))
    total: Operand | None = None
    for k, operand in enumerate(operation.operands):
        inner_k = found[operand]
        if inner_k is None or operation.op not in RULES:
            continue
        outer = RULES[operation.op](tape, place, operation.operands, k)
        term = _product(tape, outer, inner_k)
        total = term if total is None else tape.put("add", total, term)
    return total


def _product(tape: Tape, a: Operand, b: Operand) -> Operand:
    one = tape.constant(1.0)
    return b if a == one else a if b == one else tape.put("multiply", a, b)


def _power(tape: Tape, place: Operand, operands: tuple[Operand, ...], k: int) -> Operand:
    base, exponent = operands
    if k == 0:
        less = tape.put("subtract", exponent, tape.constant(1.0))
        return tape.put("multiply", exponent, tape.put("power", base, less))
    return tape.put("multiply", place, tape.put("log", base))


def _divide(tape: Tape, place: Operand, operands: tuple[Operand, ...], k: int) -> Operand:
    below = operands[1]
    if k == 0:
        return tape.put("divide", tape.constant(1.0), below)
    return tape.put("negate", tape.put("divide", place, below))


def _chosen(better: str) -> Rule:
    def rule(tape: Tape, place: Operand, operands: tuple[Operand, ...], k: int) -> Operand:
        first = tape.put(better, operands[0], operands[1])
        one, zero = tape.constant(1.0), tape.constant(0.0)
        return tape.put("where", first, *((one, zero) if k == 0 else (zero, one)))

    return rule


def _atan2(tape: Tape, place: Operand, operands: tuple[Operand, ...], k: int) -> Operand:
    y, x = operands
    square = tape.put("add", tape.put("square", x), tape.put("square", y))
    return tape.put("divide", x if k == 0 else tape.put("negate", y), square)


def _over(tape: Tape, below: Operand) -> Operand:
    return tape.put("divide", tape.constant(1.0), below)


def _one_minus_square(tape: Tape, x: Operand, sign: str) -> Operand:
    return tape.put(sign, tape.constant(1.0), tape.put("square", x))


RULES: dict[str, Rule] = {
    "add": lambda t, p, o, k: t.constant(1.0),
    "subtract": lambda t, p, o, k: t.constant(1.0 if k == 0 else -1.0),
    "multiply": lambda t, p, o, k: o[1 - k],
    "divide": _divide,
    "power": _power,
    "negate": lambda t, p, o, k: t.constant(-1.0),
    "square": lambda t, p, o, k: t.put("multiply", t.constant(2.0), o[0]),
    "sin": lambda t, p, o, k: t.put("cos", o[0]),
    "cos": lambda t, p, o, k: t.put("negate", t.put("sin", o[0])),
    "tan": lambda t, p, o, k: _one_minus_square(t, p, "add"),
    "sinh": lambda t, p, o, k: t.put("cosh", o[0]),
    "cosh": lambda t, p, o, k: t.put("sinh", o[0]),
    "tanh": lambda t, p, o, k: _one_minus_square(t, p, "subtract"),
    "exp": lambda t, p, o, k: p,
    "expm1": lambda t, p, o, k: t.put("add", p, t.constant(1.0)),
    "log": lambda t, p, o, k: _over(t, o[0]),
    "log10": lambda t, p, o, k: _over(t, t.put("multiply", o[0], t.put("log", t.constant(10.0)))),
    "log1p": lambda t, p, o, k: _over(t, t.put("add", t.constant(1.0), o[0])),
    "sqrt": lambda t, p, o, k: t.put("divide", t.constant(0.5), p),
    "asin": lambda t, p, o, k: _over(t, t.put("sqrt", _one_minus_square(t, o[0], "subtract"))),
    "acos": lambda t, p, o, k: t.put(
        "negate", _over(t, t.put("sqrt", _one_minus_square(t, o[0], "subtract")))
    ),
    "atan": lambda t, p, o, k: _over(t, _one_minus_square(t, o[0], "add")),
    "atan2": _atan2,
    "hypot": lambda t, p, o, k: t.put("divide", o[k], p),
    "abs": lambda t, p, o, k: t.put("sign", o[0]),
    "maximum": _chosen("greater_equal"),
    "minimum": _chosen("less_equal"),
}
