"""OpenTURNS: a function of whole samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...results.files.needs import need

if TYPE_CHECKING:
    from ..evaluator import Evaluator


def function(evaluator: Evaluator) -> Any:
    """The function; a run that failed gives NaN."""
    need("openturns", "optimize")
    import openturns

    def sample(points: Any) -> Any:
        rows = np.array(points)
        return evaluator(rows).reshape(len(rows), evaluator.outputs)

    def point(values: Any) -> list[float]:
        return [float(x) for x in sample([values])[0]]

    size = len(evaluator.free), evaluator.outputs
    found = openturns.PythonFunction(*size, func=point, func_sample=sample)
    found.setInputDescription(evaluator.names)
    return found
