"""The error of a run, carried along while it goes on: what inputs were off by, window by window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.segment import Segment
from ..core.errors import PartFailed
from ..core.signals import Signals, Vector, Waveform
from ..drawing.system import System
from ..junctions.coordination import Coordination
from ..run.session import Session
from .companion import CompanionOutcome, Trajectory
from .defect_equation import LinearWhole
from .verified_recorder import KeptRows

WAY = "carrying along what inputs were off by, through the linearized parts"
_MOST = 200  # inputs, outputs: more would take long in every window
_POWERS = 5  # of a defect: one more than the error of a cubic has
_BEFORE, _AHEAD = 3, 3  # ends of windows around one, through which the curve of a source is laid
_KINK = 0.5  # of the largest derivative so far: a part that changes as much in a window has a kink
_NODES = np.linspace(0.0, 1.0, _POWERS)
_FITTED = np.linalg.inv(np.vander(_NODES, increasing=True))


def cannot_carry(system: System) -> str:
    """Why the error of this system cannot be carried along; empty if it can."""
    if system.junctions:
        return "its junctions have no linearization"
    count = [0, 0]
    for name, part in system.parts.items():
        found = part.description
        if any(not v.is_real for v in (*found.inputs, *found.outputs)):
            return f"'{name}' exchanges discrete values"
        if found.inputs and not found.capabilities.can_linearize:
            return f"'{name}' does not give its derivatives"
        count[0] += sum(v.size for v in found.inputs)
        count[1] += sum(v.size for v in found.outputs)
    if max(count) > _MOST:
        return f"it has {max(count)} signals, and more than {_MOST} take too long"
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class _WindowMade:
    """A window that waits until the curve of its sources is known on both sides."""

    start: float
    stop: float
    size: float
    inputs: Waveform
    linear: LinearWhole
    outputs: Vector
    made: Vector


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """Outputs where a window ended, and the inputs that parts were given there."""

    time: float
    outputs: Signals
    given: Signals

    def inside(self, D: Vector) -> tuple[Vector, Vector | None]:
        """What is left of outputs and derivatives without what inputs pass through at once."""
        rates, given = self.outputs.derivatives, self.given.derivatives
        left = self.outputs.reals - D @ self.given.reals
        if rates is None or given is None or not np.isfinite(rates).all():
            return left, None
        return left, rates - D @ given


class CarriedErrors:
    """Sees one window after another, and says at the end where the run should have been."""

    _assembly: Assembly

    def __init__(self, system: System) -> None:
        self._lost = cannot_carry(system)
        self._driven = {name for name, part in system.parts.items() if part.description.inputs}
        self._linear: LinearWhole | None = None
        self._largest = np.zeros(4)
        self._error = np.zeros(0)
        self._waiting: list[_WindowMade] = []
        self._ends: list[_End] = []  # since the last event
        self._rows = KeptRows(1)  # time, outputs, inputs, as they should have been
        self._begun = False

    def attach(self, session: Session) -> None:
        """See the windows of a run."""
        self._assembly = session.assembly
        layout = self._assembly.structure.layout
        self._rows = KeptRows(1 + len(layout.outputs.reals) + len(layout.inputs.reals))
        if not self._lost:
            session.observe(self.see)

    def close(self) -> None:
        """Nothing is under way."""

    def see(self, segments: Sequence[Segment]) -> None:
        """Take note of one window, whose parts stand at its end."""
        if self._lost:
            return
        try:
            self._see_window(segments, LinearWhole.of(self._assembly))
        except np.linalg.LinAlgError:
            self._lost = "the loop of direct feedthrough has no unique solution"
        except PartFailed as error:  # the run can go on without it
            self._lost = str(error).rstrip(".")

    def _see_window(self, segments: Sequence[Segment], linear: LinearWhole) -> None:
        if self._linear is None:
            self._error = np.zeros(len(linear.A))
        elif linear.A.shape != self._linear.A.shape:
            self._lost = "the number of states changed"
            return
        elif np.any(linear.change(self._linear) > _KINK * self._largest):
            at = segments[-1].window.stop
            self._lost = f"derivatives of the parts jump at t = {at:g} s"
            return
        self._largest = np.maximum(self._largest, linear.largest)
        between = linear if self._linear is None else linear.between(self._linear)
        for segment in segments:
            self._see(segment, between)
        self._linear = linear

    def outcome(self) -> CompanionOutcome:
        """What a run without errors of coupling would have been, to first order."""
        if self._lost:
            return CompanionOutcome(failure=f"its error cannot be carried along: {self._lost}")
        self._carry(0)
        layout = self._assembly.structure.layout
        names, lines = (*layout.outputs.reals, *layout.inputs.reals), self._rows.lines()
        values = {name: lines[:, 1 + k] for k, name in enumerate(names)}
        return CompanionOutcome(WAY, Trajectory(lines[:, 0], values))

    def _see(self, segment: Segment, linear: LinearWhole) -> None:
        window, before = segment.window, segment.before
        if segment.opening is not None or not self._ends:
            self._restart(window.start, segment.opening or before.outputs, before.coordination)
        made = self._made(segment.outputs, segment.after.coordination)
        inputs = segment.trial.inputs
        self._ends.append(_End(window.stop, segment.outputs, inputs.at(window.size)))
        values = segment.outputs.reals, made.reals
        times = window.start, window.stop, window.size
        self._waiting.append(_WindowMade(*times, inputs, linear, *values))
        if found_by := [name for name in segment.found_by if name in self._driven]:
            parts = " and ".join(f"'{name}'" for name in found_by)
            self._lost = f"{parts} had an event, whose time depends on the error"
        self._carry(_AHEAD)
        if segment.event:
            self._restart(window.stop, segment.after.outputs, segment.after.coordination)

    def _made(self, outputs: Signals, coordination: Coordination) -> Signals:
        return self._assembly.coordinator.inputs(outputs, coordination)

    def _restart(self, time: float, outputs: Signals, coordination: Coordination) -> None:
        """Curves of sources begin anew."""
        self._carry(0)
        made = self._made(outputs, coordination)
        self._ends = [_End(time, outputs, made)]
        if not self._begun:
            self._row(time, outputs.reals, made.reals)
        self._begun = True

    def _row(self, time: float, outputs: Vector, inputs: Vector) -> None:
        self._rows.add(np.concatenate([[time], outputs, inputs])[None])

    def _carry(self, ahead: int) -> None:
        """Carry the error through every window that has so many others behind it."""
        while len(self._waiting) > ahead:
            window = self._waiting.pop(0)
            k = len(self._ends) - 2 - len(self._waiting)  # its start among the ends
            around = self._ends[max(0, k - _BEFORE + 1) : k + _AHEAD + 1]
            defect = _defect(window, around)
            linear = window.linear
            self._error = linear.after(self._error, defect, window.size)
            off = linear.outputs(self._error, defect.sum(axis=1))
            right = window.outputs - off, window.made - linear.K @ off
            self._row(window.stop, *right)
        kept = len(self._waiting) + _BEFORE + 1
        del self._ends[: max(0, len(self._ends) - kept)]


def _defect(window: _WindowMade, around: Sequence[_End]) -> Vector:
    """Inputs less what their sources made, as powers of the share of the window."""
    linear = window.linear
    given = np.array([window.inputs.reals(node * window.size) for node in _NODES])
    outputs = _curve(window, around) + given @ linear.D.T
    made = outputs @ linear.K.T + (window.made - linear.K @ window.outputs)
    return np.asarray((_FITTED @ (given - made)).T)


def _curve(window: _WindowMade, around: Sequence[_End]) -> Vector:
    """Outputs inside a window, without what inputs pass through at once.

    A polynomial through the ends of windows, with derivatives where all are known.
    """
    places = np.array([end.time - window.start for end in around])
    reach = np.abs(places).max()  # powers of numbers up to one can be told apart
    shares = places / reach
    inside = [end.inside(window.linear.D) for end in around]
    values = np.array([left for left, _ in inside])
    known = [rates for _, rates in inside if rates is not None]
    powers = np.arange(2 * len(around))
    rows = shares[:, None] ** powers
    if len(known) == len(around):
        sloped = powers * shares[:, None] ** np.maximum(powers - 1, 0)
        rows = np.vstack([rows, sloped])
        values = np.vstack([values, reach * np.array(known)])
    else:
        rows = rows[:, : len(around)]
    at = np.vander(_NODES * window.size / reach, rows.shape[1], increasing=True)
    return np.asarray(at @ np.linalg.solve(rows, values))
