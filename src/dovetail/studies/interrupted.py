"""A study that was stopped by its user."""

from __future__ import annotations

from ..core.errors import RunError
from .study import Study


class StudyInterrupted(RunError, KeyboardInterrupt):
    """The user pressed Ctrl-C; `study` has the runs that were made."""

    def __init__(self, study: Study, done: int) -> None:
        super().__init__()
        self.study, self.done = study, done

    def __str__(self) -> str:
        kept = f"{self.done} of {len(self.study)} runs are kept"
        folder = self.study.store.folder
        if self.study.temporary:
            return f"interrupted; {kept} for this process only: store='folder' keeps them"
        return f"interrupted; {kept} in {folder}: the same call goes on from there"
