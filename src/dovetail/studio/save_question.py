"""What has to be decided before a file is written, so that nothing is lost unasked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path

from ..core.errors import DovetailError

_COMMENT = re.compile(r"""^(?:[^"'#]|"[^"]*"|'[^']*'|(?<=\S)#)*?(?:^|\s)#""", re.MULTILINE)


class SaveQuestion(DovetailError):
    """Something to be decided before a file is written: `about`, and the question."""

    def __init__(self, about: str, text: str) -> None:
        super().__init__()
        self.about, self.text = about, text

    def __str__(self) -> str:
        return self.text


def ask_before(
    path: Path, before: Path | None, despite: Collection[str], *, is_changed: Callable[[], bool]
) -> None:
    """Ask what has to be decided; `before` is the file that is open."""
    if path != before and path.exists() and "exists" not in despite:
        raise SaveQuestion("exists", f"{path.name} is there already. Replace it?")
    if path != before:
        return
    if is_changed() and "changed" not in despite:
        what = f"{path.name} was changed by another program since it was opened."
        raise SaveQuestion("changed", f"{what} Replace what is there?")
    if path.suffix.lower() in (".yaml", ".yml") and "comments" not in despite:
        if not path.exists() or not _COMMENT.search(path.read_text("utf-8", "replace")):
            return
        what = f"{path.name} has comments, which are lost when it is saved."
        raise SaveQuestion("comments", f"{what} Save it all the same?")
