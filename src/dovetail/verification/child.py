"""A companion in a process of its own, made before anything of the run lives."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..run.session import Session
from .companion import CompanionOutcome


class CompanionProcess:
    """Runs beside the main run and hides behind it; where no process can be made, after it."""

    def __init__(self, run: Callable[[], CompanionOutcome]) -> None:
        self._run, self._pid, self._path = run, 0, Path()
        if hasattr(os, "fork") and (os.cpu_count() or 1) > 1:
            self._fork()

    def attach(self, session: Session) -> None:
        """It goes on beside it, on its own."""

    def outcome(self) -> CompanionOutcome:
        """What it found; waits for it."""
        if not self._pid:
            return self._run()
        try:
            _, status = os.waitpid(self._pid, 0)
            self._pid = 0
            if status != 0 or not self._path.stat().st_size:
                return CompanionOutcome(failure="its process ended without an answer")
            found: CompanionOutcome = pickle.loads(self._path.read_bytes())  # our own
            return found
        finally:
            self.close()

    def close(self) -> None:
        """End it, finished or not."""
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0
        if self._path.name:
            self._path.unlink(missing_ok=True)

    def _fork(self) -> None:
        handle, name = tempfile.mkstemp(prefix="dovetail-companion-")
        os.close(handle)
        self._path = Path(name)
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of notebooks
            self._pid = os.fork()
        if self._pid == 0:
            _answer(self._run, self._path)


def _answer(run: Callable[[], CompanionOutcome], path: Path) -> Any:
    """In the child: run, write, and be gone without running anybody's clean-up."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # looking through what was there before would copy its pages
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        path.write_bytes(pickle.dumps(run()))
        code = 0
    finally:
        os._exit(code)
