"""The functions of a Python model on one tape, and as the text of a C library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.description import Variable
from ..tracing.c_code import function
from ..tracing.differentiate import derivative
from ..tracing.tape import Operand, Tape
from ..tracing.trace import ArgumentGroup, traced
from ..tracing.traced import Untraceable

GROUPS = "xup"  # what functions in C are given behind t, each as an array
MOST_DERIVATIVES = 4096

_HEAD = """\
/* Traced from a Python model by Dovetail. */
#include <math.h>
#include <stdint.h>

#ifdef _WIN32
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif

/* The numbers of a NumPy array, which keeps their address `at` bytes behind its own. */
#define NUMBERS(array) (*(double **)((char *)(array) + at))
"""
_ARGUMENTS = "double t, const double *x, const double *u, const double *p, double *found"
_OF_ARRAYS = """\
VISIBLE void {name}_of_arrays(int64_t at, double t, void *x, void *u, void *p, void *found) {{
    {name}(t, NUMBERS(x), NUMBERS(u), NUMBERS(p), NUMBERS(found));
}}
"""


@dataclass(frozen=True, slots=True)
class TracedRole:
    """A function of a model that is traced: its name there, and what it is given behind t.

    `results`: the variables that it gives; None where any number of values will do.
    """

    name: str
    function: Callable[..., Any]
    titles: str
    results: tuple[Variable, ...] | None

    @property
    def size(self) -> int | None:
        """How many values it gives."""
        return None if self.results is None else sum(v.size for v in self.results)


@dataclass(frozen=True, slots=True, eq=False)
class TracedModel:
    """What each function gives, by its name, as places on a tape."""

    tape: Tape
    sizes: Mapping[str, int]  # of the groups
    results: Mapping[str, tuple[Operand, ...]]

    @staticmethod
    def of(
        groups: Mapping[str, tuple[Variable, ...]], roles: Sequence[TracedRole], *, vector: bool
    ) -> TracedModel:
        """The functions as arithmetic; Untraceable with the name of the one that is in the way."""
        tape, found = Tape(), dict[str, tuple[Operand, ...]]()
        given = {title: group_of(title, variables) for title, variables in groups.items()}
        for role in roles:
            wanted = [given[title] for title in role.titles]
            try:
                places = traced(tape, role.function, wanted, vector=vector, size=role.size)
            except Untraceable as error:
                what = f"its function {role.name} cannot be compiled: {error}"
                raise Untraceable(what) from error
            found[role.name] = tuple(places)
        return TracedModel(tape, {title: group.size for title, group in given.items()}, found)

    def with_matrix(self, name: str, of: Sequence[str], titles: str) -> TracedModel:
        """The same with the derivatives of these results by these groups, row by row.

        Without them where there would be too many to write down.
        """
        knowns = [f"{title}[{k}]" for title in titles for k in range(self.sizes.get(title, 0))]
        rows = [place for role in of for place in self.results[role]]
        if len(rows) * len(knowns) > MOST_DERIVATIVES:
            return self
        tape, zero = self.tape, self.tape.constant(0.0)
        symbols = [tape.symbol(known) for known in knowns]
        found = (derivative(tape, row, symbol) for row in rows for symbol in symbols)
        matrix = tuple(zero if place is None else place for place in found)
        return TracedModel(tape, self.sizes, {**self.results, name: matrix})

    @property
    def text(self) -> str:
        """The library: each function by its name, of addresses, and once more of NumPy arrays."""
        written = [_HEAD]
        for name, places in self.results.items():
            heading = f"VISIBLE void {name}({_ARGUMENTS})"
            written.append(function(self.tape, heading, {"found": places}))
            written.append(_OF_ARRAYS.format(name=name))
        return "\n".join(written)


def group_of(title: str, variables: Sequence[Variable]) -> ArgumentGroup:
    """Variables as arguments of a traced function."""
    return ArgumentGroup(title, tuple(v.name for v in variables), tuple(v.shape for v in variables))
