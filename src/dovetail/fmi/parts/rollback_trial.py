"""Whether the library of an FMU survives that its state is saved and set, tried in a child.

Some say that they can do it and crash, or answer with an error after which they cannot go on. A
copy of the process finds that out, before the first state is saved; the answer is kept with the
hash of the archive. Where processes cannot be copied, or an FMU is a link to a program that runs
elsewhere, nothing is tried; a sandbox makes no copies, but is there to be crashed in.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import warnings
from contextlib import suppress
from errno import EPERM
from time import monotonic, sleep

from ..archive.findings import IN_TRIAL
from ..calls.instance import CallFailed, Instance

_LONGEST = 5.0  # seconds: threads of the FMU are not there in the child, so it may wait for ever
_REFUSED = 3  # exit code
_SAID = 400  # bytes
_LACKS = "does not save and set its state"
_CRASHES = tuple(
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT")
    if hasattr(signal, name)
)


def flaw_of(instance: Instance) -> str:
    """What an instance does when its state is saved and set, if that is wrong; empty if not."""
    if sys.platform != "linux":
        return ""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, which the child does without
        try:
            child = os.fork()
        except OSError as error:
            os.close(reader)
            os.close(writer)
            return _tried_here(instance) if error.errno == EPERM else ""
    if not child:
        _try(instance, writer)
    os.close(writer)
    status = _ended(child)
    said = os.read(reader, _SAID).decode(errors="replace")
    os.close(reader)
    if status is None:
        return ""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in _CRASHES:
        name = signal.Signals(os.WTERMSIG(status)).name
        return f"{IN_TRIAL} crashes when its state is set ({name})"
    refused = os.WIFEXITED(status) and os.WEXITSTATUS(status) == _REFUSED
    return f"{IN_TRIAL} {_LACKS}: {said}" if refused else ""


def _tried_here(instance: Instance) -> str:
    """In a sandbox, which makes no copies: a crash costs its host, and its master goes by that."""
    try:
        _save_and_set(instance)
    except CallFailed as error:
        return f"{IN_TRIAL} {_LACKS}: {str(error)[:_SAID]}"
    return ""


def _save_and_set(instance: Instance) -> None:
    state = instance.snapshot()
    instance.restore(state)
    instance.restore(state)


def _try(instance: Instance, writer: int) -> None:
    """In the child: nothing of it comes back but how it ended."""
    code = 0
    try:
        faulthandler.disable()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        import resource  # there is none on Windows

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for sign in _CRASHES:
            signal.signal(sign, signal.SIG_DFL)
        _save_and_set(instance)
    except CallFailed as error:
        code = _REFUSED
        os.write(writer, str(error).encode()[:_SAID])
    finally:
        os._exit(code)


def _ended(child: int) -> int | None:
    """How the child ended; None if it had to be ended."""
    end, pause = monotonic() + _LONGEST, 1e-4
    while monotonic() < end:
        try:
            done, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:  # somebody else waits for children
            return None
        if done:
            return status
        sleep(pause)
        pause = min(2 * pause, 0.05)
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return None
