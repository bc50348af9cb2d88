"""A coordinator that is a part, at work in one run."""

from __future__ import annotations

from typing import Any

from ..core.errors import OptionError, PartFailed, RunError
from ..core.signals import Vector
from ..subsystems.live import Live
from .conversation import SupportsCoordination, settled_by
from .sliding_mode import SlidingMode
from .solving import SingularJacobian, Solution
from .surface import Surface


class BoundCoordinator:
    """What `SlidingMode` is for a group of junctions, by asking a part."""

    follows_states = False

    def __init__(self, live: Live) -> None:
        self._live = live
        self._law: SlidingMode | None = None

    def scale(self, size: float, asked: float) -> float:
        """mu, for windows of this size and parts that ask for a slow decay."""
        return self._settings.scale(size, asked)

    @property
    def presolve(self) -> bool:
        """Whether z is found before the first window."""
        return self._settings.presolve

    @property
    def probe(self) -> float:
        """The share of a window that short steps may take."""
        return self._settings.probe

    def settled(self, surface: Surface, z: Vector, jacobian: Vector | None) -> Solution:
        """The unknowns after the parts have moved."""
        try:
            return settled_by(self._part, self._live.name, surface, z, jacobian)
        except (RunError, SingularJacobian):
            raise
        except Exception as error:
            raise self._live.failed("coordinating", surface.now.time, error) from error

    @property
    def _part(self) -> SupportsCoordination:
        part: Any = self._live.subsystem
        if not isinstance(part, SupportsCoordination):
            what = "it does not find the unknowns of junctions"
            raise PartFailed(self._live.name, "coordinating", self._live.time, what)
        return part

    @property
    def _settings(self) -> SlidingMode:
        """Asked for once, when the part has its values."""
        if self._law is None:
            found: Any = self._part.coordinate(("settings",))
            try:
                scale, presolve, probe = found
                self._law = SlidingMode(scale or None, presolve=bool(presolve), probe=probe)
            except (OptionError, ValueError, TypeError) as error:
                what = f"its settings are none ({error})"
                raise PartFailed(self._live.name, "coordinating", self._live.time, what) from None
        return self._law
