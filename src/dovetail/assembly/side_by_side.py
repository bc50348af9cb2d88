"""Parts on other machines, asked at the same time: each waits for its own, and nobody in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from ..hosts.proxy import Hosted
from ..machines.remote_use import RemoteUse
from ..machines.restarting_use import RestartingUse
from ..subsystems.live import Live

Found = TypeVar("Found")
_MOST = 256  # threads


class SideBySide:
    """Asks parts on different connections at once. What is found does not depend on the order."""

    def __init__(self, subsystems: Sequence[Live]) -> None:
        self._uses: dict[int, RemoteUse] = {}
        self.restarting = [  # those that go on elsewhere if their machine is lost
            live.subsystem.host
            for live in subsystems
            if isinstance(live.subsystem, Hosted) and isinstance(live.subsystem.host, RestartingUse)
        ]
        early = any(s.capabilities.can_return_early for s in subsystems)
        for i, live in enumerate(subsystems):
            part = live.subsystem
            if not early and isinstance(part, Hosted) and isinstance(part.host, RemoteUse):
                self._uses[i] = part.host
        if len(self._uses) < 2:
            self._uses = {}
        self._pool: ThreadPoolExecutor | None = None

    def asked(
        self, parts: Sequence[int], ask: Callable[[int], Found]
    ) -> dict[int, Callable[[], Found]]:
        """For those on other machines how to hear the answer, which has been asked for."""
        there = [i for i in parts if i in self._uses] if self._uses else []
        if len(there) < 2:
            return {}
        if self._pool is None:
            most = min(len(self._uses), _MOST)
            self._pool = ThreadPoolExecutor(most, thread_name_prefix="dovetail-asks")
        return {i: self._hear(self._pool.submit(ask, i)) for i in there}

    @property
    def restarts(self) -> dict[str, int]:
        """How often parts went on elsewhere, by name."""
        return {use.part: use.restarts for use in self.restarting if use.restarts}

    def close(self) -> None:
        """Nothing is asked any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _hear(self, future: Future[Found]) -> Callable[[], Found]:
        def heard() -> Found:
            try:
                return future.result()
            except KeyboardInterrupt:  # others may be in the midst of an answer
                for use in self._uses.values():
                    use.forsake("Ctrl-C came while it was asked")
                raise

        return heard
