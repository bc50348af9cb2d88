"""Which parts answer by a forecast, and what their forecasts say together."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.signals import Span, Waveform
from ..estimators.base import Estimator, Rehearsal, predicts
from ..estimators.forecast import Assessment, ForecastRehearsal
from .ensemble import Ensemble, JointForecast


class Forecasts:
    """The estimated parts of an assembly. `rehearsals` is the assembly's own list."""

    def __init__(
        self,
        estimators: Sequence[Estimator],
        rehearsals: Sequence[Rehearsal],
        inputs_of: Sequence[Span],
        outputs_of: Sequence[Span],
    ) -> None:
        self._rehearsals, self._spans = rehearsals, (inputs_of, outputs_of)
        self.estimated = [i for i, r in enumerate(rehearsals) if r.estimates]
        self.predicted = [i for i, e in enumerate(estimators) if i in self.estimated or predicts(e)]
        self._ensembles: dict[tuple[int, ...], Ensemble] = {}
        self._among: dict[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def among(self, parts: Sequence[int]) -> tuple[tuple[int, ...], Sequence[int]]:
        """Those of some subsystems that answer by a forecast, and the others."""
        if not self.estimated:
            return (), parts
        key = tuple(parts)
        if key not in self._among:
            ours = tuple(i for i in key if i in self.estimated)
            self._among[key] = ours, tuple(i for i in key if i not in ours)
        return self._among[key]

    def together(self, parts: tuple[int, ...], columns: int) -> JointForecast:
        """The forecasts of these subsystems for this window, as one map."""
        if parts not in self._ensembles:
            self._ensembles[parts] = Ensemble(parts, *self._spans)
        return self._ensembles[parts].gather(self._rehearsals, columns)

    def given(self, inputs: Waveform) -> Waveform:
        """These inputs, with those instead that parts had stepped with before."""
        for i in self.estimated:
            rehearsal = self._rehearsals[i]
            kept = rehearsal.kept if isinstance(rehearsal, ForecastRehearsal) else None
            span = self._spans[0][i]
            if kept is not None and not kept.equals(inputs[span]):
                columns = max(inputs.order, kept.order) + 1
                rows, values = inputs.padded(columns), list(inputs.discrete)
                rows[span.reals] = kept.padded(columns)
                values[span.discrete] = kept.discrete
                inputs = Waveform(rows, tuple(values))
        return inputs

    def assessments(self) -> dict[int, Assessment]:
        """How good the forecasts of the last window were, where there were any."""
        found = ((i, self._rehearsals[i].assessment) for i in self.predicted)
        return {i: a for i, a in found if a is not None}
