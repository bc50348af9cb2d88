"""Which functions of each kind of model are traced, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..compiling.traced_model import TracedModel, TracedRole
from ..core.description import Variable
from ..tracing.traced import Untraceable
from .algebraic import Algebraic
from .compilable import Compilable
from .discrete import Discrete
from .dynamic import Dynamic
from .source import Source

Variables = tuple[Variable, ...]


def groups_of(model: Compilable) -> dict[str, Variables]:
    """The variables of a model by what its functions call them, outputs as `y`."""
    assert isinstance(model, Dynamic | Discrete | Algebraic | Source), "nothing else can be"
    titles = (
        "yp" if isinstance(model, Source) else "uyp" if isinstance(model, Algebraic) else "xuyp"
    )
    return dict(zip(titles, model.layout, strict=True))


def roles_of(model: Compilable) -> list[TracedRole]:
    """Its functions."""
    groups = groups_of(model)
    x, y = groups.get("x", ()), groups["y"]
    if isinstance(model, Dynamic):
        output = model.output or chosen_states(x, y, vector=model.vector)
        found = [
            TracedRole("derivatives", model.derivatives, "xup", x),
            TracedRole("output", output, "xup", y),
        ]
        if model.zero_crossings is not None:
            found.append(TracedRole("zero_crossings", model.zero_crossings, "xup", None))
        for k, given in enumerate(model.output_derivatives):
            found.append(TracedRole(f"output_derivatives_{k + 1}", given, "xup", y))
        return found
    if isinstance(model, Discrete):
        found = [TracedRole("output", model.output, "xup", y)]
        return found + ([TracedRole("update", model.update, "xup", x)] if model.update else [])
    if isinstance(model, Algebraic):
        return [TracedRole("function", model.function, "up", y)]
    assert isinstance(model, Source), "nothing else can be"
    found = [TracedRole("function", model.function, "p", y)]
    return found + ([TracedRole("slope", model.slope, "p", y)] if model.slope else [])


def traced_model(model: Compilable) -> TracedModel:
    """Its functions as arithmetic, and their derivatives; Untraceable with what is in the way."""
    groups = groups_of(model)
    for v in (v for group in groups.values() for v in group):
        if not v.is_real:
            raise Untraceable(f"its variable '{v.name}' is not real")
    given = {title: group for title, group in groups.items() if title != "y"}
    found = TracedModel.of(given, roles_of(model), vector=model.vector)  # type: ignore[attr-defined]
    if isinstance(model, Dynamic):
        found = found.with_matrix("jacobian", ["derivatives"], "x")
        return found.with_matrix("whole_jacobian", ["derivatives", "output"], "xu")
    if isinstance(model, Algebraic):
        return found.with_matrix("whole_jacobian", ["function"], "u")
    return found


def chosen_states(x: Variables, y: Variables, *, vector: bool) -> Callable[..., Any]:
    """The outputs of a Dynamic without a function for them: states of the same names."""
    if not vector:
        return lambda t, x, u, p: [x[v.name] for v in y]
    places = state_places(x)
    return lambda t, x, u, p: [x[places[v.name]] for v in y]


def state_places(x: Sequence[Variable]) -> dict[str, slice]:
    """Where each state lies in the vector of all."""
    at, places = 0, dict[str, slice]()
    for v in x:
        places[v.name] = slice(at, at + v.size)
        at += v.size
    return places
