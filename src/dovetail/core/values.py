"""Start values and parameters: what a user gives, made into what a variable holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, prod
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from .signals import Discrete, Signals, Vector

if TYPE_CHECKING:
    from .description import Variable

Value = bool | int | float | str | bytes | Vector | tuple[Discrete, ...]
Values = Mapping[str, Value]


def fitted(variable: Variable, given: Any) -> Value:
    """`given` as a value of this variable; ValueError says why it is none."""
    if not variable.shape:
        return _scalar(variable, given)
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray):
        given = [given] * prod(variable.shape)  # one value for every element
        flat = np.asarray(given, dtype=object)
    else:
        flat = np.asarray(given, dtype=object)
        if flat.shape not in (variable.shape, (variable.size,)):
            raise ValueError(f"has the shape {variable.shape}, not {flat.shape}")
    scalars = [_scalar(variable, element) for element in flat.ravel()]
    if variable.is_real:
        return np.array(scalars, dtype=float).reshape(variable.shape)
    return tuple(scalars)  # type: ignore[arg-type]


def signals(variables: Sequence[Variable], values: Values) -> Signals:
    """The values of these variables as signals; zero, false or empty where none is given."""
    reals: list[float] = []
    discrete: list[Discrete] = []
    for variable in variables:
        value = values.get(variable.name, variable.start)
        if value is None:
            value = fitted(variable, neutral(variable))
        target: list[Any] = reals if variable.is_real else discrete
        if isinstance(value, np.ndarray):
            target.extend(value.ravel().tolist())
        elif isinstance(value, tuple):
            target.extend(value)
        else:
            target.append(value)
    return Signals(np.array(reals, dtype=float), None, tuple(discrete))


def neutral(variable: Variable) -> Any:
    """What a variable is where nothing is said: zero, false, empty, the first of its literals."""
    zero: dict[str, Any] = {"real": 0.0, "integer": 0, "string": "", "binary": b""}
    if variable.kind == "enumeration":
        return 1
    return zero.get(variable.kind, False)


def _scalar(variable: Variable, given: Any) -> bool | int | float | str | bytes:
    if isinstance(given, np.generic):
        given = given.item()
    match variable.kind:
        case "real" if isinstance(given, Real) and not isinstance(given, bool):
            try:
                value = float(given)
            except OverflowError:
                value = inf
            if not isfinite(value):
                raise ValueError(f"must be a finite number, not {given!r}")
            return value
        case "integer" if isinstance(given, Integral) and not isinstance(given, bool):
            return int(given)
        case "boolean" | "clock" if isinstance(given, bool):
            return given
        case "boolean" | "clock" if isinstance(given, Integral) and given in (0, 1):
            return bool(given)
        case "string" if isinstance(given, str):
            return given
        case "binary" if isinstance(given, bytes | bytearray | memoryview):
            return bytes(given)
        case "enumeration" if isinstance(given, Integral) and not isinstance(given, bool):
            number = int(given)
            if variable.literals and not 1 <= number <= len(variable.literals):
                raise ValueError(f"must be from 1 to {len(variable.literals)}, not {number}")
            return number
        case "enumeration" if isinstance(given, str) and given in variable.literals:
            return variable.literals.index(given) + 1
        case "enumeration" if isinstance(given, str):
            raise ValueError(f"must be one of {', '.join(variable.literals)}, not {given!r}")
    article = "an" if variable.kind in ("integer", "enumeration") else "a"
    raise ValueError(f"must be {article} {variable.kind} value, not {given!r}")
