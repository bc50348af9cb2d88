"""Rules about the FMU as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..fmu import FmuDescription
from .rule import Breach, Rule

_C_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", re.ASCII)


def _identifiers(fmu: FmuDescription) -> Iterator[Breach]:
    for interface in fmu.interfaces:
        name = interface.model_identifier
        if not _C_NAME.fullmatch(name):
            yield 0, f"the model identifier '{name}' is not a C identifier"


def _capabilities(fmu: FmuDescription) -> Iterator[Breach]:
    for interface in fmu.interfaces:
        if interface.can_serialize_state and not interface.can_get_and_set_state:
            yield 0, f"the {interface.kind} writes states down, but can neither get nor set them"
        size = interface.fixed_internal_step_size
        if size is not None and not size > 0:
            yield 0, "the fixed internal step size is not above zero"


def _experiment(fmu: FmuDescription) -> Iterator[Breach]:
    planned = fmu.experiment
    if planned.start is not None and planned.stop is not None and not planned.stop > planned.start:
        yield 0, "the default experiment does not end after its start"
    for name, value in (("tolerance", planned.tolerance), ("step size", planned.step_size)):
        if value is not None and not value > 0:
            yield 0, f"the {name} of the default experiment is not above zero"


def _times(fmu: FmuDescription) -> Iterator[Breach]:
    if fmu.generation_time and not _DATE.fullmatch(fmu.generation_time):
        yield (
            0,
            f"the generation time '{fmu.generation_time}' is not written as YYYY-MM-DDThh:mm:ssZ",
        )


RULES = (
    Rule("model identifier", "error", "123", _identifiers),
    Rule("capabilities", "error", "23", _capabilities),
    Rule("default experiment", "warning", "123", _experiment),
    Rule("generation time", "warning", "123", _times),
)
