"""A bar for notebooks: one line of output that is written again and again."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from ..core.markup import escaped


class NotebookBar:
    """How far a run has come, shown below its cell and taken away at the end."""

    def __init__(self, title: str, total: float) -> None:
        self._total, self._began = total, perf_counter()
        self._handle: Any = None
        self._said, self._description = (0.0, 0, ""), title

    def start(self) -> None:
        """Show it."""
        from IPython import display

        notebook: Any = display
        self._handle = notebook.display(_Line(""), display_id=True)

    def update(
        self,
        task: Any,
        *,
        completed: float | None = None,
        windows: int = 0,
        at: str = "",
        description: str | None = None,
    ) -> None:
        """Say where the run is, or what it does; there is but one task."""
        if completed is not None:
            self._said = completed, windows, at
        self._description = self._description if description is None else description
        completed, windows, at = self._said
        share = completed / self._total if self._total > 0 else 1.0
        left = (perf_counter() - self._began) * (1 - share) / share if share > 0 else 0.0
        bar = f"<progress value='{share:.4f}' max='1' style='width:16em'></progress>"
        text = f"{self._description} {at}, {windows:,} windows, about {_duration(left)} to go"
        self._show(_Line(f"{bar} {escaped(text)}", text))

    def stop(self) -> None:
        """Take it away."""
        self._show(_Line(""))

    def _show(self, line: _Line) -> None:
        if self._handle is not None:  # a kernel that cannot write a line again gives none
            self._handle.update(line)


class _Line:
    """HTML for those who can show it, text for the others."""

    def __init__(self, html: str, text: str = "") -> None:
        self._html, self._text = html, text

    def _repr_html_(self) -> str:
        return f"<div>{self._html}</div>"

    def __repr__(self) -> str:
        return self._text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
