"""The same run by FMPy, with the same step: is it the FMU, or is it us?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .files import KINDS, Case, Rows
from .settings import Setting

_DTYPES = {"Real": np.float64, "Boolean": np.bool_}  # all others are integers


def run(case: Case, how: Setting, loaded: Callable[[], None]) -> Rows:
    """Its outputs over time."""
    from fmpy import read_model_description, simulate_fmu

    known = read_model_description(str(case.path), validate=False)
    variables = {v.name: v for v in known.modelVariables}
    wanted = list(case.reference.columns) if case.reference is not None else []
    step = how.step_of(case)
    loaded()
    found = simulate_fmu(
        str(case.path),
        model_description=known,
        validate=False,
        fmi_type="CoSimulation" if KINDS[case.kind] == "co-simulation" else "ModelExchange",
        start_time=case.start,
        stop_time=how.stop or case.stop,
        output_interval=step,
        relative_tolerance=how.tolerance,
        start_values=dict(how.values),
        input=_signals(how.inputs_for(case), variables),
        output=[n for n in wanted if n in variables] or None,
    )
    time, *names = found.dtype.names
    return Rows(found[time], {n: found[n] for n in names})


def _signals(given: Rows | None, variables: dict[str, Any]) -> Any:
    if given is None:
        return None
    names = [n for n in given.columns if n in variables]
    dtype: list[tuple[str, Any]] = [("time", np.float64)]
    dtype += [(n, _DTYPES.get(variables[n].type, np.int32)) for n in names]
    columns = [given.time, *(given.columns[n] for n in names)]
    return np.array(list(zip(*columns, strict=True)), dtype=dtype)
