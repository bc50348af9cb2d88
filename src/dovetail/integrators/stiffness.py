"""Whether the steps of an explicit method are as short as its stability wants them."""

from __future__ import annotations

_BOUNDARY = 3.25  # size |lambda| where the stable region of Dormand and Prince's method ends
_OFTEN = 15  # steps at the boundary after which equations are stiff
_CALM = 6  # steps inside it in a row that make those before forgotten


class Stiffness:
    """The steps of one run, as Hairer and Wanner's DOPRI5 judges them (section IV.2).

    Runs of up to `first` steps are not looked at: an implicit run costs more than they do.
    """

    __slots__ = ("_at", "_inside", "found", "steps")

    first = 10

    def __init__(self) -> None:
        self._at = self._inside = 0
        self.steps = 0  # that stability shortened, once there were many
        self.found = False

    def see(self, reach: float) -> None:
        """Take note of size |lambda| in one step."""
        if reach > _BOUNDARY:
            self._at, self._inside = self._at + 1, 0
            self.found = self.found or self._at >= _OFTEN
            if self.found:
                self.steps += 1
            return
        self._inside += 1
        if self._inside == _CALM:
            self._at, self.found = 0, False
