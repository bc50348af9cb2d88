"""How a drawing is meant to be run, after parts of it became a group or came out of one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from ..drawing.run_settings import RunSettings


def settings_by(
    settings: RunSettings,
    change: Callable[[str], str],
    inside: Collection[str],
    group: str = "",
    members: Sequence[str] = (),
) -> RunSettings:
    """Settings whose names of signals follow; what was said of parts now inside is gone."""
    found = settings.renamed(lambda part: None if part in inside or part == group else part)
    if settings.record is None:
        return found
    given = settings.record.split(",") if isinstance(settings.record, str) else settings.record
    patterns = list[str]()
    for text in (t.strip() for t in given):
        if group and text == f"{group}.*":
            patterns += [f"{m}.*" for m in members]
        elif group and text.startswith(f"{group}."):
            exact = change(text)
            patterns.append(exact if exact != text else text.removeprefix(f"{group}."))
        else:
            patterns.append(change(text))
    return replace(found, record=tuple(patterns))
