"""The way into the command line: before anything of it is loaded."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from .guard import answered, guard, said


def main() -> int:
    """Load the command line and do what the arguments say; the exit code.

    Loading takes some tenths of a second: Ctrl-C ends it with a sentence, from wherever it is.
    """
    guard(sys.argv[1:])
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    try:
        from .main import main as command
    finally:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, before)
    code = command()
    answered()
    return code


def _interrupted(number: int, frame: Any) -> None:
    """Nothing has begun, so there is nothing to be closed."""
    sys.stderr.write("dovetail: interrupted; nothing was computed\n")
    sys.stderr.flush()
    said()
    os._exit(1)
