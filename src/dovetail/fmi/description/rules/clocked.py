"""Rules about what FMI 3 has added: arrays, clocks, intermediate updates."""

from __future__ import annotations

from collections.abc import Iterator

from ..fmu import FmuDescription
from .rule import Breach, Rule


def _sizes(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        for dimension in v.dimensions:
            if dimension.size == 0:
                yield v.line, f"a dimension of '{v.name}' is zero at the start"
            parameter = fmu.by_name.get(dimension.parameter or "")
            if parameter is None:
                continue
            sizing = parameter.causality == "structuralParameter"
            if parameter.type != "UInt64" or not (sizing or parameter.variability == "constant"):
                what = f"'{parameter.name}' is a size of '{v.name}', but no structural parameter"
                yield parameter.line, f"{what} or constant of type UInt64"
        if v.dimensions and v.causality == "structuralParameter":
            yield v.line, f"the structural parameter '{v.name}' is an array"


def _clocks(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        for name in v.clocks:
            if fmu.by_name[name].type != "Clock":
                yield v.line, f"'{v.name}' belongs to the clock '{name}', which is none"
        if v.clocks and v.variability not in ("discrete", "tunable"):
            yield v.line, f"'{v.name}' belongs to a clock, but is {v.variability}"
        if v.previous is not None and not v.clocks:
            yield v.line, f"'{v.name}' has a previous value, but no clock"
        if v.type != "Clock" or v.timing is None:
            continue
        kind, interval = v.timing.interval_variability, v.timing.interval
        if not kind:
            yield v.line, f"the clock '{v.name}' does not say how its interval varies"
        if v.causality not in ("input", "output", "local"):
            yield v.line, f"the clock '{v.name}' is neither input, output nor local"
        if v.causality == "output" and kind != "triggered":
            yield v.line, f"the output clock '{v.name}' is not triggered"
        if kind == "constant" and interval is None:
            yield v.line, f"the clock '{v.name}' has no interval"
        if interval is not None and not interval > 0:
            yield v.line, f"the interval of the clock '{v.name}' is not above zero"
        if v.timing.supports_fraction and not v.timing.resolution:
            yield v.line, f"the clock '{v.name}' counts in fractions, but has no resolution"


def _intermediate(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        if v.intermediate_update and v.variability != "continuous":
            yield v.line, f"'{v.name}' takes part in intermediate updates, but is not continuous"


RULES = (
    Rule("sizes", "error", "3", _sizes),
    Rule("clocks", "error", "3", _clocks),
    Rule("intermediate update", "error", "3", _intermediate),
)
