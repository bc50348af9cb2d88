"""Where in a drawing the page is: at the top, or inside of a group; and what is around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import OptionError
from ..drawing.part import Part
from ..drawing.system import System
from ..models import Merged, Nested
from ..models.groups import holds, looked_into

_DEEPEST = 20


def path_of(given: Any) -> list[str]:
    """A path as a page sends it."""
    if not (isinstance(given, list) and all(isinstance(name, str) for name in given)):
        raise OptionError("where a command works is a list of names of parts")
    if len(given) > _DEEPEST:
        raise OptionError(f"groups are looked into up to {_DEEPEST} deep")
    return given


def standing(system: System, path: Sequence[str]) -> list[str]:
    """The path as far as there still is something to look into."""
    found = list(path)
    while found and not holds(system, found):
        found.pop()
    return found


def can_be_entered(part: Part) -> bool:
    """Whether a part has a drawing inside."""
    return isinstance(part.model, Nested | Merged)


@dataclass(frozen=True, slots=True)
class Beyond:
    """What is outside of the group that is looked into."""

    names: dict[str, str] | None  # of the whole drawing, by those inside; None at its top
    around: dict[str, list[str]]  # what is connected from outside

    @staticmethod
    def of(system: System, path: Sequence[str]) -> Beyond:
        """Nothing, at the top."""
        return Beyond(names_outside(system, path), around(system, path))

    def signal(self, name: str) -> dict[str, Any]:
        """By which name a run knows a variable; None if it does not."""
        return {} if self.names is None else {"signal": self.names.get(name)}

    def port(self, name: str) -> dict[str, Any]:
        """What meets a power port outside."""
        return {"outside": self.around[name]} if name in self.around else {}

    def pin(self, name: str) -> dict[str, Any]:
        """The same, and what is connected from outside."""
        found = self.signal(name)
        return found | {"outside": self.around[name]} if name in self.around else found


def names_outside(system: System, path: Sequence[str]) -> dict[str, str] | None:
    """By which name the whole drawing knows a variable inside; None: as it is, at the top."""
    if not path:
        return None
    found: dict[str, str] | None = None
    for name in path:
        model = system.parts[name].model
        assert isinstance(model, Nested | Merged)
        d = model.description
        every = (*d.inputs, *d.outputs, *d.parameters)
        own = {model.names.get(v.name, v.name): f"{name}.{v.name}" for v in every}
        if found is None:
            found = own
        else:
            above = found
            found = {i: above[o] for i, o in own.items() if o in above}
        system = model.system
    return found


def around(system: System, path: Sequence[str]) -> dict[str, list[str]]:
    """What is connected from outside, by the variable inside."""
    if not path:
        return {}
    *above, name = path
    outer = looked_into(system, above)
    model = outer.parts[name].model
    assert isinstance(model, Nested | Merged)
    found: dict[str, list[str]] = {}
    for j in outer.junctions:
        for end in j.ends:
            if end.part == name:
                others = [str(e) for e in j.ends if e is not end]
                found.setdefault(end.name, []).extend(others)
    for c in outer.connections:
        if c.junction:
            continue
        if c.target.part == name:
            variable = c.target.variable.name
            found.setdefault(model.names.get(variable, variable), []).append(str(c.source))
        if c.source.part == name:
            variable = c.source.variable.name
            found.setdefault(model.names.get(variable, variable), []).append(str(c.target))
    return found
