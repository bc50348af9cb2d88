"""`--integrator`: another solver inside the parts that have one."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ..core.errors import OptionError

if TYPE_CHECKING:
    from ..drawing.system import System
    from ..subsystems.subsystem import Model

_FORM = re.compile(r"\s*([\w-]+)\s*(?:\(\s*([^)]*?)\s*\))?\s*$")


def use(system: System, text: str, size: float | None) -> None:
    """Give every Python part and every model-exchange FMU this integrator.

    `radau`, or with a step `mixed(0.04)`; solvers of one step size take that of the windows if
    none is named.
    """
    name, step = _parsed(text, size)
    found = [(p.name, _solved(p.model, name, step)) for p in system.parts.values()]
    changed = [(part, model) for part, model in found if model is not None]
    if not changed:
        what = f"no part of '{system.name}' has an integrator inside"
        raise OptionError(f"--integrator: {what}; it is for Python models and model exchange")
    for part, model in changed:
        system.replace(part, model)


def _parsed(text: str, size: float | None) -> tuple[str, float | None]:
    from ..integrators import named, takes_one_size

    match = _FORM.match(text)
    if match is None:
        raise OptionError(f"--integrator: write a name, or a name and a step, not '{text}'")
    name, given = match.group(1), match.group(2)
    try:
        step = float(given) if given else None
    except ValueError:
        raise OptionError(f"--integrator: '{given}' is not a step in seconds") from None
    if step is None and takes_one_size(name):
        step = size
    try:
        named(name, step=step)
    except ValueError as error:
        raise OptionError(f"--integrator: {error}") from None
    return name, step


def _solved(model: Model, name: str, step: float | None) -> Any:
    """The model with this solver; None if it has none."""
    from ..formats.referred_model import ReferredModel

    if isinstance(model, ReferredModel):
        return _solved(model.model, name, step)
    if not is_dataclass(model) or "solver" not in {f.name for f in fields(model)}:
        return None
    given: Any = model
    if hasattr(model, "fmu"):
        if model.fmu.model_exchange is None:
            return None
        return replace(given, kind="model exchange", solver=name, step=step)
    return replace(given, solver=name, step=step)
