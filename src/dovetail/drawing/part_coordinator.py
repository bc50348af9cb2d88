"""Junctions whose unknowns are found by a part of the drawing, wherever it lives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.description import Description
from ..core.errors import OptionError, did_you_mean

KIND = "Coordinator"  # of the description of such a part


@dataclass(frozen=True, slots=True)
class PartCoordinator:
    """z is found after each window by a part of the drawing, a `dv.Coordinator`.

    Order, cost and needs are those of `SlidingMode`, whose law such a part has unless it was given
    another. The part may live in a host or be served by another machine: it is asked to move z to
    where s is zero, and asks for s(z) as often as it wants, for many z at once. Junctions that
    share a part and have coordinators of their own are settled one after another.

    Gu, Co-simulation of algebraically coupled dynamic subsystems, thesis, MIT, 2001: there,
    coordinators are subsystems as all others.
    """

    part: str

    serves_junctions = True

    def __post_init__(self) -> None:
        if not isinstance(self.part, str) or not self.part:
            raise OptionError(f"part must be the name of a coordinator, not {self.part!r}")

    @property
    def time_scale(self) -> float | None:
        """Known to the part."""
        return None

    def called(self, new: str | None) -> PartCoordinator | None:
        """The same when the part has another name; None when it is gone."""
        return None if new is None else replace(self, part=new)

    def against(self, description: Description | None, parts: list[str]) -> str:
        """Why it cannot be this part; nothing if it can."""
        if description is None:
            hint = did_you_mean(self.part, parts)
            what = f"there is no part '{self.part}' to settle it.{hint}"
            return what if hint else f"{what} Add one, or give an object such as dv.SlidingMode()."
        if description.kind != KIND:
            what = f"'{self.part}' is no coordinator but a model of kind {description.kind}"
            return f"{what}; add one, as in system.add('settler', dv.Coordinator())."
        return ""
