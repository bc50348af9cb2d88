"""Starting a process of the studio: what it is given, and how its end is told."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..core.errors import DovetailError, ModelError
from ..core.harmless import harmless
from ..hosts.travel import packed
from .control import Line

_SHOWN = 4000  # bytes of what a process said last


class StudioChild:
    """A process that does one job; its messages are on `line`."""

    def __init__(self, kind: str, given: Mapping[str, Any], folder: Path, said: IO[bytes]) -> None:
        data = _packed((kind, os.getpid(), dict(given)))
        ours, theirs = socket.socketpair()
        self._said = said
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "dovetail.studio.child", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip
        finally:
            theirs.close()
        self.line = Line(ours)
        threading.Thread(target=self._bury, daemon=True).start()
        with suppress(OSError):  # it is gone already, which is told by its end
            self.line.send_job(data)

    @property
    def process_id(self) -> int:
        """The number of its process."""
        return self._process.pid

    def wait(self, timeout: float | None = None) -> str:
        """How it ended, where it did not end well; it is killed if that takes too long."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        if code < 0:
            if -code == signal.SIGKILL:
                return "killed (SIGKILL)"
            name = signal.strsignal(-code) or f"signal {-code}"
            return f"ended by {_article(name.lower())} ({signal.Signals(-code).name})"
        return "" if code == 0 else f"ended with exit code {code}"

    def release(self) -> None:
        """Hang up, and forget what it said."""
        self.line.close()
        self._said.close()

    def kill(self) -> None:
        """End it and all that it started."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def _bury(self) -> None:
        """When it is gone, end what it has started: that holds the other end of the line."""
        self._process.wait()
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def last_words(self) -> str:
        """What it wrote to its terminal last."""
        with suppress(OSError, ValueError):
            self._said.flush()
            size = self._said.seek(0, os.SEEK_END)
            self._said.seek(max(0, size - _SHOWN))
            return harmless(self._said.read().decode("utf-8", "replace")).strip()
        return ""


def _packed(job: Any) -> bytes:
    try:
        return packed("this drawing", job)
    except ModelError as error:
        what = str(error).partition(": its model does not travel there, ")[2].partition(";")[0]
        raise ModelError(
            f"this drawing cannot be run by the studio, because a model in it cannot be handed to "
            f"another process: {what or error}"
        ) from error
    except (pickle.PicklingError, TypeError) as error:
        if isinstance(error, DovetailError):
            raise
        raise ModelError(f"this drawing cannot be handed to another process: {error}") from error


def _article(word: str) -> str:
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"
