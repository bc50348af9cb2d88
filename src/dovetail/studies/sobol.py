"""Sobol' indices: which share of a signal's variance comes from which value.

Saltelli's points and estimators, by SALib; the runs are a sweep, so that they are kept, resumed
and made side by side. Saltelli et al., Variance based sensitivity analysis of model output,
Computer Physics Communications 181, 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.errors import OptionError, RunError
from ..core.options import check_whole
from ..drawing.system import System
from ..results.files.needs import need
from .distributions import Distribution, Uniform
from .reductions import reduced
from .sensitivities import SobolSensitivity
from .study import Study
from .sweep import sweep


class SensitivityFailed(RunError):
    """Some of the runs of a sensitivity study failed; `study` has them all."""

    def __init__(self, message: str, study: Study | None = None) -> None:
        super().__init__(message)
        self.study = study


def sobol(
    system: System,
    signals: list[str],
    given: Mapping[str, Any],
    samples: int,
    seed: int,
    at: str,
    options: Mapping[str, Any],
) -> SobolSensitivity:
    """First and total indices, with the widths of their intervals."""
    need("SALib", "sensitivity")
    from SALib.analyze import sobol as analysis
    from SALib.sample import sobol as sampling

    check_whole("samples", samples, least=2)
    if samples & (samples - 1):
        raise OptionError(f"samples= is a power of two for Sobol' points, 256, not {samples}")
    names = list(given)
    laws = [_law(name, one) for name, one in given.items()]
    problem = {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}
    shares = np.asarray(sampling.sample(problem, samples, calc_second_order=False, seed=seed))
    rows = list(zip(*(law.at(shares[:, k]) for k, law in enumerate(laws)), strict=True))
    study = sweep(system, {tuple(names): rows}, record=signals, **options)
    if study.failed:
        bad = study.failed[0]
        what = f"{len(study.failed)} of {len(study)} runs failed, which leaves no indices"
        raise SensitivityFailed(f"{what}; run {bad.number}: {bad.reason}", study)
    tables: list[dict[str, dict[str, float]]] = [{}, {}, {}, {}]
    for signal in signals:
        values = reduced(study[signal], at)
        if not np.ptp(values) > 1e-12 * max(float(np.abs(values).max()), 1e-300):
            raise OptionError(f"'{signal}' ({at}) is the same in all runs: it has no variance")
        found = analysis.analyze(problem, values, calc_second_order=False, seed=seed)
        for table, key in zip(tables, ("S1", "ST", "S1_conf", "ST_conf"), strict=True):
            table[signal] = dict(zip(names, map(float, found[key]), strict=True))
    first, total, first_error, total_error = tables
    return SobolSensitivity(first, total, first_error, total_error, study)


def _law(name: str, given: Any) -> Distribution:
    if isinstance(given, Distribution) and not isinstance(given, type):
        return given
    if isinstance(given, tuple | list) and len(given) == 2:
        return Uniform(*given)
    example = f"to={{'{name}': (500, 5000)}}"
    raise OptionError(f"Sobol' indices need a range or a distribution for '{name}', {example}")
