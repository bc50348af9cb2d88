"""A number that writes down what is done with it."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from ..core.errors import ModelError
from .tape import Operand, Tape

# NumPy's functions and what they are called here
FUNCTIONS = {
    **{n: n for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")},
    "log10": "log10",
    "log1p": "log1p",
    "expm1": "expm1",
    "floor": "floor",
    "ceil": "ceil",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "absolute": "abs",
    "fabs": "abs",
    "negative": "negate",
    "positive": "same",
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "divide": "divide",
    "true_divide": "divide",
    "power": "power",
    "float_power": "power",
    "square": "square",
    "maximum": "maximum",
    "minimum": "minimum",
    "fmax": "maximum",
    "fmin": "minimum",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "less": "less",
    "less_equal": "less_equal",
    "equal": "equal",
    "not_equal": "not_equal",
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "sign": "sign",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "invert": "not",
    "hypot": "hypot",
}


class Untraceable(ModelError):
    """A function that is more than plain arithmetic; says what it did."""


class Traced:
    """A number on a tape."""

    __slots__ = ("place", "tape")
    __array_priority__ = 1000

    def __init__(self, tape: Tape, place: Operand) -> None:
        self.tape, self.place = tape, place

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or any(v is not None for v in options.values()):
            raise Untraceable(f"np.{ufunc.__name__}.{method} is no plain arithmetic")
        if any(isinstance(v, np.ndarray) for v in inputs):
            boxed = (_boxed(v) if isinstance(v, Traced) else v for v in inputs)
            return ufunc(*boxed)
        name = FUNCTIONS.get(ufunc.__name__)
        if name is None:
            raise Untraceable(f"np.{ufunc.__name__} is not known to the tracer")
        return self._done(name, *inputs)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        if function is np.where and len(given) == 3 and not named:
            return self._done("where", *given)
        if function is np.clip and len(given) == 3 and not named:
            return self._done("minimum", self._done("maximum", given[0], given[1]), given[2])
        raise Untraceable(f"np.{function.__name__} is not known to the tracer")

    def _done(self, op: str, *operands: Any) -> Any:
        places = []
        for one in operands:
            if isinstance(one, Traced):
                places.append(one.place)
            elif isinstance(one, Real | np.number | bool | np.bool_):
                places.append(self.tape.constant(float(one)))
            else:
                return NotImplemented
        return self if op == "same" else Traced(self.tape, self.tape.put(op, *places))

    def __abs__(self) -> Any:
        return self._done("abs", self)

    def __neg__(self) -> Any:
        return self._done("negate", self)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return self._done("not", self)

    def __hash__(self) -> int:
        return hash(self.place)

    def __bool__(self) -> NoReturn:
        raise Untraceable("it branches on a value; np.where, np.maximum and np.minimum do not")

    def __float__(self) -> NoReturn:
        what = "it makes a plain number of a value, as math.sin and float() do"
        raise Untraceable(f"{what}; np.sin and the other functions of NumPy do not")

    def __int__(self) -> NoReturn:
        raise Untraceable("it makes a whole number of a value")

    def __index__(self) -> NoReturn:
        raise Untraceable("it takes a value for an index")

    def __iter__(self) -> NoReturn:
        raise Untraceable("it goes through a value as if it were a list")


def _boxed(value: Traced) -> Any:
    found = np.empty((), dtype=object)
    found[()] = value
    return found


def _binary(op: str, *, turned: bool = False) -> Callable[[Traced, Any], Any]:
    def done(self: Traced, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self._done(op, other, self) if turned else self._done(op, self, other)

    return done


def _unary(op: str) -> Callable[[Traced], Any]:
    return lambda self: self._done(op, self)


for _name, _op in {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "pow": "power",
    "and": "and",
    "or": "or",
}.items():
    setattr(Traced, f"__{_name}__", _binary(_op))
    setattr(Traced, f"__r{_name}__", _binary(_op, turned=True))
for _name, _op in {
    "gt": "greater",
    "ge": "greater_equal",
    "lt": "less",
    "le": "less_equal",
    "eq": "equal",
    "ne": "not_equal",
}.items():
    setattr(Traced, f"__{_name}__", _binary(_op))
for _name, _op in FUNCTIONS.items():  # NumPy asks elements of arrays for methods of these names
    setattr(Traced, _name, _unary(_op))
