"""Named access to vectors: what user functions see as x, u and p."""

from __future__ import annotations

import keyword
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from ..core.description import Variable
from ..core.signals import Discrete, Vector

Named = Any  # a tuple with attributes, or a plain vector
Make = Callable[[Vector, Sequence[Discrete]], Named]
FromFloats = Callable[[list[float]], Named]


def access(title: str, variables: Sequence[Variable], *, vector: bool) -> Make:
    """How a user function is given these variables.

    Named: a tuple with one attribute per variable, `u.force`; names that are no identifiers are
    reached as `u["tank[1].level"]`. Vector: the reals as they lie, then, if there are any,
    the discrete values as a second element. Arrays cannot be written to: they are the state of an
    integrator, or of the run, and not the user's.
    """
    return accesses(title, variables, vector=vector)[0]


def accesses(
    title: str, variables: Sequence[Variable], *, vector: bool
) -> tuple[Make, FromFloats | None]:
    """The same, and from floats at once where all are real scalars with names."""
    discrete = any(not v.is_real for v in variables)
    if vector:
        if discrete:
            return (lambda reals, held: (_sealed(reals), tuple(held))), None
        return (lambda reals, held: _sealed(reals)), None
    cls = _class(title, [v.name for v in variables])
    if not discrete and all(not v.shape for v in variables):
        make = cls._make
        return (lambda reals, held: make(reals.tolist())), make
    return _mixed(cls, variables), None


def _sealed(reals: Vector) -> Vector:
    """The same numbers, to be read only."""
    view = reals.view()
    view.flags.writeable = False
    return view


def _class(title: str, names: Sequence[str]) -> Any:
    place = {name: k for k, name in enumerate(names)}
    usable = all(n.isidentifier() and not keyword.iskeyword(n) and n[0] != "_" for n in names)
    make: Any = namedtuple  # called with names that are not known before
    base: Any = make(title, names, rename=not usable)

    class Names(base):  # type: ignore[misc]
        """Values by attribute, by name or by place."""

        __slots__ = ()

        def __getitem__(self, key: Any) -> Any:
            return tuple.__getitem__(self, place[key] if isinstance(key, str) else key)

        def __getattr__(self, name: str) -> Any:
            near = f"it has {', '.join(names)}" if names else "there are none"
            raise AttributeError(f"'{title}' has no '{name}': {near}")

    return Names


def _mixed(cls: Any, variables: Sequence[Variable]) -> Make:
    def make(reals: Vector, held: Sequence[Discrete]) -> Named:
        values: list[Any] = []
        reals, r, d = _sealed(reals), 0, 0
        for v in variables:
            if v.is_real:
                found = reals[r : r + v.size]
                values.append(found.reshape(v.shape) if v.shape else found.tolist()[0])
                r += v.size
            else:
                values.append(tuple(held[d : d + v.size]) if v.shape else held[d])
                d += v.size
        return cls._make(values)

    return make
