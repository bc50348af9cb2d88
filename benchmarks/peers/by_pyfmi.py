"""PyFMI and its Master."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any, ClassVar

from .case import Case
from .peer import ENOUGH, STRETCHES, Peer, Run, importable, slope


class PyFMI(Peer):
    """Its master with constant extrapolation: Jacobi. A simulation runs to its end.

    It stores all variables of all parts after every window, or every so many windows: not
    recording means the last row only.
    """

    name = "PyFMI"
    distribution = "PyFMI"
    versions: ClassVar[tuple[int, ...]] = (2,)

    def missing(self) -> str | None:
        reason = importable("PyFMI", "pyfmi")
        return reason and f"{reason}; wheels are on conda-forge only"

    def release(self) -> str:
        import pyfmi

        return str(pyfmi.__version__)

    def open(self, case: Case, record: str | None = None) -> Run:
        raise NotImplementedError  # there is no going on after a run

    def series(self, case: Case, windows: int) -> list[list[float]]:
        parts, result, _, _ = simulate(case, windows, every=1)
        columns = [list(result[parts[part]][output]) for part, output in case.watched]
        return [list(map(float, row)) for row in zip(*columns, strict=True)]

    def cost(self, case: Case, record: str | None = None) -> tuple[float, float]:
        """The slope between a run and one three times as long, from the least of each."""
        setups: list[float] = []

        def seconds(windows: int) -> float:
            _, _, setup, spent = simulate(case, windows, every=windows if record is None else 1)
            setups.append(setup)
            return spent

        windows = 16
        while seconds(windows) < ENOUGH:
            windows *= 2
        repeats = STRETCHES if len(case.parts) < 100 else 1  # set-up is slow with many
        found = slope(seconds, windows, repeats)
        return min(setups), found


def simulate(case: Case, windows: int, every: int) -> tuple[dict[str, Any], Any, float, float]:
    """Parts, result, and seconds of process time: for loading, and for the run."""
    from pyfmi import load_fmu
    from pyfmi.master import Master

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # logs and results go where one stands
        try:
            begin = time.process_time()
            parts = {
                n: load_fmu(p, kind="CS", log_level=0, log_file_name=f"{n}.txt")
                for n, p in case.parts.items()
            }
            for part, values in case.values.items():
                for name, value in values.items():
                    parts[part].set(name, value)
            wires = [(parts[a], out, parts[b], into) for a, out, b, into in case.wires]
            master = Master(list(parts.values()), wires)
            options = master.simulate_options()
            options["step_size"] = case.step
            options["result_handling"] = "memory"
            options["block_initialization"] = True  # or inputs start with their own start values
            options["result_downsampling_factor"] = every
            middle = time.process_time()
            result = master.simulate(0.0, case.step * windows, options=options)
            return parts, result, middle - begin, time.process_time() - middle
        finally:
            os.chdir(before)
