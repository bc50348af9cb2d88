"""Runs on the workers of a Dask cluster: who schedules them, and moves them, is Dask.

A worker that dies takes the runs along that it was at. Dask gives them to others, and after some
deaths to nobody: then each of them is tried once more alone, so that the one that ends its worker
is told from those that were beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic

from ..core.errors import OptionError, RunError
from ..results.files.needs import need
from .outcome import RunOutcome
from .worker import Task

_AHEAD = 4  # runs for each thread that are handed out at a time


class ClusterFailed(RunError):
    """The cluster does not make runs any more; what was kept is there."""


def is_client(engine: Any) -> bool:
    """Whether this is a `dask.distributed.Client`, without importing Dask to find out."""
    return any(
        cls.__name__ == "Client" and cls.__module__.partition(".")[0] == "distributed"
        for cls in type(engine).__mro__
    )


def check_engine(engine: Any, jobs: int | None, limit: float | None) -> None:
    """Refuse whatever makes no runs."""
    if isinstance(engine, str) and engine == "local":
        return
    if not is_client(engine):
        way = "'local' or a dask.distributed.Client"
        raise OptionError(f"engine is {way}, not {engine!r}")
    need("distributed", "dask")
    need("cloudpickle", "dask")
    for name, given in (("jobs", jobs), ("time_limit", limit)):
        if given is not None:
            raise OptionError(f"{name}= is for processes of this machine; the cluster decides that")


class DaskEngine(Generic[Task]):
    """Makes runs on the workers of a client."""

    def __init__(self, client: Any, run: Callable[[Task], RunOutcome]) -> None:
        import cloudpickle

        self._client = client
        try:
            block: bytes = cloudpickle.dumps(run)
        except Exception as error:  # whatever a model holds that cannot travel
            what = f"this system cannot be sent to other machines ({error})"
            raise OptionError(f"{what}; run it here, engine='local'") from error
        self._block = block  # in each task: what is scattered is gone with its workers

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, RunOutcome]]:
        """Every run, in the order in which they end."""
        from distributed import as_completed

        waiting, suspects = iter(tasks), list[Task]()
        threads = sum(self._client.nthreads().values()) or 1
        first = [
            self._submit(task) for task, _ in zip(waiting, range(_AHEAD * threads), strict=False)
        ]
        pending: dict[Any, Task] = {future: task for future, task in first}
        queue: Any = as_completed(list(pending))  # type: ignore[no-untyped-call]
        try:
            for future in queue:
                task = pending.pop(future)
                found = self._ended(future)
                if found is None:
                    suspects.append(task)
                else:
                    yield task, found
                for more in waiting:
                    another, _ = self._submit(more)
                    pending[another] = more
                    queue.add(another)
                    break
            for task in suspects:
                future, _ = self._submit(task)
                pending = {future: task}
                found = self._ended(future)
                pending = {}
                yield task, found or RunOutcome("crashed", "its worker was ended, twice")
        finally:
            for future in pending:
                future.cancel()

    def _submit(self, task: Task) -> tuple[Any, Task]:
        return self._client.submit(_made, self._block, task, pure=False), task

    def _ended(self, future: Any) -> RunOutcome | None:
        """What became of a run; None where its workers died."""
        from distributed import CancelledError, KilledWorker

        try:
            found = future.result()
        except (KilledWorker, CancelledError) as error:
            if self._client.status != "running":
                raise ClusterFailed(f"the cluster makes no more runs: {error}") from None
            return None
        assert isinstance(found, RunOutcome)
        return found


_KNOWN: dict[int, Callable[[Any], RunOutcome]] = {}  # of a worker: one study at a time


def _made(block: bytes, task: Any) -> RunOutcome:
    """On a worker: one run. What is run is unpacked once."""
    import cloudpickle

    key = hash(block)
    if key not in _KNOWN:
        _KNOWN.clear()
        _KNOWN[key] = cloudpickle.loads(block)
    return _KNOWN[key](task)
