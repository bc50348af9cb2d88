"""Ask the linearization; step for real once, at the end."""
# Over 250 lines: one article in one file.

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.errors import OptionError
from ..core.options import check_number, check_truth, check_whole
from ..core.signals import Signals, Vector, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Linearization, Reached
from .control import KEPT, Control, Sample, control_part
from .direct import check_substeps
from .forecast import Assessment, ForecastRehearsal
from .response import Motion, Response
from .tensors import Tensors, exact_tensors


@dataclass(frozen=True, slots=True)
class Costarica:
    """Ask the linearization at the window's start; step for real once, at commit.

    Third order, fourth with `carry_over`. One linearization a window, one matrix function a
    window and size, one small matrix product an answer. The subsystem must be linearizable.

    `linear`: how the linear part is computed, exactly or as published, with so many `terms`.
    `control`: the order in which the rest is extrapolated. `form`: "state-space" if the rates of
    the states are not to be used. `carry_over`: the last defect is added, scaled to the window.
    `time_slope`: how f changes with time alone is found from the last two windows. `reuse`: the
    linearization is kept while the defect stays below this share of the outputs.
    `substeps`: a genuine step is cut in so many for inputs that the part cannot follow.

    Eguillon, Lacabanne and Tromeur-Dervout, COSTARICA estimator for rollback-less systems
    handling in iterative co-simulation algorithms, 2022. As published: Misra and Patel,
    Automatica 23, 1987; Stehfest, Algorithm 368: numerical inversion of Laplace transforms,
    Communications of the ACM 13, 1970. `carry_over`, `time_slope` and `reuse` are of our own.
    """

    linear: Literal["exact", "gaver-stehfest"] = "exact"
    terms: int = 14
    control: Control = "flexible"
    form: Literal["linearization", "state-space"] = "linearization"
    carry_over: bool = True
    time_slope: bool = True
    reuse: float = 0.0
    substeps: int = 1

    repeatable = True

    def __post_init__(self) -> None:
        _one_of("linear", self.linear, ("exact", "gaver-stehfest"))
        _one_of("control", self.control, ("zero", "first", "flexible"))
        _one_of("form", self.form, ("linearization", "state-space"))
        check_whole("terms", self.terms, 2)
        if self.terms % 2:
            raise OptionError(f"terms must be even and above zero, not {self.terms}")
        check_number("reuse", self.reuse, least=0)
        check_truth("carry_over", self.carry_over)
        check_truth("time_slope", self.time_slope)
        check_substeps(self.substeps)

    @staticmethod
    def as_published(terms: int = 14) -> Costarica:
        """The estimator of the article, without the improvements."""
        return Costarica("gaver-stehfest", terms, carry_over=False, time_slope=False)

    def bind(self, subsystem: Live) -> ForecastRehearsal:
        """Rehearse this subsystem."""
        subsystem.substeps, subsystem.estimated = self.substeps, True
        return ForecastRehearsal(subsystem, LinearForecast(self, subsystem))


@dataclass(frozen=True, slots=True, eq=False)
class ForecastMemory:
    """The past: where windows began, newest first, and how the last one went."""

    here: Linearization | None = None  # where the subsystem stands; None: to be asked
    past: tuple[Sample, ...] = ()
    before: Linearization | None = None  # at the start of the last window
    size: float = 0.0  # of the last window
    defect: Motion | None = None  # of the last window, what was carried over not counted
    assessment: Assessment | None = None


class LinearForecast:
    """x' = A x + B u + f_C + s t, y = C x + D u + y_C, from the linearization here.

    Three lazy updates: once a window the linearization, once a window size the tensors, once an
    answer a matrix product. Tensors are kept while neither matrices nor size change.
    """

    def __init__(self, options: Costarica, subsystem: Live) -> None:
        self.options, self.subsystem = options, subsystem
        self.learned = ForecastMemory()
        self.window = Window(0.0, 0.0, 0.0)
        self.computed = 0  # how often tensors were
        self._tensors: tuple[Linearization, float, int, Tensors] | None = None
        self._response: Response | None = None

    # ---- the three updates -----------------------------------------------------------------------

    def open(self, window: Window) -> None:
        """Linearize, unless that was done right after the last step."""
        self.window, self._response = window, None
        if self.learned.here is None:
            self.learned = ForecastMemory(here=self.subsystem.linearize())

    def shorten(self, window: Window) -> None:
        """The window ends earlier."""
        self.window, self._response = window, None

    def response(self, columns: int) -> Response:
        """y = G a + P x + R f_C + S s + y_C and its time derivative."""
        if self._response is not None and self._response.values.shape[2] >= columns:
            return self._response
        lin, h = self._here(), self.window.size
        T, f_C, s = self.tensors(lin, h, columns), self._constant_rate(lin), self._time_slope(lin)
        y_C = control_part(self.learned.past, self._sample(lin), lin, h, self.options.control)
        carried = self._carried(h)
        constant = Motion(
            T.PV @ lin.x + T.RV @ f_C + T.SV @ s + y_C.values + carried.values,
            T.PD @ lin.x + T.RD @ f_C + T.SD @ s + y_C.derivatives + carried.derivatives,
        )
        self._response = Response(T.GV, T.GD, constant)
        return self._response

    def tensors(self, lin: Linearization, size: float, columns: int) -> Tensors:
        """Those computed last, if they still hold."""
        known = self._tensors
        if (
            known is None
            or known[1] != size
            or known[2] < columns
            or not _same_matrices(known[0], lin)
        ):
            if self.options.linear == "exact":
                found = exact_tensors(lin, size, columns)
            else:
                from .laplace import published_tensors

                found = published_tensors(lin, size, columns, self.options.terms)
            self._tensors = known = lin, size, columns, found
            self.computed += 1
        return known[3]

    # ---- the terms -------------------------------------------------------------------------------

    def _constant_rate(self, lin: Linearization) -> Vector:
        """f_C = f - A x - B u; zero in the form for parts that do not give f."""
        if self._degraded(lin):
            return np.zeros(lin.x.size)
        rate: Vector = lin.dx - lin.A @ lin.x - lin.B @ lin.u
        return rate

    def _degraded(self, lin: Linearization) -> bool:
        """Whether the rates of the states are not to be used, or not given: NaN."""
        return self.options.form == "state-space" or bool(np.isnan(lin.dx).any())

    def _time_slope(self, lin: Linearization) -> Vector:
        """df/dt: what the change of f since the last window owes neither to x nor to u."""
        last = self.learned.before
        if last is None or not self.options.time_slope or self._degraded(lin):
            return np.zeros(lin.x.size)
        A, B = (lin.A + last.A) / 2, (lin.B + last.B) / 2
        change: Vector = lin.dx - last.dx - A @ (lin.x - last.x) - B @ (lin.u - last.u)
        return change / self.learned.size

    def _carried(self, size: float) -> Motion:
        """The last defect, scaled from its window to this one: it is of third order."""
        defect = self.learned.defect
        if defect is None or not self.options.carry_over:
            return Motion(np.zeros(1), np.zeros(1))  # broadcast
        ratio = size / self.learned.size
        return Motion(ratio**3 * defect.values, ratio**2 * defect.derivatives)

    # ---- learning --------------------------------------------------------------------------------

    def learn(self, inputs: Waveform, reached: Reached) -> Reached:
        """Compare the step with its forecast, and linearize where it ended."""
        start, window, learned = self._here(), self.window, self.learned
        past = (self._sample(start), *learned.past)[:KEPT]
        if reached.time != window.stop:  # an event: nothing to compare with, all begins anew
            self.learned = ForecastMemory()
            return reached
        expected = self.response(inputs.order + 1).at(inputs)
        missed = reached.outputs.reals - expected.reals
        here = self._linearized(start, missed, reached.outputs.reals)
        derivatives = reached.outputs.derivatives
        if self.subsystem.derivatives and (derivatives is None or np.isnan(derivatives).any()):
            derivatives = self._own_derivatives(here, past, window.stop, inputs.at(window.size))
            outputs = Signals(reached.outputs.reals, derivatives, reached.outputs.discrete)
            reached = Reached(reached.time, outputs, reached.event, reached.ending, reached.late)
        carried = self._carried(window.size)
        assert expected.derivatives is not None
        off = np.zeros(missed.size) if derivatives is None else derivatives - expected.derivatives
        growth = _growth(start, here, inputs.at(window.size), window.size)
        self.learned = ForecastMemory(
            here,
            past,
            start,
            window.size,
            Motion(missed + carried.values, off + carried.derivatives),
            Assessment(reached.outputs.reals, missed, growth),
        )
        return reached

    def _linearized(self, start: Linearization, missed: Vector, outputs: Vector) -> Linearization:
        """The linearization where the step ended; with the old matrices, while they are good."""
        allowed = self.options.reuse * np.abs(outputs)
        if self.options.reuse and bool(np.all(np.abs(missed) <= allowed)):
            return self.subsystem.relinearize(start)
        return self.subsystem.linearize()

    def _own_derivatives(
        self, lin: Linearization, past: tuple[Sample, ...], time: float, end: Signals
    ) -> Vector:
        """C f + D u' and the derivative of the control part: what the outputs of a part do now."""
        rates = np.zeros(lin.u.size) if end.derivatives is None else end.derivatives
        here = Sample(time, lin.x, lin.u, lin.y)
        rest = control_part(past, here, lin, 0.0, self.options.control).derivatives
        derivatives: Vector = lin.C @ np.nan_to_num(lin.dx) + lin.D @ rates + rest
        return derivatives

    @property
    def clueless(self) -> bool:
        """It always knows something."""
        return False

    @property
    def assessment(self) -> Assessment | None:
        """How good the last forecast was."""
        return self.learned.assessment

    def restart(self) -> None:
        """An event: the past says nothing any more, and the subsystem may have jumped."""
        self.learned, self._response = ForecastMemory(assessment=self.learned.assessment), None

    def dump(self) -> ForecastMemory:
        """What was learned."""
        return self.learned

    def load(self, learned: ForecastMemory) -> None:
        """Take over what was learned."""
        self.learned, self._response = learned, None

    def _here(self) -> Linearization:
        assert self.learned.here is not None, "opened before asked"
        return self.learned.here

    def _sample(self, lin: Linearization) -> Sample:
        return Sample(self.window.start, lin.x, lin.u, lin.y)


def _growth(start: Linearization, here: Linearization, end: Signals, size: float) -> Vector:
    """|C ((A - A_before) f + (B - B_before) u')| / (6 h): the defect of h^3 that is to come."""
    rates = np.zeros(here.u.size) if end.derivatives is None else end.derivatives
    moved = (here.A - start.A) @ np.nan_to_num(here.dx) + (here.B - start.B) @ rates
    growth: Vector = np.abs(here.C @ moved) / (6 * size)
    return growth


def _same_matrices(a: Linearization, b: Linearization) -> bool:
    return a is b or all(
        left is right or np.array_equal(left, right)
        for left, right in ((a.A, b.A), (a.B, b.B), (a.C, b.C), (a.D, b.D))
    )


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise OptionError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
