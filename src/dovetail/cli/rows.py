"""Which rows of a run are kept, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import OptionError

if TYPE_CHECKING:
    from ..results.recorders import Recorder


@dataclass(frozen=True, slots=True)
class Rows:
    """The options of the command line; the file gives the others."""

    output: Path | None
    every: float | None
    thin: float | None
    interpolate: bool

    def recorder(self, given: Recorder | None) -> Recorder:
        """A recorder for all that; `given` is the one of the file."""
        from ..results.recorders import File, Memory, Sampling, Thinning

        found: Recorder = Memory() if self.output is None else File(self.output)
        if self.thin is not None:
            found = Thinning(self.thin, recorder=found)
        if self.every is not None:
            return Sampling(self.every, found, self.interpolate)
        if isinstance(given, Sampling):
            return replace(given, recorder=found, interpolate=self.interpolate)
        if self.interpolate:
            raise OptionError("--interpolate needs lines to interpolate to: give --every")
        return found
