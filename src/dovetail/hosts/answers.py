"""Answers of a host as bytes and back: nothing that comes from a host is executed here.

Signals and steps are numbers behind a small head. All else goes through the codec of checkpoints,
with a few kinds of values more, as pairs of a word and what it is made of.
"""

from __future__ import annotations

import builtins
import struct
from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import Any, cast

import numpy as np

from ..core import codec, errors
from ..core.description import Kind, Variable
from ..core.errors import DovetailError, InputError, RunError
from ..core.signals import Signals
from ..subsystems.intermediate import IntermediateReport
from ..subsystems.subsystem import Reached
from .frames import Garbled

VALUE, SIGNALS, REACHED, FAILED = 1, 2, 3, 4
_HEAD = struct.Struct("<BdQ")
_EVENT, _ENDING, _LATE, _DERIVATIVES = 1, 2, 4, 8


def answer(value: Any) -> tuple[int, bytes]:
    """The kind of a value and its bytes."""
    if isinstance(value, Reached) and not value.outputs.discrete:
        flags = _EVENT * value.event + _ENDING * value.ending + _LATE * value.late
        return REACHED, _numbers(value.outputs, flags, value.time)
    if isinstance(value, Signals) and not value.discrete:
        return SIGNALS, _numbers(value, 0, 0.0)
    return VALUE, codec.encode(_plain(value))


def failure(error: BaseException) -> tuple[int, bytes]:
    """An exception: its class, what it says, and its facts where they are plain."""
    said, name = str(error), type(error).__name__
    facts: Any = None
    if isinstance(error, DovetailError) and vars(errors).get(name) is type(error):
        facts = {k: v for k, v in vars(error).items() if k not in ("result", "clock")}
        try:
            codec.encode(facts)
        except TypeError:
            facts = None
    family = (
        "input" if isinstance(error, InputError) else "run" if isinstance(error, RunError) else ""
    )
    return FAILED, codec.encode({"class": name, "said": said, "facts": facts, "family": family})


def value_of(kind: int, data: bytes) -> Any:
    """The value of an answer; an exception that is one is raised. Garbled if it is none."""
    try:
        if kind == SIGNALS:
            return _signals(data)[0]
        if kind == REACHED:
            outputs, flags, time = _signals(data)
            return Reached(
                time, outputs, bool(flags & _EVENT), bool(flags & _ENDING), bool(flags & _LATE)
            )
        if kind == VALUE:
            return _value(codec.decode(data))
        if kind == FAILED:
            found = _error(codec.decode(data))
    except (ValueError, TypeError, KeyError, struct.error) as error:
        raise Garbled from error
    if kind != FAILED:
        raise Garbled
    raise found


def _numbers(signals: Signals, flags: int, time: float) -> bytes:
    reals = np.ascontiguousarray(signals.reals, dtype=float)
    if signals.derivatives is None:
        return _HEAD.pack(flags, time, reals.size) + reals.tobytes()
    derivatives = np.ascontiguousarray(signals.derivatives, dtype=float)
    head = _HEAD.pack(flags | _DERIVATIVES, time, reals.size)
    return head + reals.tobytes() + derivatives.tobytes()


def _signals(data: bytes) -> tuple[Signals, int, float]:
    flags, time, n = _HEAD.unpack_from(data)
    both = 2 if flags & _DERIVATIVES else 1
    if len(data) != _HEAD.size + 8 * n * both:
        raise ValueError("not as many numbers as it says")
    numbers = np.frombuffer(data, offset=_HEAD.size).copy()
    return Signals(numbers[:n], numbers[n:] if both == 2 else None), flags, time


def _plain(value: Any) -> Any:
    """A value as the codec takes it."""
    if type(value).__module__.startswith("scipy.sparse"):
        of = value.tocsc()
        return ("sparse", of.data, of.indices, of.indptr, tuple(map(int, of.shape)))
    if isinstance(value, Variable):
        return ("variable", _listed(astuple(value)))
    if isinstance(value, IntermediateReport):
        return ("report", value.names, dict(value.units), value.rows)
    if isinstance(value, tuple | list):
        return ("tuple" if isinstance(value, tuple) else "list", [_plain(v) for v in value])
    if isinstance(value, Mapping):
        return ("map", [[k, _plain(v)] for k, v in value.items()])
    return ("plain", value)


def _listed(value: tuple[Any, ...]) -> list[Any]:
    return [str(v) if isinstance(v, Kind) else v for v in value]


def _value(found: Any) -> Any:
    kinds: dict[str, Callable[..., Any]] = {
        "sparse": _sparse,
        "variable": lambda fields: Variable(fields[0], Kind(fields[1]), *fields[2:]),
        "report": IntermediateReport,
        "tuple": lambda items: tuple(map(_value, items)),
        "list": lambda items: list(map(_value, items)),
        "map": lambda items: {k: _value(v) for k, v in items},
        "plain": lambda value: value,
    }
    if not isinstance(found, tuple) or not found or found[0] not in kinds:
        raise ValueError("no value of a host")
    return kinds[found[0]](*found[1:])


def _sparse(data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    from scipy.sparse import csc_array

    found = csc_array((data, indices, indptr), shape=shape)
    found.check_format(full_check=True)
    return found


def _error(found: Any) -> BaseException:
    name, said = str(found["class"]), str(found["said"])
    cls = vars(errors).get(name)
    if found["facts"] is not None and isinstance(cls, type) and issubclass(cls, DovetailError):
        made: DovetailError = cls.__new__(cls, *(() if found["facts"] else (said,)))
        made.__dict__.update(found["facts"])
        return made
    if found["family"]:
        return (InputError if found["family"] == "input" else RunError)(said)
    if name == "KeyboardInterrupt":  # a part may press Ctrl-C, as it may here
        return KeyboardInterrupt(said)
    known = vars(builtins).get(name)
    if isinstance(known, type) and issubclass(known, ArithmeticError | ValueError | RuntimeError):
        return cast(BaseException, known(said))
    return cast(BaseException, type(name, (Exception,), {})(said))  # it says the same
