"""Parameters that may change during a run: which ones, and why others may not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..core.description import Description
from ..subsystems.subsystem import Adaptable, Model

_MOST = 4  # names in a hint


def unsuitable(model: Model, part: str, name: str) -> str | None:
    """Why a parameter cannot be connected to an output, and the way out; None if it can."""
    d = model.description
    variable = next((v for v in d.parameters if v.name == name), None)
    if variable is None:
        return " it is no parameter."
    if variable.is_tunable and isinstance(bare(model), Adaptable):
        return None
    if variable.is_tunable:
        return f" parameters of a {d.kind} take no connections; change it with session.set."
    return f" {untunable(d, part, name)}"


def bare(model: Any) -> Any:
    """The model inside a wrapper that only names its origin."""
    inner = getattr(model, "model", None)
    return model if getattr(inner, "description", None) is None else bare(inner)


def untunable(d: Description, part: str, name: str) -> str:
    """Why a parameter keeps its value over a run, in a sentence with the way out."""
    variable = next(v for v in d.parameters if v.name == name)
    if variable.variability != "fixed":
        return f"it is a start value; give it with the part: system.add('{part}', ..., {name}=...)."
    others = [v.name for v in d.parameters if v.is_tunable]
    more = ", ..." if len(others) > _MOST else ""
    hint = f" Tunable ones are {', '.join(others[:_MOST])}{more}." if others else ""
    return (
        "it is a fixed parameter, which keeps one value over a run; give it with the part: "
        f"system.add('{part}', ..., {name}=...), or have it exported as tunable.{hint}"
    )


def with_inputs(d: Description, names: Collection[str]) -> Description:
    """A description with these parameters as inputs.

    How an output depends on a parameter is not known, so it is taken to depend on all of them.
    """
    moved = {v.name: v for v in d.parameters if v.name in names}
    return replace(
        d,
        inputs=(*d.inputs, *(moved[name] for name in names)),
        parameters=tuple(v for v in d.parameters if v.name not in moved),
        feedthrough={y: used | set(moved) for y, used in d.feedthrough.items()},
    )
