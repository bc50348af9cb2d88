"""Ask a model that was learned from what the part did so far; step for real once, at the end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.options import check_number
from ..core.signals import Signals, Vector, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached
from .differences import backward_weights
from .direct import check_substeps
from .forecast import Assessment, ForecastRehearsal
from .least_squares import LeastSquares
from .response import Motion, Response


@dataclass(frozen=True, slots=True)
class Identified:
    """Ask an affine model of the part, learned from past windows; step for real at commit.

    For parts that neither roll back nor show their derivatives. No order can be promised: exact,
    after a start-up, for a linear part of at most two states; for others as good as a
    linear model of the last windows is. One small QR decomposition a window. Asks nothing of the
    subsystem, but learns only from windows of one size.

    `forgetting`: how much the past counts less with each window. Outputs are predicted by the model
    only if that has missed by less than `trust` of what going on as before would have: with the
    last value, the last line or parabola, whichever did best. Otherwise it goes on as
    before, whatever the inputs, and coupling is explicit for that window. `substeps`: a genuine
    step is cut in so many for inputs that the part cannot follow.

    A method of our own. Recursive least squares with forgetting: Ljung, System Identification:
    Theory for the User, 2nd edition, Prentice Hall, 1999.
    """

    forgetting: float = 0.98
    trust: float = 0.5
    substeps: int = 1

    repeatable = True

    def __post_init__(self) -> None:
        for name, value in (("forgetting", self.forgetting), ("trust", self.trust)):
            check_number(name, value, above=0, most=1)
        check_substeps(self.substeps)

    def bind(self, subsystem: Live) -> ForecastRehearsal:
        """Rehearse this subsystem."""
        subsystem.substeps = self.substeps
        return ForecastRehearsal(subsystem, LearnedForecast(self, subsystem))


@dataclass(frozen=True, slots=True, eq=False)
class LearnedModel:
    """What was learned of a part, and the windows it was learned from."""

    size: float = 0.0  # of those windows
    others: int = 0  # windows of another size since
    past: tuple[tuple[Vector, Vector], ...] = ()  # outputs and inputs of windows, newest first
    fit: LeastSquares | None = None
    missed: Vector | None = None  # by each way of predicting (a row), of each output; mean
    seen: tuple[int, ...] = (0, 0, 0, 0)  # forecasts of each way compared so far
    assessment: Assessment | None = None


class LearnedForecast:
    """y(t + h) - y(t) = M [y(t), y(t - h), inputs over both windows, 1], by least squares.

    Of the inputs over a window count their mean and their end. That is all of a held or ramped
    input, and nearly all of a cubic. Two windows of outputs and inputs make a part of two states
    and one output seen completely.
    """

    def __init__(self, options: Identified, subsystem: Live) -> None:
        self.options, self.subsystem = options, subsystem
        self.known = LearnedModel()
        self.window = Window(0.0, 0.0, 0.0)
        d = subsystem.description
        self.n_inputs, self.n_outputs = (
            sum(v.size for v in variables if v.is_real) for variables in (d.inputs, d.outputs)
        )
        self.outputs: Vector = np.zeros(self.n_outputs)  # at the window's start
        self._matrix: Vector | None = None

    def open(self, window: Window) -> None:
        """The subsystem stands at this window's start."""
        self.window, self._matrix = window, None
        if self.subsystem.last is not None:
            self.outputs = self.subsystem.last.reals

    def shorten(self, window: Window) -> None:
        """The window ends earlier."""
        self.window = window

    def response(self, columns: int) -> Response:
        """For each output the way of predicting that did best so far."""
        h, best = self.window.size, self._best()
        constant = np.choose(np.minimum(best, _MODEL - 1), self._continued())
        values = np.zeros((self.n_outputs, self.n_inputs, columns))
        ours = best == _MODEL
        if ours.any():
            by_mean, by_end, rest = self._model()
            powers = h ** np.arange(columns)
            means = by_mean[:, :, None] * (powers / np.arange(1, columns + 1))
            values[ours] = (means + by_end[:, :, None] * powers)[ours]
            constant = np.where(ours, rest, constant)
        weights = self._derivative_weights()
        derivatives = self._backward(weights, constant)
        return Response(values, weights[0] * values, Motion(constant, derivatives))

    def learn(self, inputs: Waveform, reached: Reached) -> Reached:
        """Compare the step with its forecast, and let the model learn from it."""
        known, window, y = self.known, self.window, reached.outputs.reals
        if reached.time != window.stop:  # an event: the part is the same, but stands elsewhere
            self.known = replace(known, past=(), assessment=None)
            return reached
        used = self.response(inputs.order + 1).at(inputs).reals
        assessment = Assessment(y, y - used, None, bool((self._best() == _MODEL).any()))
        seen = _features(inputs, window.size)
        if _equal(known.size, window.size):
            known = self._compared(y, seen)
            if known.past:
                row = self._row(seen)
                fit = known.fit or LeastSquares.empty(row.size, y.size)
                fit = fit.learned(row, y - self.outputs, self.options.forgetting)
                known = replace(known, fit=fit)
            past = ((self.outputs, seen), *known.past)[:2]
            known = replace(known, past=past, others=0)
        elif known.size == 0.0 or known.others >= _PATIENCE:  # a new size, and it stays
            known = LearnedModel(window.size, past=((self.outputs, seen),))
        else:
            known = replace(known, past=(), others=known.others + 1)
        derivatives = reached.outputs.derivatives
        if self.subsystem.derivatives and (derivatives is None or np.isnan(derivatives).any()):
            completed = Signals(
                y, self._backward(self._derivative_weights(), y), reached.outputs.discrete
            )
            reached = Reached(reached.time, completed, reached.event, reached.ending, reached.late)
        self.known = replace(known, assessment=assessment)
        return reached

    @property
    def clueless(self) -> bool:
        """Whether the last values are the best it has, for every output."""
        return not self._best().any()

    @property
    def assessment(self) -> Assessment | None:
        """How good the last forecast was."""
        return self.known.assessment

    def restart(self) -> None:
        """An event: the part is the same behind it, but stands elsewhere."""
        self.known = replace(self.known, past=())

    def dump(self) -> tuple[LearnedModel, Vector]:
        """What was learned, and where the part stands."""
        last = self.subsystem.last
        return self.known, self.outputs if last is None else last.reals

    def load(self, learned: tuple[LearnedModel, Vector]) -> None:
        """Take over what was learned."""
        self.known, self.outputs = learned

    # ---- ways of predicting ----------------------------------------------------------------------

    def _best(self) -> Any:
        """For each output: 0, 1, 2 for the polynomials of these orders, 3 for the model."""
        known = self.known
        if known.missed is None or not _equal(known.size, self.window.size):
            return np.zeros(self.n_outputs, dtype=np.intp)
        best, least = np.zeros(self.n_outputs, dtype=np.intp), known.missed[0]
        for way, doubt in ((1, 0.5), (2, 1.0), (_MODEL, 1.0)):  # a line may swing a loop up
            able = known.seen[way] >= _WATCHED[way] and len(known.past) >= _PAST[way]
            good = able & (known.missed[way] < doubt * self.options.trust * least)
            best, least = np.where(good, way, best), np.where(good, known.missed[way], least)
        return best

    def _continued(self) -> list[Vector]:
        """The outputs at the window's end if they go on as before: held, by line, by parabola."""
        y = [self.outputs, *(outputs for outputs, _ in self.known.past)]
        line = 2 * y[0] - y[1] if len(y) > 1 else y[0]
        return [y[0], line, 3 * y[0] - 3 * y[1] + y[2] if len(y) > 2 else line]

    def _model(self) -> tuple[Vector, Vector, Vector]:
        """What means and ends of the inputs add to the outputs, and the rest of them."""
        if self._matrix is None:
            assert self.known.fit is not None
            self._matrix = self.known.fit.solution()
        M, n, m = self._matrix, 2 * self.n_outputs, self.n_inputs
        row = self._row(np.zeros(2 * m))
        return M[:, n : n + m], M[:, n + m : n + 2 * m], self.outputs + M @ row

    def _row(self, seen: Vector) -> Vector:
        """What the model is fed with."""
        outputs, features = self.known.past[0]
        return np.concatenate([self.outputs, outputs, seen, features, [1.0]])

    def _compared(self, y: Vector, seen: Vector) -> LearnedModel:
        """How far each way would have missed, added to how far it missed before."""
        known, m = self.known, self.n_inputs
        guesses, count = self._continued(), len(known.past)
        model = known.fit is not None and count > 0
        if model:
            by_mean, by_end, rest = self._model()
            guesses.append(by_mean @ seen[:m] + by_end @ seen[m:] + rest)
        able = (True, count > 0, count > 1, model)
        missed = np.zeros((_MODEL + 1, y.size)) if known.missed is None else known.missed.copy()
        for way, guess in enumerate(guesses):
            if able[way]:
                keep = _MEMORY if known.seen[way] else 0.0
                missed[way] = keep * missed[way] + (1 - keep) * np.abs(guess - y)
        counts = tuple(n + one for n, one in zip(known.seen, able, strict=True))
        return replace(known, missed=missed, seen=counts)

    # ---- derivatives ----------------------------------------------------------------------------

    def _derivative_weights(self) -> list[float]:
        start, size = self.window.start, self.known.size
        times = [start, start - size] if self.known.past else [start]
        return backward_weights(self.window.stop, times)

    def _backward(self, weights: list[float], end: Vector) -> Vector:
        """The derivative at the end of the parabola through it and the last outputs."""
        values = [end, self.outputs, *(outputs for outputs, _ in self.known.past)]
        return sum((w * v for w, v in zip(weights, values, strict=False)), np.zeros(end.size))


_MODEL = 3  # the way that knows the inputs
_PAST = (0, 1, 2, 1)  # windows that each way looks back
_WATCHED = (0, 2, 2, 1)  # forecasts of each way compared with what came, before one is used
_PATIENCE = 2  # windows of another size, before everything is learned anew
_MEMORY = 0.8  # of how far forecasts missed


def _features(inputs: Waveform, size: float) -> Vector:
    """Means of all inputs over the window, and their ends."""
    a = inputs.coefficients
    powers = size ** np.arange(a.shape[1])
    return np.concatenate([a @ (powers / np.arange(1, a.shape[1] + 1)), a @ powers])


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(a, b)
