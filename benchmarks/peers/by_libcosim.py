"""libcosim, through libcosimpy."""

from __future__ import annotations

from .case import Case
from .peer import Peer, Run, importable


class Libcosim(Peer):
    """Its fixed-step algorithm: Jacobi. Times are whole nanoseconds."""

    name = "libcosim"
    distribution = "libcosimpy"

    def missing(self) -> str | None:
        return importable("libcosimpy", "libcosimpy.CosimExecution")

    def open(self, case: Case, record: str | None = None) -> Run:
        return _Execution(case, record)


class _Execution(Run):
    def __init__(self, case: Case, record: str | None) -> None:
        from libcosimpy.CosimExecution import CosimExecution
        from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
        from libcosimpy.CosimObserver import CosimObserver
        from libcosimpy.CosimSlave import CosimLocalSlave

        log_output_level(CosimLogLevel.FATAL)
        nanoseconds = round(1e9 * case.step)
        assert nanoseconds * 1e-9 == case.step, "a step that libcosim cannot tell"
        self.execution = CosimExecution.from_step_size(nanoseconds)
        # an execution refers to its parts and does not keep them alive
        self.slaves = {
            n: CosimLocalSlave(fmu_path=p, instance_name=n) for n, p in case.parts.items()
        }
        places = {n: self.execution.add_local_slave(s) for n, s in self.slaves.items()}
        known: dict[str, dict[str, int]] = {}
        references: dict[str, dict[str, int]] = {}
        for name, path in case.parts.items():
            if path not in known:
                found = self.execution.slave_variables(places[name])
                known[path] = {v.name.decode(): v.reference for v in found}
            references[name] = known[path]
        for part, values in case.values.items():
            for parameter, value in values.items():
                reference = references[part][parameter]
                assert self.execution.real_initial_value(places[part], reference, value)
        for a, out, b, into in case.wires:
            self.execution.connect_real_variables(
                places[a], references[a][out], places[b], references[b][into]
            )
        self.observer = CosimObserver.create_last_value()
        self.execution.add_observer(self.observer)
        if record is not None:
            self.files = CosimObserver.create_to_dir(record)
            self.execution.add_observer(self.files)
        self.watching = [(places[p], [references[p][o]]) for p, o in case.watched]
        self.execution.step(0)

    def advance(self, windows: int) -> None:
        assert self.execution.step(windows)

    def watched(self) -> list[float]:
        return [self.observer.last_real_values(part, refs)[0] for part, refs in self.watching]
