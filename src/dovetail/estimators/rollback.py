"""Step for real, as often as asked, and roll back."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.options import check_truth
from ..core.signals import Signals, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached
from .costarica import Costarica, LinearForecast
from .direct import check_substeps
from .forecast import Assessment
from .response import Response
from .rollback_check import RollbackCheck


@dataclass(frozen=True, slots=True)
class Rollback:
    """Step for real, as often as asked, and roll back. Exact; costs one advance per answer.

    `predict`: its linearization predicts each window, and gives sensitivities that cost no
    advance: a place to start the iteration from, and what preconditions it. `substeps`: a step is
    cut in so many for inputs that the part cannot follow.

    By the saved states of FMI 2: Blochwitz and others, Functional Mockup Interface 2.0: the
    standard for tool independent exchange of simulation models, 9th International Modelica
    Conference, 2012. The forecasts are those of `Costarica`.
    """

    predict: bool = False
    substeps: int = 1

    repeatable = True

    def __post_init__(self) -> None:
        check_truth("predict", self.predict)
        check_substeps(self.substeps)

    def bind(self, subsystem: Live) -> _Rollback:
        """Rehearse this subsystem."""
        subsystem.substeps = self.substeps
        return _PredictedRollback(subsystem) if self.predict else _Rollback(subsystem)


class _Rollback:
    estimates = False

    def __init__(self, subsystem: Live) -> None:
        self.subsystem = subsystem
        self.window = Window(0.0, 0.0, 0.0)
        self.start: Any = None
        self.last: tuple[Waveform, Reached] | None = None
        self._stepped = self.window  # the window of the last step
        self._ahead = deque[Waveform]()  # inputs of steps that are on their way to another process
        self._check = RollbackCheck(subsystem)

    def open(self, window: Window) -> None:
        self.recall()
        self.window, self.start, self.last = window, self.subsystem.snapshot(), None

    def shorten(self, window: Window) -> None:
        self.recall()
        if self.last is not None and self.last[1].time != window.stop:
            self.abandon()
        self.window = window

    def outputs(self, inputs: Waveform) -> Reached:
        if self.last is None or not self.last[0].equals(inputs):
            if self._ahead and self._ahead[0].equals(inputs):
                self._ahead.popleft()  # it was rolled back before that
            else:
                self.abandon()
            self.last = inputs, self._advanced(inputs)
        return self.last[1]

    def prepare(self, inputs: Waveform, *, genuine: bool, may_be_cut: bool) -> None:
        if not self._ahead:
            self._prepare((inputs,))

    def prepare_sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> None:
        self.recall()
        self._prepare((inputs, *(inputs + d for d in directions)))

    def recall(self) -> None:
        if self._ahead:
            self._ahead.clear()
            self.subsystem.forget_posts()
            self.subsystem.restore(self.start)
            self.last = None

    def _prepare(self, wanted: Sequence[Waveform]) -> None:
        """These steps will be asked for, one after another, each from the window's start."""
        if self.last is not None and self.last[0].equals(wanted[0]):
            wanted = wanted[1:]
        for k, inputs in enumerate(wanted):
            if k == 0:
                self._undo()
                self._stepped = self.window
            elif self._check.passes():
                self.subsystem.restore(self.start)
            else:
                break
            self.subsystem.post(self.window, inputs)
            self._ahead.append(inputs)

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        base = self.outputs(inputs).outputs
        changes = [_minus(self.outputs(inputs + d).outputs, base) for d in directions]
        return changes

    def response(self, columns: int) -> Response | None:
        return None

    def commit(self, inputs: Waveform) -> Reached:
        return self.outputs(inputs)

    @property
    def assessment(self) -> Assessment | None:
        return None

    def abandon(self) -> None:
        self.recall()
        self._undo()
        self.last = None

    def _undo(self) -> None:
        """Roll back, if the part has moved; what it answered is still known."""
        if self.last is not None and self.last[1].time > self.window.start:
            self._check.restore((self._stepped, *self.last), self.start)
        # else it waits there for its event

    def restart(self) -> None:
        self._check.restart()

    def dump(self) -> None:
        pass

    def load(self, learned: None) -> None:
        pass

    def restore(self, start: Any) -> None:
        self.recall()
        self._check.restore(self.subsystem.step_from(start), start)

    def _advanced(self, inputs: Waveform) -> Reached:
        self._stepped = self.window
        try:
            return self.subsystem.advance(self.window, inputs)
        except BaseException:
            self.subsystem.restore(self.start)  # half a step is no place to stay
            raise


class _PredictedRollback(_Rollback):
    """Answers by rolling back, and knows beforehand about what the answer will be."""

    def __init__(self, subsystem: Live) -> None:
        super().__init__(subsystem)
        self.forecast = LinearForecast(Costarica(), subsystem)
        self.known: Response | None = None
        self.learned = False  # of this window

    def open(self, window: Window) -> None:
        super().open(window)
        self.forecast.open(window)
        self.known, self.learned = None, False

    def shorten(self, window: Window) -> None:
        super().shorten(window)
        self.forecast.shorten(window)
        self.known = None

    def prepare_sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> None:
        pass  # a forecast knows it

    def response(self, columns: int) -> Response | None:
        if self.known is None or self.known.values.shape[2] < columns:
            self.known = self.forecast.response(columns)
        return self.known

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        response = self.response(max((d.order for d in directions), default=0) + 1)
        assert response is not None
        return [response.change(d) for d in directions]

    def commit(self, inputs: Waveform) -> Reached:
        reached = self.outputs(inputs)
        if reached.time == self.window.stop and not self.learned:
            self.learned = True
            self.last = inputs, self.forecast.learn(inputs, reached)
        return reached if self.last is None else self.last[1]

    @property
    def assessment(self) -> Assessment | None:
        return self.forecast.assessment

    def restart(self) -> None:
        super().restart()
        self.forecast.restart()

    def dump(self) -> Any:
        return self.forecast.dump()

    def load(self, learned: Any) -> None:
        self.forecast.load(learned)


def _minus(a: Signals, b: Signals) -> Signals:
    derivatives = (
        None if a.derivatives is None or b.derivatives is None else a.derivatives - b.derivatives
    )
    return Signals(a.reals - b.reals, derivatives)
