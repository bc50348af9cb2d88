"""Functions of users as arithmetic: what is traced, and what is refused by name."""

from __future__ import annotations

import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.tracing.differentiate import derivative
from dovetail.tracing.tape import Tape
from dovetail.tracing.trace import ArgumentGroup, traced
from dovetail.tracing.traced import FUNCTIONS, Untraceable

X = ArgumentGroup("x", ("a", "b"), ((), ()))


def on_tape(function, size=1, vector=False, groups=(X,)):
    tape = Tape()
    return tape, traced(tape, function, groups, vector=vector, size=size)


def value(tape, place, t, x):
    """What a place on the tape is, worked out with NumPy."""
    named = {
        "negate": lambda a: -a,
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": lambda a, b: a / b,
        "where": lambda c, a, b: a if c else b,
        "and": lambda a, b: float(bool(a) and bool(b)),
        "or": lambda a, b: float(bool(a) or bool(b)),
        "not": lambda a: float(not a),
    }
    usual = {op: getattr(np, name) for name, op in reversed(FUNCTIONS.items()) if op != "same"}
    known: list[float] = []
    for operation in tape.operations[: place + 1]:
        if operation.op == "constant":
            known.append(operation.value)
        elif operation.op == "symbol":
            known.append(t if operation.name == "t" else x[int(operation.name[2:-1])])
        else:
            function = named.get(operation.op) or usual[operation.op]
            known.append(float(function(*(known[k] for k in operation.operands))))
    return known[place]


EVERYTHING = {
    "arithmetic": lambda t, x: [2 * x.a - x.b / (3 + x.a**2) + t - (-x.b) ** 3 + 2.0**x.a],
    "circles": lambda t, x: [np.sin(x.a) * np.cos(x.b) + np.tan(0.3 * x.a) + np.arctan2(x.a, x.b)],
    "growth": lambda t, x: [np.exp(-x.a) + np.log(1 + x.b**2) + np.sqrt(x.a**2 + 1) + np.tanh(x.b)],
    "hyperbolas": lambda t, x: [np.sinh(x.a) - np.cosh(x.b) + np.arctan(x.a) + np.hypot(x.a, 2.0)],
    "arcs": lambda t, x: [np.arcsin(0.3 * np.sin(x.a)) + np.arccos(0.3 * np.sin(x.b))],
    "logs": lambda t, x: [np.log10(2 + x.a**2) + np.log1p(x.b**2) + np.expm1(x.a)],
    "corners": lambda t, x: [np.maximum(x.a, x.b) + np.minimum(x.a, 0.1) + abs(x.b)],
    "switch": lambda t, x: [np.where((x.a > x.b) & ~(x.a < -1), x.a * x.b, np.clip(x.b, -1, 1))],
}


@pytest.mark.parametrize("name", EVERYTHING)
@settings(max_examples=25, deadline=None)
@given(a=st.floats(-1.5, 1.5), b=st.floats(-1.5, 1.5))
def test_what_is_traced_is_what_was_written(name, a, b):
    function = EVERYTHING[name]
    tape, (place,) = on_tape(function)

    class Values:
        pass

    x = Values()
    x.a, x.b = np.float64(a), np.float64(b)
    assert value(tape, place, 0.5, (a, b)) == pytest.approx(float(function(0.5, x)[0]), rel=1e-14)


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("symbol", [0, 1])
def test_derivatives_are_those_of_complex_steps(name, symbol):
    """Where the function is smooth; differences of the fourth order, good to about 1e-9."""
    tape, (place,) = on_tape(EVERYTHING[name])
    found = derivative(tape, place, tape.symbol(f"x[{symbol}]"))
    h = 1e-3
    for a, b in ((0.31, 0.72), (-0.83, 0.44), (0.9, -0.6)):

        def moved(far, a=a, b=b):
            x = [a, b]
            x[symbol] += far
            return value(tape, place, 0.5, x)

        slope = (8 * (moved(h) - moved(-h)) - moved(2 * h) + moved(-2 * h)) / (12 * h)
        exact = 0.0 if found is None else value(tape, found, 0.5, (a, b))
        assert exact == pytest.approx(slope, rel=1e-8, abs=1e-8)


def test_vectors_and_arrays_are_traced_element_by_element():
    tape, places = on_tape(lambda t, x: np.sin(x) * np.array([1.0, 2.0]), 2, vector=True)
    assert value(tape, places[1], 0.0, (0.1, 0.2)) == 2 * math.sin(0.2)
    groups = (ArgumentGroup("x", ("a", "b"), ((2, 2), ())),)
    tape, places = on_tape(lambda t, x: [x.a @ np.array([1.0, x.b])], 2, groups=groups)
    assert value(tape, places[0], 0.0, (1.0, 2.0, 3.0, 4.0, 5.0)) == 11.0


def test_equal_operations_stand_on_the_tape_once():
    tape, (a, b) = on_tape(lambda t, x: [np.sin(x.a) + 1, np.sin(x.a) + 1], 2)
    assert a == b
    assert len(tape.needed([a])) == 4


calls = iter(range(100))
REFUSED = {
    "if": (lambda t, x: [x.a if x.a > 0 else x.b], "it branches on a value; np.where"),
    "max": (lambda t, x: [max(x.a, x.b)], "it branches on a value; np.where, np.maximum"),
    "math.sin": (lambda t, x: [math.sin(x.a)], "as math.sin and float() do; np.sin"),
    "random": (lambda t, x: [x.a + random.random()], "as random numbers and clocks do"),
    "np.random": (lambda t, x: [x.a * np.random.rand()], "as random numbers and clocks do"),
    "clock": (lambda t, x: [x.a + time.perf_counter()], "as random numbers and clocks do"),
    "closure": (lambda t, x: [x.a + next(calls)], "something else when it is called again"),
    "int": (lambda t, x: [int(x.a)], "it makes a whole number of a value"),
    "index": (lambda t, x: [[1.0, 2.0][x.a]], "it takes a value for an index"),
    "np.interp": (lambda t, x: [np.interp(x.a, [0, 1], [2, 3])], "np.interp is not known"),
    "np.cbrt": (lambda t, x: [np.cbrt(x.a)], "np.cbrt is not known to the tracer"),
    "missing": (lambda t, x: [x.c], "it asks for 'c', which is not there"),
    "count": (lambda t, x: [x.a, x.b], "it returns 2 values, not 1"),
    "failure": (lambda t, x: [x.a + {}["k"]], "it fails while it is traced"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_more_than_arithmetic_is_refused_with_the_reason(name):
    function, reason = REFUSED[name]
    with pytest.raises(Untraceable) as error:
        on_tape(function)
    assert reason in str(error.value)
