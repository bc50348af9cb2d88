"""A long run that could be native, and is not."""

from __future__ import annotations

from math import ceil

from ..assembly.native_decision import NativeDecision
from ..controllers.base import Controller
from ..controllers.fixed_step import FixedStep

LONG = 100_000  # windows times parts: some seconds from Python, some milliseconds natively


def missed(native: NativeDecision, controller: Controller, span: float, parts: int) -> str:
    """What to say before a run for which one small change would do; mostly nothing.

    The windows are counted beforehand, so that the same run always says the same.
    """
    if native.level == "windows" or not native.change or not isinstance(controller, FixedStep):
        return ""
    windows = ceil(span / controller.size)
    if windows * parts < LONG:
        return ""
    return (
        f"{windows} windows go from Python, because {native.reasons}; they would run natively, "
        f"much faster, with this change: {native.change}"
    )
