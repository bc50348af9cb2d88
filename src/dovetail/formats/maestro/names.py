"""Names of a multi-model, `{fmu}.instance.variable`, and the parts they become."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

_VARIABLE = re.compile(r"\s*\{([^}]*)\}\.([^.]+)\.(.+?)\s*")
_INSTANCE = re.compile(r"\s*\{([^}]*)\}\.([^.]+?)\s*")


class InstanceName(NamedTuple):
    """One use of an FMU."""

    fmu: str
    name: str

    def __str__(self) -> str:
        return f"{{{self.fmu}}}.{self.name}"


class PortName(NamedTuple):
    """A variable of an instance."""

    instance: InstanceName
    variable: str

    def __str__(self) -> str:
        return f"{self.instance}.{self.variable}"


def port_of(text: str) -> PortName:
    """`{fmu}.instance.variable`; ValueError says why it is none."""
    found = _VARIABLE.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no variable; write {{fmu}}.instance.variable")
    return PortName(InstanceName(found[1], found[2]), found[3])


def instance_of(text: str) -> InstanceName:
    """`{fmu}.instance`; ValueError says why it is none."""
    found = _INSTANCE.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no instance; write {{fmu}}.instance")
    return InstanceName(found[1], found[2])


def part_names(instances: Iterable[InstanceName]) -> dict[InstanceName, str]:
    """A part for each: called as the instance is, with its FMU where two have one name."""
    every = list(instances)
    count = Counter(one.name for one in every)
    return {i: i.name if count[i.name] == 1 else f"{i.fmu}_{i.name}" for i in every}
