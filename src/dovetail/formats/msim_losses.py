"""What a MasterSim project cannot keep of a drawing and its run settings, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..controllers import Adaptive, ErrorCheck, StepDoubling
from ..core.errors import Problem
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..results.patterns import split
from ..results.recorders import Sampling
from .msim_project import Project


def refused_junctions(system: System) -> Iterator[Problem]:
    """Junctions that are more than plain connections; those are written as what they are."""
    for junction in system.junctions:
        wires = Counter(str(c.target) for c in system.connections if c.junction == junction.name)
        if not wires or max(wires.values()) > 1:
            what = (
                f"the junction {junction.name} is more than plain connections, which is all a "
                "MasterSim project holds; save it as .yaml."
            )
            yield Problem(junction.name, what)


def notes(system: System) -> list[str]:
    """What was not written, and what was written instead; nothing if all was."""
    run = system.run_settings
    found = [*_defaults(run)]
    lost = ", ".join(_lost(system, run))
    if lost:
        found.append(f"a MasterSim project does not keep {lost}; save it as .yaml as well")
    return found


def _defaults(run: RunSettings) -> Iterator[str]:
    """What MasterSim's own defaults stand for."""
    usual, said = Project(), []
    if run.stop is None:
        said.append(("no stop time", f"tEnd {usual.stop / 86400:g} d"))
    if run.controller is None:
        said.append(("no step", f"hStart {usual.first_size:g} s"))
    if said:
        lacking = " and ".join(what for what, _ in said)
        written = " and ".join(line for _, line in said)
        yield (
            f"the system has {lacking}, so MasterSim's default is written: {written}; change it "
            "there before you run it"
        )


def _lost(system: System, run: RunSettings) -> Iterator[str]:
    a, c = run.algorithm, run.controller
    if run.estimators:
        yield "estimators"
    adjusts = isinstance(c, Adaptive | StepDoubling)
    limit = getattr(a, "on_limit", None)
    iterates = getattr(a, "max_iterations", 1) > 1
    if a is not None and iterates and limit != ("stop" if adjusts else "accept"):
        yield f"on_limit='{limit}'"
    if isinstance(c, ErrorCheck | StepDoubling) and c.order is not None:
        yield f"order={c.order}"
    if isinstance(run.recorder, Sampling) and (run.recorder.interpolate or run.recorder.events):
        yield "rows that are interpolated or at events"
    inputs = {f"{p.name}.{v.name}" for p in system.parts.values() for v in p.description.inputs}
    for pattern in split(run.record or ()):
        if pattern in inputs:
            yield f"the record of the input '{pattern}'"
