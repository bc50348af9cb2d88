"""Dovetail itself."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import dovetail as dv

from .case import Case
from .peer import ENOUGH, Peer, Run, slope


class Dovetail(Peer):
    """Jacobi with fixed windows, held inputs: what every peer can do."""

    name = "Dovetail"
    distribution = "dovetail"
    versions: ClassVar[tuple[int, ...]] = (2, 3)
    algorithm: ClassVar[Any] = dv.Jacobi()

    def missing(self) -> str | None:
        return None

    def open(self, case: Case, record: str | None = None) -> Run:
        raise NotImplementedError  # a session runs to its stop

    def session(self, case: Case, windows: int, record: str) -> dv.Session:
        return dv.Session(
            drawing(case),
            stop=case.step * windows,
            algorithm=self.algorithm,
            controller=dv.FixedStep(case.step),
            record=record,
            quiet=True,
        )

    def series(self, case: Case, windows: int) -> list[list[float]]:
        with self.session(case, windows, "*") as session:
            result = session.run()
        columns = [result[f"{part}.{output}"].tolist() for part, output in case.watched]
        return [list(row) for row in zip(*columns, strict=True)]

    def cost(self, case: Case, record: str | None = None) -> tuple[float, float]:
        """The slope between a run and one three times as long, from the least of each."""
        first = ".".join(case.watched[0])
        what = first if record is None else [".".join(pair) for pair in case.watched]
        setups: list[float] = []

        def seconds(windows: int) -> float:
            begin = time.process_time()
            with self.session(case, windows, what) as session:
                setups.append(time.process_time() - begin)
                begin = time.process_time()
                session.run()
                return time.process_time() - begin

        windows = 64
        while seconds(windows) < ENOUGH:
            windows *= 2
        found = slope(seconds, windows)
        return setups[0], found


def drawing(case: Case) -> dv.System:
    """The case as a system."""
    system = dv.System(case.name)
    models = {path: dv.load(path) for path in dict.fromkeys(case.parts.values())}
    for name, path in case.parts.items():
        system.add(name, models[path], **case.values.get(name, {}))
    for a, out, b, into in case.wires:
        system.connect(f"{a}.{out}", f"{b}.{into}")
    return system
