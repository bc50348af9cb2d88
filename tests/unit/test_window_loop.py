"""The loop over windows: whose turn it is, native code's or Python's."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from dovetail.run.window_loop import WindowLoop


class _Fused:
    """Native code that makes some windows, and leaves the one behind them undecided."""

    is_stuck = False
    undecided = False

    def __init__(self, made: list[str]) -> None:
        self._made = made

    def rests(self) -> bool:
        return False

    def windows(self, recording: Any) -> int:
        self._made.append("native")
        self.undecided = True
        return 3


def _loop(made: list[str]) -> WindowLoop:
    stepper: Any = SimpleNamespace(
        advance=lambda: made.append("python") or (),
        improved=None,
        is_watched=False,
        assembly=SimpleNamespace(committed=lambda: None),
    )
    journal: Any = SimpleNamespace(see=lambda *given: None, recording=None)
    native: Any = SimpleNamespace(schedule=None, lock_step=None)
    loop: Any = WindowLoop(stepper, journal, nullcontext(), native)  # type: ignore[arg-type]
    loop._fused = _Fused(made)
    return loop


def test_an_undecided_window_waits_until_the_run_was_asked_whether_it_ended() -> None:
    """A part may have asked to end the run in the windows before: then it must not be made."""
    made: list[str] = []
    loop = _loop(made)
    loop.many()
    assert made == ["native"]


def test_the_window_left_undecided_is_made_from_python_and_only_that_one() -> None:
    made: list[str] = []
    loop = _loop(made)
    for _ in range(4):
        loop.many()
    assert made == ["native", "python", "native", "python"]


def test_windows_that_a_controller_must_see_are_made_from_python() -> None:
    made: list[str] = []
    loop: Any = _loop(made)
    loop._stepper.is_watched = True
    for _ in range(2):
        loop.many()
    assert made == ["python", "python"]
