"""What an FMU brings to be read: its description, and the text of its documentation pages."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from .model import Fmu

_PAGES = ("index.html", "index.htm", "_main.html", "_main.htm", "README.md", "README.txt")
_LARGEST = 2**21  # bytes of a page that is read
_LONGEST = 50_000  # letters that are told
_BREAKS = {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "pre", "ul"}
_SILENT = {"script", "style", "head", "svg", "math"}
_FACTS = (
    ("author", "author"),
    ("model_version", "version"),
    ("generation_tool", "made by"),
    ("generation_time", "at"),
    ("copyright", "copyright"),
    ("license", "license"),
)


def documentation_of(model: Fmu) -> str:
    """Its description, who made it, and the text of its page without any markup."""
    fmu = model.fmu
    told = [(name, getattr(fmu, key).strip()) for key, name in _FACTS]
    facts = "\n".join(f"{name}: {text}" for name, text in told if text)
    parts = [fmu.description.strip(), facts, _page(model.archive.directory / "documentation")]
    return "\n\n".join(part for part in parts if part)[:_LONGEST]


def plain_text(html: str) -> str:
    """What is to be read in a page: no markup, no scripts, no more than one empty line."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = (re.sub(r"[ \t\xa0]+", " ", line).strip() for line in "".join(reader.found).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _page(folder: Path) -> str:
    for name in _PAGES:
        path = folder / name
        if not path.is_file() or path.is_symlink():
            continue
        with path.open("rb") as file:
            text = file.read(_LARGEST).decode("utf-8", "replace")
        return plain_text(text) if "htm" in path.suffix.lower() else text.strip()
    return ""


class _Reader(HTMLParser):
    """Keeps the text of a page, with breaks where blocks begin."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins a line; a list entry has a dash."""
        if tag in _SILENT:
            self._silent += 1
        elif tag in _BREAKS:
            self.found.append("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        """A block ends its line."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _BREAKS:
            self.found.append("\n")
        elif tag in ("td", "th"):
            self.found.append("  ")

    def handle_data(self, data: str) -> None:
        """Line breaks of the source are blanks."""
        if not self._silent:
            self.found.append(re.sub(r"\s+", " ", data))
