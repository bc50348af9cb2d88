"""A live plot in a notebook: one output that is replaced."""

from __future__ import annotations

from typing import Any

from .frame import LiveFrame
from .vector import svg


class NotebookScreen:
    """Shows a small vector picture, and updates it in its place."""

    takes_terminal = False

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, frame: LiveFrame) -> None:
        """Draw in the place of the last picture."""
        import IPython.display as ipython

        drawn = svg(frame)
        shown = {"text/html": f"<div>{drawn}</div>", "image/svg+xml": drawn}
        if self._handle is None:
            display: Any = ipython.display
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def close(self, frame: LiveFrame | None) -> None:
        """Draw for the last time; it stays in the notebook."""
        if frame is not None:
            self.show(frame)
