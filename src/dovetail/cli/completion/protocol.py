"""What a shell asks for completions with, and what it is answered.

The script of a shell sets `_DOVETAIL_COMPLETE` to its name and `_DOVETAIL_LINE` to the command line
up to the cursor, and calls `dovetail`. The answer is a line for each completion: the word, and
behind a tabulator a few words about it, which bash does not want.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

import typer

from .completers import files

VARIABLE, LINE, BREAKS = "_DOVETAIL_COMPLETE", "_DOVETAIL_LINE", "_DOVETAIL_BREAKS"
_HELP = 60  # characters of what is said about a word
_SPECIAL = re.compile(r"([^\w@%+=:,./\[\]~-])")
Item = tuple[str, str]


def answer(app: typer.Typer, environment: Mapping[str, str]) -> str:
    """The lines for a shell; none where anything goes wrong."""
    try:
        line = environment.get(LINE, "")
        words, incomplete, quoted = _split(line)
        found = _items(typer.main.get_command(app), words[1:], incomplete)
        fitting = [(w, h) for w, h in found if w.startswith(incomplete)]
        if environment[VARIABLE] != "bash":
            return "".join(f"{w}\t{h}\n" if h else f"{w}\n" for w, h in fitting)
        plain = [w if quoted else _SPECIAL.sub(r"\\\1", w) for w, _ in fitting]
        start = "" if quoted else _broken(incomplete, environment.get(BREAKS, ""))
        return "".join(f"{w.removeprefix(start)}\n" for w in plain)
    except Exception:
        return ""


def _split(line: str) -> tuple[list[str], str, bool]:
    """The complete words, the one at the cursor, and whether that is inside quotes."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    quoted = False
    try:
        words.extend(lexer)
    except ValueError:  # an open quote
        words.append(lexer.token)
        quoted = True
    if quoted or (line and not line[-1].isspace()):
        return words[:-1], words[-1] if words else "", quoted
    return words, "", False


def _broken(incomplete: str, breaks: str) -> str:
    """What bash takes for words of its own before the one that it replaces."""
    places = [incomplete.rfind(sign) for sign in "=:" if sign in breaks]
    return incomplete[: max(places, default=-1) + 1]


def _items(group: Any, words: list[str], incomplete: str) -> list[Item]:
    root = _context(group, None)
    line = _Line(group, root)
    waiting, given = line.read(words)
    if waiting is not None:
        return line.values(waiting, [], incomplete)
    if not given:
        if incomplete.startswith("-"):
            return _options(group, words)
        names = group.list_commands(root)
        return [(name, _brief(group.get_command(root, name).short_help)) for name in names]
    command = group.get_command(root, given[0])
    if command is None:
        return []
    return _Line(command, root).items(words[words.index(given[0]) + 1 :], incomplete)


def _context(command: Any, parent: Any) -> Any:
    """A context without values: reading them would take time, and fail where one is missing."""
    return command.context_class(
        command, info_name=command.name, parent=parent, resilient_parsing=True
    )


class _Line:
    """The words behind a command."""

    def __init__(self, command: Any, root: Any) -> None:
        self.command, self.root = command, root
        self.by_name = {o: p for p in command.params for o in (*p.opts, *p.secondary_opts)}
        self.arguments = [p for p in command.params if p.param_type_name == "argument"]

    def items(self, words: list[str], incomplete: str) -> list[Item]:
        open_option, given = self.read(words)
        if open_option is not None:
            return self.values(open_option, given, incomplete)
        name, equals, value = incomplete.partition("=")
        if equals and name in self.by_name:
            found = self.values(self.by_name[name], given, value)
            return [(f"{name}={word}", text) for word, text in found]
        if incomplete.startswith("-"):
            return _options(self.command, words)
        place = min(len(given), len(self.arguments) - 1)
        if place < 0 or (len(given) > place and self.arguments[place].nargs == 1):
            return _options(self.command, words)
        return self.values(self.arguments[place], given, incomplete)

    def read(self, words: list[str]) -> tuple[Any, list[str]]:
        """The option that waits for its value, and the arguments."""
        waiting, given = None, []
        for word in words:
            option = self.by_name.get(word)
            if waiting is not None:
                waiting = None
            elif option is not None and option.param_type_name == "option":
                waiting = None if option.is_flag else option
            elif not word.startswith("-"):
                given.append(word)
        return waiting, given

    def values(self, parameter: Any, given: list[str], incomplete: str) -> list[Item]:
        """What a parameter can be, with these arguments before it."""
        context = _context(self.command, self.root)
        context.params.update(zip((a.name for a in self.arguments), given, strict=False))
        found = parameter.shell_complete(context, incomplete)
        if any(item.type in ("file", "dir") for item in found):
            return [(word, "") for word in files()(context, incomplete)]
        return [(item.value, _brief(item.help)) for item in found]


def _options(command: Any, used: list[str]) -> list[Item]:
    """Options that can still be given, by their long names."""
    found = [("--help", "Show how to use it.")]
    for parameter in command.params:
        again = getattr(parameter, "multiple", False) or not set(parameter.opts) & set(used)
        for name in parameter.opts:
            if name.startswith("--") and again and not getattr(parameter, "hidden", False):
                found.append((name, _brief(parameter.help)))
    return found


def _brief(text: str | None) -> str:
    words = " ".join((text or "").split())
    return words if len(words) <= _HELP else words[: _HELP - 3] + "..."
