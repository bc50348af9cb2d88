"""The states of a part in a sandbox: whether its library survives that they are saved and set.

Elsewhere a copy of the process finds that out. A sandbox makes no copies: there it is tried where
the part lives, which costs its host if it crashes, and a further run does not ask it to.
"""

from __future__ import annotations

from typing import Any

from ..subsystems.foreign import SupportsDoubt
from .failed import HostFailed
from .host import Host, PartsHost
from .proxy import Hosted

_CRASHES = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT")


def try_out(part: Hosted, method: str, *asked: Any) -> None:
    """Ask for what saves a state for the first time, and see how that ends."""
    part.is_tried = True
    try:
        part.demand("saving its state", method, part.number, *asked)
    except HostFailed as error:
        if error.signal in _CRASHES and isinstance(part.model, SupportsDoubt):
            flaw = f"its library crashes when its state is set ({error.signal})"
            part.model.doubt_rollback(flaw)
            error.reason = f"{flaw}; a further run does not ask it to"
            error.learned = {"rollback": flaw}
        raise


def needs_trial(model: Any, host: PartsHost) -> bool:
    """Whether it has to be tried there."""
    is_caged = isinstance(host, Host) and host.options.sandbox
    return is_caged and isinstance(model, SupportsDoubt)
