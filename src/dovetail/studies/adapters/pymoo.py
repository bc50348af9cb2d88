"""pymoo: a problem whose generations are evaluated at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...results.files.needs import need

if TYPE_CHECKING:
    from ..evaluator import Evaluator


def problem(evaluator: Evaluator) -> Any:
    """The problem to make all values small; a run that failed counts as infinite."""
    need("pymoo", "optimize")
    from pymoo.core.problem import Problem

    limits = np.array(evaluator.bounded())

    class RunsProblem(Problem):  # type: ignore[misc]
        """Runs of a system."""

        def __init__(self) -> None:
            size = {"n_var": len(limits), "n_obj": evaluator.outputs}
            super().__init__(**size, xl=limits[:, 0], xu=limits[:, 1])

        def _evaluate(self, x: Any, out: dict[str, Any], *_: Any, **__: Any) -> None:
            found = evaluator(x).reshape(len(x), evaluator.outputs)
            out["F"] = np.where(np.isnan(found), np.inf, found)

    return RunsProblem()
