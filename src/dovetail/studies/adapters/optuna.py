"""Optuna: its ask and tell, several trials at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.options import check_whole
from ...results.files.needs import need

if TYPE_CHECKING:
    from ..evaluator import Evaluator


def answer(evaluator: Evaluator, search: Any, trials: int, together: int) -> None:
    """Let an Optuna study ask, and tell it what came out; runs that failed are failed trials."""
    need("optuna", "optimize")
    import optuna

    check_whole("trials", trials)
    check_whole("together", together)
    limits = evaluator.bounded()
    left = trials
    while left:
        asked = [search.ask() for _ in range(min(together, left))]
        left -= len(asked)
        points = [
            [
                trial.suggest_float(name, low, high)
                for name, (low, high) in zip(evaluator.names, limits, strict=True)
            ]
            for trial in asked
        ]
        found = evaluator(points).reshape(len(asked), evaluator.outputs)
        for trial, values in zip(asked, found, strict=True):
            if np.isnan(values).any():
                search.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                search.tell(trial, values.tolist())
