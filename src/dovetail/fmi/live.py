"""What makes an FMU live: a part of the kind that it is used as, and the instance behind it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .calls.binding import borrowed
from .calls.fmi1 import Fmi1
from .calls.fmi2 import Fmi2
from .calls.fmi3 import Fmi3
from .calls.instance import Instance
from .parts.cosimulation import CoSimulation
from .parts.modelexchange import ModelExchange

if TYPE_CHECKING:
    from .model import Fmu

_LETTERS = {"r": ("Float64",), "i": ("Int32", "Enumeration"), "b": ("Boolean",), "s": ("String",)}


def part_of(model: Fmu, name: str) -> CoSimulation | ModelExchange:
    """A live part; kinds that are rare are imported when they come."""
    if model.is_exchange and any(v.type == "Clock" for v in model.fmu.variables):
        from .parts.clocked_exchange import ClockedExchange

        return ClockedExchange(name, model)
    if model.is_exchange:
        return ModelExchange(name, model)
    if model.is_scheduled:
        from .parts.scheduled_execution import ScheduledExecution

        return ScheduledExecution(name, model)
    if model.uses_event_mode:
        from .parts.eventful import EventfulCoSimulation

        return EventfulCoSimulation(name, model)
    return CoSimulation(name, model)


def instance_of(model: Fmu, name: str) -> Instance:
    """An instance that is not live yet."""
    kinds: dict[str, type[Instance]] = {"1.0": Fmi1, "2.0": Fmi2, "3.0": Fmi3}
    instance = kinds[model.fmu.version](name, borrowed(model))
    instance.log.names = partial(_name_of, model)
    if isinstance(instance, Fmi3):
        instance.event_mode = model.uses_event_mode
        instance.early_return = model.interface.might_return_early and model.events is not False
    return instance


def _name_of(model: Fmu, letter: str, reference: int) -> str | None:
    """The variable that a message means by its reference."""
    kinds = _LETTERS.get(letter, ())
    return next(
        (
            v.name
            for v in model.fmu.variables
            if v.reference == reference and (not kinds or v.type in kinds)
        ),
        None,
    )
