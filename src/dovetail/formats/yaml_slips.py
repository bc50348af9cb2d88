"""What is wrong with a text that is not YAML: where, what was expected, and the way out.

The parser says "mapping values are not allowed in this context". A person wants to know that the
line is indented by three blanks, and those above it by two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

_WIDEST = 90  # characters of a line that are shown
_ONE_WORD = re.compile(r"\s*(- )?[^\s:#'\"{\[][^:#]*$")
_NO_BLANK = re.compile(r"\s*(- )?([\w.-]+):([^\s/].*)$")


@dataclass(frozen=True, slots=True)
class Slip:
    """A place in a text, counted from zero, and a sentence about it."""

    line: int
    column: int
    sentence: str

    def shown(self, lines: list[str]) -> str:
        """The sentence, and below it the line with a caret."""
        text = lines[self.line] if self.line < len(lines) else ""
        if not text.strip():
            return self.sentence
        begin = max(0, self.column - _WIDEST + 10)
        part = "".join(c if c.isprintable() else " " for c in text[begin : begin + _WIDEST])
        caret = " " * min(self.column - begin, len(part)) + "^"
        return f"{self.sentence}\n    {part}\n    {caret}"


def slip_of(error: yaml.MarkedYAMLError, lines: list[str]) -> Slip:
    """What somebody did who wrote these lines."""
    mark = error.problem_mark or error.context_mark
    at = (0, 0) if mark is None else (mark.line, mark.column)
    begin = error.context_mark
    return _Reader(lines, *at, begin.line if begin else 0, begin.column if begin else 0).slip(
        f"{error.context or ''}: {error.problem or ''}"
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """The lines, the place where the parser stopped, and where what it was reading begins."""

    lines: list[str]
    line: int
    column: int
    from_line: int
    from_column: int

    def slip(self, said: str) -> Slip:
        text = self._text(self.line)
        if "\t" in _indent(text):
            column = _indent(text).index("\t")
            return Slip(self.line, column, "a tab indents this line; use blanks instead")
        if "simple key" in said:
            return self._lone(self.from_line)
        if "mapping values" in said:
            return self._second_value(text)
        if "sequence entries" in said:
            what = "a list cannot begin behind its name; begin it in the next line"
            return Slip(self.line, self.column, f"{what}, or write it as [a, b]")
        if "flow" in said:
            return self._open()
        if "quoted scalar" in said:
            return self._quoted(said)
        if "block mapping" in said or "block collection" in said:
            return self._block(text, "a list" if "collection" in said else "a mapping")
        return self._character(said)

    def _lone(self, line: int) -> Slip:
        """A name without a colon."""
        text = self._text(line)
        word = text.strip().removeprefix("- ").split("#")[0].strip()
        what = f"a ':' should follow '{_short(word)}'"
        return Slip(line, len(text.split("#")[0].rstrip()), f"{what}, as in '{_short(word)}: ...'")

    def _second_value(self, text: str) -> Slip:
        """A colon where there cannot be one: in this line, or because of the line before."""
        above = self._above()
        if re.search(r":(\s|$)", text[: self.column]) or above is None:
            what = "there are two ':' in this line; put the text behind the first one in quotes"
            return Slip(self.line, self.column, what)
        before = self._text(above)
        if _NO_BLANK.match(before):
            colon = before.index(":")
            return Slip(above, colon + 1, "a blank should follow the ':'")
        if _ONE_WORD.match(before) and len(_indent(before)) <= len(_indent(text)):
            return self._lone(above)
        what = (
            f"this line is indented by {_blanks(text)}, and the one above it, which has a value, "
            f"by {_level(before)}; lines of one block need the same indentation"
        )
        return Slip(self.line, len(_indent(text)), what)

    def _block(self, text: str, kind: str) -> Slip:
        """Something that does not go on as the block began."""
        indent, here = len(_indent(text)), text[self.column : self.column + 1]
        if here in ("}", "]"):
            return Slip(self.line, self.column, f"this '{here}' closes nothing; take it away")
        if self.column != indent:
            what = "the text in quotes ends here, but the line goes on; inside '...' write ' twice"
            return Slip(self.line, self.column, what)
        levels = self._levels()
        if indent not in levels:
            known = " or ".join(map(str, sorted(levels)))
            what = f"this line is indented by {_blanks(text)}, and those above it by {known}"
            return Slip(self.line, indent, f"{what}; give it the indentation of its block")
        if kind == "a list":
            what = "the lines above are a list; begin this one with '- ', or indent it less"
        else:
            what = "'- ' begins a list, but the lines above are 'name: value'; write it like them"
        return Slip(self.line, indent, what)

    def _open(self) -> Slip:
        """A bracket that is not closed, or a comma that is missing."""
        bracket = self._text(self.from_line)[self.from_column : self.from_column + 1]
        if bracket not in ("{", "["):
            return Slip(self.line, self.column, "a '{' or '[' above is not closed; close it")
        closing = "]" if bracket == "[" else "}"
        if self.line == self.from_line:
            what = f"a ',' or a '{closing}' is missing before this place"
            return Slip(self.line, self.column, what)
        what = f"this '{bracket}' is not closed, or a ',' is missing behind it; write '{closing}'"
        return Slip(self.from_line, self.from_column, f"{what} where it ends")

    def _quoted(self, said: str) -> Slip:
        if "escape" in said:
            what = "a backslash in \"...\" has a meaning of its own; use '...', as in 'C:\\models'"
            return Slip(self.line, self.column, what)
        return Slip(self.from_line, self.from_column, "these quotes are opened and never closed")

    def _character(self, said: str) -> Slip:
        line, column = self.line, self.column
        if "alias" in said or "anchor" in said:
            line, column = self.from_line, self.from_column
        sign = self._text(line)[column : column + 1]
        if sign == "\t":
            what = "a tab stands here; use blanks instead"
        elif "alias" in said:
            what = "a pattern that begins with '*' needs quotes, as in '*.x'"
        elif "token" in said or "anchor" in said:
            what = f"a text cannot begin with '{sign}'; put it in quotes"
        elif "block scalar" in said:
            line, column = self.from_line, self.from_column
            sign = self._text(line)[column : column + 1]
            what = f"a text cannot begin with '{sign}'; put it in quotes"
        else:
            what = said.strip(": ")
        return Slip(line, column, what)

    def _above(self) -> int | None:
        """The line before this one that has something in it."""
        return next((k for k in reversed(range(self.line)) if _matters(self.lines[k])), None)

    def _levels(self) -> set[int]:
        """The indentations of the blocks that are open here."""
        found: list[int] = []
        for text in filter(_matters, self.lines[: self.line]):
            indent = len(_indent(text))
            found = [*(level for level in found if level < indent), indent]
            found += [_level(text)] if _level(text) > indent else []
        return set(found)

    def _text(self, line: int) -> str:
        return self.lines[line] if line < len(self.lines) else ""


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _level(text: str) -> int:
    """Where the content of a line begins: behind the dash of a list."""
    dash = re.match(r"\s*(- +)*", text)
    return dash.end() if dash else 0


def _blanks(text: str) -> str:
    count = len(_indent(text))
    return "1 blank" if count == 1 else f"{count} blanks"


def _matters(text: str) -> bool:
    return bool(text.strip()) and not text.lstrip().startswith("#")


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:27] + "..."
