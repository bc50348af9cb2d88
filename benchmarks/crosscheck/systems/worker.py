"""One system in a process of its own: it may crash, hang, or leave anything behind.

Reads one JSON object from standard input: the file, and whether to run it by itself or beside a
plain loop. Tells on standard output what became of it, one JSON object a line.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv

from ..files import Rows
from ..measure import distance
from . import plain_loop
from .files import SystemFile, merged

WINDOWS, SIZE = 100, 0.01  # beside a plain loop, where the file says no size


def main() -> None:
    asked = json.load(sys.stdin)
    told = os.dup(1)
    os.dup2(2, 1)  # FMUs write to standard output

    def tell(**facts: Any) -> None:
        os.write(told, (json.dumps(facts) + "\n").encode())

    file = SystemFile(Path(asked["path"]), Path(asked["checkout"]), asked["kind"])
    try:
        system = _opened(file)
        tell(opened=True, parts=len(system.parts))
        reference = file.reference
        if reference is not None:
            loop = _same_loop(system, reference[0])
            made = _run(system, reference[0])
            found = _beside(made, *reference)
            tell(ran=True, **found)
            off = None if loop is None else distance(made, loop)
            if off is not None:
                tell(from_loop=off.deviation)
        else:
            _looped(system, tell)
    except plain_loop.NoLoop as error:
        tell(alone=f"nothing to compare with: {error}")
    except Exception as error:
        tell(error=_short(error, file))
    os._exit(0)  # some FMUs do not survive their own clean-up


def _opened(file: SystemFile) -> dv.System:
    warnings.simplefilter("ignore")
    path, data = file.path, merged(file)
    if data is not None:
        path = file.path.with_name("dovetail-merged.json")
        path.write_text(json.dumps(data))
    try:
        return dv.open(path, unsupported="warn")
    finally:
        if path != file.path:
            path.unlink(missing_ok=True)


def _run(system: dv.System, reference: Rows) -> Rows:
    """To its own end, or that of the reference."""
    stop = system.run_settings.stop or float(reference.time[-1])
    return _rows(dv.simulate(system, stop=min(stop, float(reference.time[-1])), quiet=True))


def _same_loop(system: dv.System, reference: Rows) -> Rows | None:
    """The same run as a plain loop, where that is what the file asks for."""
    run = system.run_settings
    if not isinstance(run.controller, dv.FixedStep) or run.algorithm != dv.Jacobi():
        return None
    start, size = run.start or 0.0, run.controller.size
    windows = round((min(run.stop or np.inf, float(reference.time[-1])) - start) / size)
    with contextlib.suppress(plain_loop.NoLoop):
        return plain_loop.run_apart(system, start, size, windows)
    return None


def _looped(system: dv.System, tell: Any) -> None:
    """The first windows, beside a plain loop."""
    run = system.run_settings
    size, start = getattr(run.controller, "size", SIZE), run.start or 0.0
    loop: Rows | plain_loop.NoLoop
    try:
        loop = plain_loop.run_apart(system, start, size, WINDOWS)
    except plain_loop.NoLoop as error:
        loop = error
    try:
        result = dv.simulate(
            system,
            start=start,
            stop=start + WINDOWS * size,
            algorithm=dv.Jacobi(),
            controller=dv.FixedStep(size),
            record="*",
            recorder=dv.Memory(),
            quiet=True,
        )
    except dv.RunError as error:
        tell(error=f"{_first(error)}; {_also(loop)}")
        return
    tell(ran=True)
    if isinstance(loop, plain_loop.NoLoop):
        raise loop
    tell(**_beside(_rows(result), loop, "a plain loop over FMPy"))


def _also(loop: Rows | plain_loop.NoLoop) -> str:
    """What a plain loop makes of a system that fails here."""
    if isinstance(loop, plain_loop.NoLoop):
        return f"in a plain loop over FMPy: {loop}"
    fine = all(np.isfinite(values).all() for values in loop.columns.values())
    return f"a plain loop over FMPy {'does not fail' if fine else 'returns NaN as well'}"


def _short(error: Exception, file: SystemFile) -> str:
    """The first problem, without the folders of this machine."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines[:2]) if lines and lines[0].endswith(":") else (lines or [""])[0]
    text = text.replace(f"{file.checkout}/", "")
    return re.sub(r"(?<![\w.])/[^\s:']*/", "", text)  # the cache that SSPs are unpacked into


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _rows(result: dv.Result) -> Rows:
    columns = {}
    for name in result.names:
        values = np.asarray(result[name])
        if values.ndim == 1 and values.dtype.kind in "bifu":
            columns[name] = values.astype(float)
    return Rows(np.asarray(result.time), columns)


def _beside(run: Rows, reference: Rows, whose: str) -> dict[str, Any]:
    off = distance(run, reference)
    if off is None:
        return {"alone": "no variable in common with what it is compared with"}
    return {"whose": whose, "off": asdict(off)}


if __name__ == "__main__":
    main()
