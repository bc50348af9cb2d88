"""The list of messages in docs/errors.md, read off the tests beside this file.

    python tests/messages/listing.py --write

A row is a pair of a test: what somebody writes, and the sentence that it must be answered with.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "errors.md"
BEGIN, END = "<!-- messages: made by tests/messages/listing.py -->\n", "<!-- end -->\n"
LONGEST = 90  # characters of a program that still fit into a table


def rows() -> list[tuple[str, str]]:
    """What is written and what is said, in the order of the tests."""
    found: dict[str, str] = {}
    for path in sorted(HERE.glob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        for given, message in _pairs(ast.parse(source)):
            found.setdefault(message, given)
    return [(given, message) for message, given in found.items()]


def table() -> str:
    """The rows as Markdown."""
    lines = ["| you write | it says |", "| --- | --- |"]
    lines += [f"| `{_cell(given)}` | {_cell(message, code=False)} |" for given, message in rows()]
    return "\n".join(lines) + "\n"


def _pairs(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Tuples of an action without arguments and the text that it is answered with."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Tuple) and len(node.elts) == 2):
            continue
        action, text = node.elts
        plain = isinstance(action, ast.Lambda) and not action.args.args
        if plain and isinstance(text, ast.Constant) and isinstance(text.value, str):
            given = ast.unparse(action.body)  # type: ignore[attr-defined]
            if len(given) <= LONGEST and "\n" not in text.value:
                yield given, text.value


def _cell(text: str, *, code: bool = True) -> str:
    escaped = text.replace("|", "\\|")
    return escaped if code else escaped.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def written() -> str:
    """The page as it should be."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__" and "--write" in sys.argv:
    PAGE.write_text(written(), encoding="utf-8")
