"""Parameter sets applied: which value each variable starts from.

Names are hierarchical, `element.element.variable`. Bindings further up go before those below,
and later ones before earlier ones of the same element. Names that nothing has are passed over,
as the standard says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .complaints import Complaints
from .document import Binding, Change, Element, Group, Parameter
from .flattening import Flat, Key, Path


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """A value for a connector or variable, and what is done to it on the way there."""

    parameter: Parameter
    convert: bool = True
    change: Change | None = None


def applied(
    flat: Flat, has: Callable[[Path, str], bool], complaints: Complaints
) -> dict[Key, ParameterValue]:
    """The value of each connector of a system, and each variable of a component, that has one."""
    found: dict[Key, ParameterValue] = {}
    everything: list[tuple[Path, Element]] = [*flat.components.items(), *flat.groups.items()]
    for path, element in sorted(everything, key=lambda item: -len(item[0])):
        if path in flat.components and isinstance(element, Group):
            continue  # its bindings are for what is in it
        for binding in element.bindings:
            _apply(binding, path, flat, has, found, complaints)
    return found


def _apply(
    binding: Binding,
    path: Path,
    flat: Flat,
    has: Callable[[Path, str], bool],
    found: dict[Key, ParameterValue],
    complaints: Complaints,
) -> None:
    idle = []
    for name, given in _named(binding, complaints):
        keys = list(_meant(path, name, flat, has))
        for key in keys:
            found[key] = given
        if not keys:
            idle.append(name)
    if idle:
        shown = ", ".join(f"'{n}'" for n in idle[:3]) + (" ..." if len(idle) > 3 else "")
        what = f"{len(idle)} of its values belong to no variable and are not used: {shown}"
        complaints.note(binding.place, what)


def _named(binding: Binding, complaints: Complaints) -> Iterator[tuple[str, ParameterValue]]:
    """The values of a binding under the names they are meant for."""
    by_name = {f"{binding.prefix}{p.name}": p for p in binding.parameters}
    if binding.entries is None:
        yield from ((name, ParameterValue(p)) for name, p in by_name.items())
        return
    for entry in binding.entries:
        parameter = by_name.get(entry.source)
        if parameter is None:
            complaints.note(entry.place, "maps a parameter that the set does not hold")
        else:
            yield entry.target, ParameterValue(parameter, entry.convert, entry.change)


def _meant(path: Path, name: str, flat: Flat, has: Callable[[Path, str], bool]) -> Iterator[Key]:
    """All that a hierarchical name means; elements may have dots in their own names."""
    if path in flat.components:
        if has(path, name):
            yield Key(path, name)
        return
    group = flat.groups.get(path)
    if group is None:
        return
    if name in group.connectors:
        yield Key(path, name)
    for child in group.elements:
        if name.startswith(f"{child.name}."):
            yield from _meant((*path, child.name), name[len(child.name) + 1 :], flat, has)
