"""A process that watches over a command: one that ends without its answer is no success.

An FMU may end the process from inside in ways that nothing there can see: `_exit(0)`, a crash in a
library that is being loaded, the want of memory. So the command runs in a copy of the process, made
before anything is loaded, and the first one waits for it, passes signals on, and ends as it did.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

GUARDED = frozenset(["run", "check", "analyze", "sweep"])  # they may run code of FMUs here
_CULPRIT = {
    "run": "--isolate gives each FMU a process of its own, and names the one that crashes",
    "check": "--isolate gives each FMU a process of its own, and names the one that crashes",
    "analyze": "'dovetail validate' gives an FMU a process of its own",
    "sweep": "runs are made in processes of their own unless --jobs is 0",
}
_DIE_WITH_PARENT = 1  # of prctl
_OTHERS = ("SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")  # not every system has all of them
_PASSED_ON = {signal.SIGINT, signal.SIGTERM} | {s for s in signal.Signals if s.name in _OTHERS}
_MEANT = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE")  # from outside, and on purpose
_ANSWERED, _SAID = 0, 1  # places on the board


class _Board:
    """What the two processes share: whether there was an answer, or something was said."""

    shared: Any = None


def guard(arguments: Sequence[str]) -> None:
    """Go on in a process that is watched over, where that is wanted and possible."""
    command = next((word for word in arguments if not word.startswith("-")), "")
    if sys.platform != "linux" or command not in GUARDED:
        return
    board = mmap.mmap(-1, mmap.PAGESIZE)
    heard = {*_PASSED_ON, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    parent = os.getpid()
    try:
        watched = os.fork()
    except OSError:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    if watched:
        _wait(watched, heard, board, command)
    _die_with(parent)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _Board.shared = board


def answered() -> None:
    """The command has come to its end."""
    if _Board.shared is not None:
        _Board.shared[_ANSWERED] = 1


def said() -> None:
    """It is about to end the process, and has said why."""
    if _Board.shared is not None:
        _Board.shared[_SAID] = 1


def board_for(native: Any) -> None:
    """Let native code note that it has said something."""
    if _Board.shared is not None:
        import ctypes

        native.dt_watch_board(ctypes.addressof(ctypes.c_char.from_buffer(_Board.shared, _SAID)))


def culprit_hint(command: str) -> str:
    """What to do about a crash, where it can be done."""
    from ..hosts.process import can_isolate

    return _CULPRIT[command] if can_isolate() else ""


def _die_with(parent: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _wait(watched: int, heard: set[Any], board: mmap.mmap, command: str) -> NoReturn:
    """Until it has ended; then end in the same way."""
    while True:
        found = signal.sigwaitinfo(heard)
        if found.si_signo != signal.SIGCHLD:
            if found.si_code <= 0:  # from a process; a terminal tells both by itself
                with suppress(OSError):
                    os.kill(watched, found.si_signo)
            continue
        ended, status = os.waitpid(watched, os.WNOHANG)
        if ended:
            break
    when = "on its way out, after the answer" if board[_ANSWERED] else "before it had an answer"
    if os.WIFSIGNALED(status):
        name = _named(os.WTERMSIG(status))
        if not board[_SAID] and name not in _MEANT:
            _say(f"the process was ended by {name} {when}", command)
        _end_by(os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    if not board[_SAID] and not board[_ANSWERED]:
        _say(f"the process left with exit code {code} {when}", command)
    os._exit(code if board[_ANSWERED] else code or 1)


def _say(what: str, command: str) -> None:
    with suppress(OSError):
        text = f"dovetail: {what}: an FMU may have done that; {_CULPRIT[command]}\n"
        os.write(2, text.encode())


def _named(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end_by(number: int) -> NoReturn:
    """End by the same signal, without a second core file."""
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError, ValueError):  # SIGKILL has no handler
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(1)
