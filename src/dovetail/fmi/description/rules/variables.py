"""Rules about variables, one by one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import isfinite

from ..fmu import FmuDescription
from ..variable import FmuVariable
from .rule import Breach, Rule

_QUOTED = r"""'(?:[A-Za-z0-9_!#$%&()*+,\-./:;<>=?@\[\]^{}|~ "]|\\['"?\\abfnrtv])+'"""
_PART = rf"(?:[A-Za-z_][A-Za-z0-9_]*|{_QUOTED})(?:\[\d+(?:,\d+)*\])?"
_PATH = rf"{_PART}(?:\.{_PART})*"
_STRUCTURED = re.compile(rf"{_PATH}|der\({_PATH}(?:,\d+)?\)", re.ASCII)


def _start_of_calculated(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        if v.start is not None and v.initial == "calculated":
            yield v.line, f"'{v.name}' is calculated and has a start value"


def _independent(fmu: FmuDescription) -> Iterator[Breach]:
    times = list(fmu.of("independent"))
    if len(times) > 1:
        yield times[1].line, "there are several independent variables"
    if not times and fmu.version == "3.0":
        yield 0, "there is no independent variable"
    for v in times:
        if not v.is_float:
            yield v.line, f"the independent variable '{v.name}' is not a floating point number"
        if v.start is not None:
            yield v.line, f"the independent variable '{v.name}' has a start value"


def _limits(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        low, high = v.minimum, v.maximum
        if low is not None and high is not None and low > high:
            yield v.line, f"the minimum of '{v.name}' is above its maximum"
            continue
        starts = v.start if isinstance(v.start, tuple) else (v.start,)
        for start in starts:
            if isinstance(start, int | float) and not isinstance(start, bool):
                if low is not None and start < low:
                    yield v.line, f"the start value of '{v.name}' is below its minimum"
                    break
                if high is not None and start > high:
                    yield v.line, f"the start value of '{v.name}' is above its maximum"
                    break


def _nominal(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        if v.nominal is not None and not (isfinite(v.nominal) and v.nominal > 0):
            yield v.line, f"the nominal value of '{v.name}' is not above zero"


def _finite_start(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        starts = v.start if isinstance(v.start, tuple) else (v.start,)
        if any(isinstance(s, float) and not isfinite(s) for s in starts):
            yield v.line, f"a start value of '{v.name}' is not finite"


def _inputs_only(fmu: FmuDescription) -> Iterator[Breach]:
    for v in fmu.variables:
        if not v.can_handle_multiple_set and v.causality != "input":
            yield v.line, f"'{v.name}' restricts how often it is set, but is not an input"


def _shared_values(fmu: FmuDescription) -> Iterator[Breach]:
    groups: defaultdict[str, list[FmuVariable]] = defaultdict(list)
    for v in fmu.variables:
        if v.alias_of is not None:
            groups[v.alias_of].append(v)
    for name, aliases in groups.items():
        group = [fmu.by_name[name], *aliases]
        varying = [v for v in group if v.variability != "constant"]
        settable = [v for v in varying if v.is_settable]
        if len(settable) > 1:
            both = f"'{settable[0].name}' and '{settable[1].name}'"
            yield settable[1].line, f"{both} can both be set, but share a value"
        elif sum(v.start is not None for v in varying) > 1:
            yield aliases[0].line, f"several variables that share the value of '{name}' have starts"
        if len({v.unit for v in group if v.is_float}) > 1:
            yield aliases[0].line, f"variables that share the value of '{name}' differ in unit"
        if varying and len(varying) < len(group):
            yield aliases[0].line, f"a constant shares the value of '{name}' with what is none"


def _structured_names(fmu: FmuDescription) -> Iterator[Breach]:
    if fmu.variable_naming == "structured":
        for v in fmu.variables:
            if not _STRUCTURED.fullmatch(v.name):
                yield v.line, f"'{v.name}' is not named as structured names are"


def _enumerations(fmu: FmuDescription) -> Iterator[Breach]:
    for type_ in fmu.types.values():
        for what in ("name", "value"):
            counted = Counter(getattr(item, what) for item in type_.items)
            for key in (key for key, times in counted.items() if times > 1):
                yield 0, f"the enumeration '{type_.name}' has the {what} '{key}' twice"
    for v in fmu.variables:
        if v.type != "Enumeration" or v.start is None:
            continue
        declared = fmu.types.get(v.declared_type or "")
        values = {item.value for item in declared.items} if declared else set()
        starts = v.start if isinstance(v.start, tuple) else (v.start,)
        if values and not values.issuperset(starts):
            yield v.line, f"the start value of '{v.name}' is not in its enumeration"


RULES = (
    Rule("start of calculated", "error", "23", _start_of_calculated),
    Rule("independent variable", "error", "23", _independent),
    Rule("limits", "warning", "123", _limits),
    Rule("nominal value", "warning", "123", _nominal),
    Rule("finite start", "warning", "123", _finite_start),
    Rule("set once", "error", "23", _inputs_only),
    Rule("shared values", "error", "2", _shared_values),
    Rule("structured names", "error", "123", _structured_names),
    Rule("enumerations", "error", "123", _enumerations),
)
