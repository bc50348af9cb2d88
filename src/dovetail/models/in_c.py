"""A model with its functions in C: compiled, and compared with what they were traced from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from ..compiling.compiled_function import CompiledFunction
from ..compiling.sampling import POINTS, is_near, random_values
from ..compiling.traced_model import TracedRole
from ..core.errors import ModelError
from ..core.signals import Vector
from ..subsystems.derivatives import jacobian_of
from .compilable import Compilable
from .dynamic import Dynamic
from .names import access
from .source import Source
from .traced_roles import Variables, groups_of, roles_of

_M = TypeVar("_M", bound=Compilable)
_compared = set[Any]()  # texts, with the code of the functions that they were traced from


def in_c(model: _M) -> _M:
    """The same model with compiled functions; ModelError where they compute something else."""
    roles, traced, text = roles_of(model), model.traced, model.traced.text
    groups = groups_of(model)
    made = {}
    for role in roles:
        size = len(traced.results[role.name])
        shapes = None
        if role.results is not None and role.name not in ("derivatives", "slope"):
            wanted = [v.shape for v in role.results]
            shapes = wanted if any(wanted) else None
        made[role.name] = CompiledFunction(text, role.name, role.titles, size, shapes)
    key = text, *(_code_of(role.function) for role in roles)
    if key not in _compared:
        _compare(model, text, groups)
        _compared.add(key)
    changes: dict[str, Any] = {"vector": True, "compile": False}
    if not isinstance(model, Source):
        changes["feedthrough"] = dict(model.description.feedthrough)
    if isinstance(model, Dynamic):
        changes |= _of_dynamic(model, made, groups)
    else:
        changes |= made
    new: _M = replace(model, **changes)  # type: ignore[type-var]
    if "whole_jacobian" in traced.results:
        size = len(traced.results["whole_jacobian"])
        titles = "xup" if isinstance(model, Dynamic) else "up"
        whole = CompiledFunction(text, "whole_jacobian", titles, size)
        object.__setattr__(new, "whole_jacobian", whole)
    return new


def _of_dynamic(
    model: Dynamic, made: dict[str, CompiledFunction], groups: dict[str, Variables]
) -> dict[str, Any]:
    """What becomes of the functions of a Dynamic; what is not traced is given names as before."""
    traced, orders = model.traced, len(model.output_derivatives)
    changes: dict[str, Any] = {k: v for k, v in made.items() if not k.startswith("output_deriv")}
    changes["output_derivatives"] = [made[f"output_derivatives_{k + 1}"] for k in range(orders)]
    if model.on_event is not None and not model.vector:
        changes["on_event"] = _Named.of(model.on_event, groups, first=1)
    if "jacobian" in traced.results and model.pattern is None:
        size = len(traced.results["jacobian"])
        matrix = CompiledFunction(traced.text, "jacobian", "xup", size)
        changes["jacobian"] = StateJacobian(matrix, made["derivatives"])
    elif callable(model.jacobian) and not model.vector:
        changes["jacobian"] = _Named.of(model.jacobian, groups)
    elif not callable(model.jacobian):
        changes["jacobian"] = "differences"
    return changes


def _code_of(function: Callable[..., Any]) -> Any:
    """What closures of one function have in common; what they hold on to is in the text."""
    return function.__code__ if isinstance(function, FunctionType) else function


@dataclass(frozen=True, slots=True)
class StateJacobian:
    """df/dx from the trace; by differences where that is not finite, as beside a corner."""

    matrix: CompiledFunction
    rates: CompiledFunction

    def __call__(self, t: float, x: Vector, u: Vector, p: Vector) -> Vector:
        """The matrix there."""
        found: Vector = self.matrix(t, x, u, p).reshape(x.size, x.size)
        if np.isfinite(found).all():
            return found
        return jacobian_of(lambda moved: self.rates(t, moved, u, p), x, x.size)


@dataclass(frozen=True, slots=True)
class _Named:
    """A function of a user that stays in Python, called with plain vectors."""

    function: Callable[..., Any]
    make: tuple[Callable[..., Any], ...]
    first: int  # arguments before the time

    @staticmethod
    def of(function: Callable[..., Any], groups: dict[str, Variables], first: int = 0) -> _Named:
        make = tuple(access(title, groups[title], vector=False) for title in "xup")
        return _Named(function, make, first)

    def __call__(self, *arguments: Any) -> Any:
        before, vectors = arguments[: self.first + 1], arguments[self.first + 1 :]
        named = (make(v, ()) for make, v in zip(self.make, vectors, strict=True))
        return self.function(*before, *named)


def _compare(model: Compilable, text: str, groups: dict[str, Variables]) -> None:
    """Raise where a function in C gives something else at random points of the ranges."""
    random = np.random.default_rng(0)
    vector: bool = model.vector  # type: ignore[attr-defined]
    make = {title: access(title, groups[title], vector=vector) for title in groups}
    for role in roles_of(model):
        compiled = CompiledFunction(
            text, role.name, role.titles, len(model.traced.results[role.name])
        )
        seen = 0
        for _ in range(POINTS):
            t = float(random.uniform(0.0, 10.0))
            points = [random_values(groups[title], random) for title in role.titles]
            given = (make[k](at, ()) for k, at in zip(role.titles, points, strict=True))
            wanted = _value(role, t, *given)
            if wanted is None or not np.all(np.isfinite(wanted)):
                continue  # it has no value there
            seen += 1
            found = compiled(t, *points)
            if not is_near(found, wanted):
                what = f"its function {role.name} is compiled to something else: at t = {t:g} s"
                raise ModelError(
                    f"compile=True cannot be: {what} {wanted} became {found}; a global or what "
                    "it holds on to may have changed, else please report it."
                )
        if seen < POINTS // 10:
            what = f"its function {role.name} has values at {seen} of {POINTS} random points only"
            way_out = "declare minimum and maximum of its variables, or leave compile=True out"
            raise ModelError(f"compile=True cannot be: {what}, too few to compare it; {way_out}.")


def _value(role: TracedRole, t: float, *given: Any) -> Vector | None:
    """What the function of the user gives there; None where it fails."""
    try:
        with np.errstate(all="ignore"):
            return _flat(role.function(t, *given))
    except Exception:  # whatever it is, there is no value
        return None


def _flat(value: Any) -> Vector:
    if isinstance(value, list | tuple):
        return np.concatenate([np.zeros(0), *map(_flat, value)])
    return np.ravel(np.asarray(value, dtype=float))
