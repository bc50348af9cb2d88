"""YAML as data, with the line of everything, and without its dangers.

Built from the parser's events: no tags, so nothing is constructed; no aliases, so nothing grows;
a limit on size and depth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..core.errors import FileError
from ..core.guard import check_file
from .scalars import resolved
from .yaml_slips import slip_of

LARGEST = 10_000_000  # bytes of a file
DEEPEST = 50  # levels of nesting

Place = tuple[str | int, ...]
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Tree:
    """The data of a file, the line of each item, and keys given twice."""

    data: Any
    lines: dict[Place, int]
    doubles: list[tuple[int, str]] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of this item; steps that are not in the file are passed over."""
        found: Place = ()
        for step in place:
            if (*found, step) in self.lines:
                found = (*found, step)
        return self.lines.get(found, 1)


def read_text(path: Path) -> Tree:
    """A file as a tree."""
    check_file(path)
    try:
        if path.stat().st_size > LARGEST:
            what = f"this is too large for a drawing (more than {LARGEST / 1e6:g} MB)"
            raise FileError(path, what, "is it the right file?")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise FileError(path, f"it cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        what = f"this is not text in UTF-8 (byte {error.start})"
        raise FileError(path, what, "save it as UTF-8") from None
    return tree_of(text, str(path))


def tree_of(text: str, name: str) -> Tree:
    """A text as a tree; `name` is what messages call it."""
    builder = _Builder(name)
    try:
        for event in yaml.parse(text, Loader=_Parser):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        lines = text.splitlines()
        slip = slip_of(error, lines)
        raise FileError(
            f"{name}:{slip.line + 1}", f"this is not YAML: {slip.shown(lines)}"
        ) from None
    except yaml.YAMLError as error:
        place = getattr(error, "position", None)
        if place is None:
            what = str(error).splitlines()[0]
        else:  # a character that no text has
            line, code = text.count("\n", 0, place) + 1, ord(text[place : place + 1] or "?")
            what = f"line {line} has a character that cannot be seen (code {code}); take it out"
        raise FileError(name, f"this is not YAML: {what}") from None
    return Tree(builder.data, builder.lines, builder.doubles)


class _Builder:
    """Puts the tree together, event by event, on a stack of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: Any = None
        self.lines: dict[Place, int] = {}
        self.doubles: list[tuple[int, str]] = []
        self._open: list[Any] = []  # the containers around the present place
        self._place: list[str | int] = []  # one step for each of them
        self._key: str | None = None
        self._documents = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        match event:
            case yaml.AliasEvent():
                raise self._refused(line, f"the alias '*{event.anchor}'", "write it out")
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise self._refused(line, "a second document", "use a file for each")
            case yaml.ScalarEvent():
                self._check_tag(event, line)
                self._scalar(event, line)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._check_tag(event, line)
                self._begin(dict() if isinstance(event, yaml.MappingStartEvent) else list(), line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._open.pop()
                if self._place:
                    self._place.pop()

    def _scalar(self, event: Any, line: int) -> None:
        container = self._open[-1] if self._open else None
        if isinstance(container, dict) and self._key is None:
            self._key = event.value
            if event.value in container:
                self.doubles.append((line, event.value))
            else:
                self.lines.setdefault((*self._place, event.value), line)
            return
        self._put(resolved(event.value) if event.implicit[0] else event.value, line)

    def _begin(self, container: Any, line: int) -> None:
        if self._open and isinstance(self._open[-1], dict) and self._key is None:
            raise self._refused(line, "a key that is not a scalar", "use text as a key")
        if len(self._open) >= DEEPEST:
            raise self._refused(line, f"nesting deeper than {DEEPEST} levels", "flatten it")
        first = not self._open
        step = self._put(container, line)
        if not first:
            self._place.append(step)
        self._open.append(container)

    def _put(self, value: Any, line: int) -> str | int:
        """Put a value in its place; the step that leads there."""
        if not self._open:
            self.data = value
            self.lines[()] = line
            return ""
        container = self._open[-1]
        if isinstance(container, list):
            container.append(value)
            self.lines.setdefault((*self._place, len(container) - 1), line)
            return len(container) - 1
        assert self._key is not None
        key, self._key = self._key, None
        container.setdefault(key, value)
        return key

    def _check_tag(self, event: Any, line: int) -> None:
        if event.tag is not None:
            raise self._refused(line, f"the tag '{event.tag}'", "leave it out")

    def _refused(self, line: int, what: str, remedy: str) -> FileError:
        return FileError(f"{self.name}:{line}", f"{what} is not allowed here", remedy)
