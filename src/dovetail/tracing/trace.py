"""From a function of a user to arithmetic, or the reason why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .tape import Operand, Tape
from .traced import Traced, Untraceable


@dataclass(frozen=True, slots=True)
class ArgumentGroup:
    """Values that a function is given together: `x`, `u` or `p`; each with its shape."""

    title: str
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many scalars it has."""
        return sum(int(np.prod(shape)) for shape in self.shapes)


class _Values(tuple[Any, ...]):
    """Values by attribute, by name or by place, as user functions see them."""

    names: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            return tuple.__getitem__(self, self.names.index(name))
        raise Untraceable(f"it asks for '{name}', which is not there")

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.names.index(key) if isinstance(key, str) else key)


def traced(
    tape: Tape,
    function: Callable[..., Any],
    groups: Sequence[ArgumentGroup],
    *,
    vector: bool,
    size: int | None,
) -> list[Operand]:
    """What a function of t and these groups gives, as places on the tape; Untraceable if it cannot.

    `size`: how many values it has to give; None where any number will do.
    It is called twice: one that gives something else each time is no function of its arguments.
    """
    first, again = (_called(tape, function, groups, vector=vector) for _ in range(2))
    if first != again:
        what = "it gives something else when it is called again, as random numbers and clocks do"
        raise Untraceable(what)
    if size is not None and len(first) != size:
        raise Untraceable(f"it returns {len(first)} values, not {size}")
    return first


def _called(
    tape: Tape, function: Callable[..., Any], groups: Sequence[ArgumentGroup], *, vector: bool
) -> list[Operand]:
    time = Traced(tape, tape.symbol("t"))
    try:
        returned = function(time, *(_given(tape, group, vector=vector) for group in groups))
        return [_place(tape, value) for value in _flat(returned)]
    except Untraceable:
        raise
    except Exception as error:
        raise Untraceable(f"it fails while it is traced: {error}") from error


def _given(tape: Tape, group: ArgumentGroup, *, vector: bool) -> Any:
    symbols = [Traced(tape, tape.symbol(f"{group.title}[{k}]")) for k in range(group.size)]
    whole = np.empty(group.size, dtype=object)
    whole[:] = symbols
    whole.flags.writeable = False
    if vector:
        return whole
    values, at = [], 0
    for shape in group.shapes:
        count = int(np.prod(shape))
        values.append(whole[at : at + count].reshape(shape) if shape else symbols[at])
        at += count
    made = _Values(values)
    made.names = group.names
    return made


def _flat(returned: Any) -> Iterator[Any]:
    if isinstance(returned, np.ndarray) and returned.ndim == 0:
        returned = returned[()]
    if not isinstance(returned, list | tuple | np.ndarray):
        yield returned
        return
    for value in returned:
        yield from _flat(value)


def _place(tape: Tape, value: Any) -> Operand:
    if isinstance(value, Traced):
        if value.tape is not tape:
            raise Untraceable("it keeps values of an earlier call")
        return value.place
    return tape.constant(float(value))
