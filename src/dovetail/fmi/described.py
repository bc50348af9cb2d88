"""An FMU seen from outside: its description, as the options of its user make it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.description import Capabilities, Description
from ..core.errors import FileError, did_you_mean
from ..drawing.tuning import with_inputs
from .archive.findings import against_rollback
from .description import FmuVariable
from .description.conversion import to_description, to_variable
from .parts.linearization import can_linearize
from .parts.ports import ports_of
from .parts.solving import abilities

if TYPE_CHECKING:
    from .model import Fmu

_PLAIN = ("Float64", "Int32", "Boolean", "String", "Enumeration")  # that can be recorded


def described(model: Fmu) -> Description:
    """What others see of it."""
    found = to_description(
        model.fmu, model.interface, capabilities=_capabilities(model), values=model.structural
    )
    structural = frozenset(v.name for v in model.fmu.of("structuralParameter"))
    fixed = set(structural)  # they decide the shapes
    fixed.update(v.name for v in model.fmu.variables if v.type == "Clock")
    own = {v.name for v in model.clocks}
    inside = _inside(model)
    through = {y: seen - own for y, seen in found.feedthrough.items()}
    found = replace(
        found,
        inputs=tuple(v for v in found.inputs if v.name not in own),
        outputs=(*found.outputs, *(to_variable(v, model.fmu) for v in inside)),
        parameters=tuple(p for p in found.parameters if p.name not in fixed),
        feedthrough={**through, **{v.name: frozenset[str]() for v in inside}},
        structural=structural,
        states=_states(model),
    )
    found = replace(found, ports=ports_of(model.fmu, found, model.ports or {}, model.path))
    return with_inputs(found, model.tunes) if model.tunes else found


def _states(model: Fmu) -> int | None:
    """How many continuous states there are, if the FMU lists them."""
    names, known = model.fmu.states, model.fmu.by_name
    listed = [known[name] for name in names if name is not None]
    if not names or len(listed) < len(names):
        return None
    return sum(v.size(model.structural) for v in listed)


def remarks(model: Fmu) -> tuple[str, ...]:
    """What is unusual about how it is made, or was found out about it."""
    told = []
    if found := model.description.capabilities.rollback_flaw:
        told.append(f"counts as one that cannot roll back: {found}")
    if model.archive.binary(model.interface.model_identifier, model.fmu.version) is None:
        from .archive.build import announced

        told.append(announced(model.archive, model.fmu, model.interface))
    return tuple(note for note in told if note)


def _inside(model: Fmu) -> list[FmuVariable]:
    """Variables that are outputs though the FMU does not say so."""
    names = model.internals
    if isinstance(names, bool):
        local = model.fmu.of("local") if names else []
        return [v for v in local if v.type in _PLAIN and not v.shape(model.structural)]
    hidden = [*model.fmu.of("local"), *model.fmu.of("calculatedParameter")]
    known = {v.name: v for v in hidden if v.type in _PLAIN and not v.shape(model.structural)}
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            what = f"internals names '{name}', which is not a scalar local variable of it"
            raise FileError(model.path, f"{what}.{hint}" if hint else what)
    return [known[name] for name in names]


def _capabilities(model: Fmu) -> Capabilities:
    i = model.interface
    if model.is_exchange:
        return abilities(model)
    found = against_rollback(model.archive) if i.can_get_and_set_state else ""
    return Capabilities(
        can_restore=i.can_get_and_set_state and not found,
        against_rollback=found,
        can_repeat=i.can_reject_steps,
        can_serialize=i.can_get_and_set_state and i.can_serialize_state,
        can_linearize=can_linearize(model.fmu, i),
        can_tell_derivatives=i.max_output_derivative_order >= 1,
        knows_input_slopes=i.can_interpolate_inputs,  # by values alone it cannot know them
        input_order=3 if i.can_interpolate_inputs or model.follows_curves else 0,
        can_vary_size=i.can_vary_step_size or model.is_scheduled,
        can_ask_to_end=True,
        can_return_early=model.may_stop_early,
        has_events=model.uses_event_mode or model.is_scheduled,
        knows_next_event=model.uses_event_mode or model.is_scheduled,
    )
