"""What parts of Python functions have in common."""

from __future__ import annotations

from typing import Any

from ..core import codec
from ..fmi.native.answering import AnswersAsFmu


class PythonPart:
    """A part with nothing outside Python to give back, whose snapshots are plain values."""

    native_part: AnswersAsFmu | None = None  # what native windows know it by, if they take it

    def close(self) -> None:
        """Nothing is held."""

    def snapshot(self) -> Any:
        """A handle on the present state."""
        raise NotImplementedError

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        raise NotImplementedError

    def dump(self) -> bytes:
        """The present state as bytes."""
        return codec.encode(self.snapshot())

    def load(self, state: bytes) -> None:
        """Take over a state that was dumped."""
        self.restore(codec.decode(state))
