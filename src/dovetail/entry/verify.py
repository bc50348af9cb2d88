"""Verify a result afterwards."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from ..assembly.consistent import Consistent
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..results.meaning import verdict_in
from ..results.result import Result
from ..results.verdict import Verdict
from ..run.run_request import RunRequest
from ..verification.begin import Verify, begin, check_way
from ..verification.companion import Trajectory
from ..verification.window_ends import WindowEnds

_ORIGINS: WeakKeyDictionary[Result, tuple[System, RunSettings]] = WeakKeyDictionary()


def remember(result: Result, system: System, settings: RunSettings) -> Result:
    """Keep how a result was made, as long as it is there."""
    _ORIGINS[result] = system, replace(settings, recorder=None)
    return result


def verify(result: Result, way: Verify = True) -> Verdict:
    """A new verdict for a result of `dv.simulate`, with the error that a second run shows.

    `way` as in `dv.simulate(..., verify=...)`: "companion", or "merged" where all parts offer
    their equations. The result itself stays as it is.
    """
    check_way(way)
    if way == "carried":
        way_out = "dv.simulate(..., verify='carried'), or leave it out for a second run"
        raise OptionError(f"errors are carried along only while a run goes on: {way_out}")
    if not isinstance(result, Result):
        raise OptionError(f"dv.verify takes a result of dv.simulate, not {result!r}")
    if result not in _ORIGINS:
        way_out = "run it again with dv.simulate(..., verify=True)"
        raise OptionError(f"this result does not know the system it was made with; {way_out}")
    system, settings = _ORIGINS[result]
    asked = RunRequest.of(system, settings, Consistent())
    verification = begin(system, asked, way or True, _ends(result))
    try:
        found = verdict_in(verification.amended(result.facts, Trajectory.of(result)))
    finally:
        verification.close()
    if found is None:
        raise OptionError("this result has no verdict that could be completed")
    return found


def _ends(result: Result) -> WindowEnds | None:
    """The ends of its windows; None where a recorder left some out."""
    times = np.unique(result.time)
    return WindowEnds(times.tolist()) if len(times) > result.statistics.windows else None
