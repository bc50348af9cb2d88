"""A run whose parts may crash, exit or hang: it is reported, and Ctrl-C gets through."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from .failures import FAILED
from .guard import board_for, said
from .streams import remark

_PATIENCE = 1.0  # seconds after Ctrl-C until something is said
_STUCK = "waiting for the call that is running; press Ctrl-C again to end at once"


@contextmanager
def watched(output: Path | None = None, *, hint: str = "") -> Iterator[None]:
    """Be there while parts run; `output` is where rows go, `hint` what to do about a crash."""
    kept = f"dv.read('{output}') reads what was recorded until then" if output else ""
    with _against_crashes(kept, hint), _against_hanging(kept):
        yield


@contextmanager
def _against_crashes(kept: str, hint: str) -> Iterator[None]:
    """Let the kernel name the FMUs that were alive, if there are any."""
    native: Any = None
    if "dovetail.fmi.kernel" in sys.modules:
        from ..fmi.kernel import kernel

        native = kernel()
    if native is None:
        yield
        return
    board_for(native)
    more = f"; {kept}" if kept else "; nothing was recorded to a file"
    native.dt_watch(f"{more}{hint and '; '}{hint}".encode())
    try:
        yield
    finally:
        native.dt_watch(None)


@contextmanager
def _against_hanging(kept: str) -> Iterator[None]:
    """End the process at the second Ctrl-C, if the first one did not get through.

    Python handles it between two of its own steps. Inside a call of an FMU it takes none, but
    other threads do.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    receiver, sender = os.pipe()
    if hasattr(os, "set_blocking"):  # Python 3.11 on Windows has none
        os.set_blocking(sender, False)
    before = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(receiver, kept), daemon=True).start()
    try:
        yield
    finally:
        with suppress(OSError, ValueError):  # an FMU may have closed it
            signal.set_wakeup_fd(before)
            os.close(sender)  # which ends the thread


def _listen(receiver: int, kept: str) -> None:
    stuck: tuple[int, int] | None = None
    pressed = 0.0
    while received := _heard(receiver):
        if received[0] != signal.SIGINT:
            continue
        here, now = _place(), monotonic()
        if stuck == here and now - pressed >= _PATIENCE:
            remark(f"ended inside a call that was running{f'; {kept}' if kept else ''}", fg="red")
            sys.stderr.flush()
            said()
            os._exit(FAILED)
        if stuck == here:
            continue  # twice in a hurry: a step may take that long
        stuck, pressed = here, now
        threading.Timer(_PATIENCE, _hint, [here]).start()
    with suppress(OSError):
        os.close(receiver)


def _heard(receiver: int) -> bytes:
    """The next signal; nothing if there will be none, as where an FMU has closed this."""
    try:
        return os.read(receiver, 1)
    except OSError:
        return b""


def _place() -> tuple[int, int]:
    """Where the main thread is: the same twice means that it has not moved."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    return (id(frame), frame.f_lasti) if frame is not None else (0, 0)


def _hint(before: tuple[int, int]) -> None:
    if _place() == before:
        remark(_STUCK)
