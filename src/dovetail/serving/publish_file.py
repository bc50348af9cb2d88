"""`publish.yaml` in a folder of models: which of them are offered, and what is shown of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import FileError, did_you_mean
from ..formats.yaml_text import read_text
from ..machines.publication import Names, Publication, Shown

NAME = "publish.yaml"
_GROUPS = ("inputs", "outputs", "parameters")
_SWITCHES = ("derivatives", "linearization", "state", "messages")
_KNOWN = ("name", "description", *_GROUPS, "values", *_SWITCHES)
_OF_A_NAME = ("variable", "description", "default")
Entry = Mapping[str, Any] | bool


def entries_of(folder: Path) -> dict[str, Entry]:
    """What is said of each model, by its file; nothing without a publish.yaml."""
    path = folder / NAME
    if not path.exists():
        return {}
    found = read_text(path).data
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise FileError(path, "holds a mapping: files of models, and what is published of each")
    for key, entry in found.items():
        if not isinstance(key, str) or not isinstance(entry, dict | bool):
            what = f"'{key}' is true, false, or a mapping of what is published"
            raise FileError(path, what)
    return found


def publication_of(entry: Entry, name: str, path: Path, key: str) -> Publication:
    """What an entry publishes of the model `name`; FileError says what is wrong with it."""

    def refuse(what: str) -> FileError:
        return FileError(path, f"'{key}': {what}")

    if isinstance(entry, bool):
        return Publication(name)
    for word in entry:
        if word not in _KNOWN:
            raise refuse(f"there is no '{word}'.{did_you_mean(str(word), _KNOWN)}")
    texts = {w: entry.get(w, d) for w, d in (("name", name), ("description", ""))}
    for word, text in texts.items():
        if not isinstance(text, str) or (word == "name" and not (text and text.isprintable())):
            raise refuse(f"'{word}' is a text")
    named = any(g in entry for g in _GROUPS)  # then what is not named is not shown
    switches = {s: entry[s] for s in _SWITCHES if s in entry}
    for word, value in switches.items():
        if not isinstance(value, bool):
            raise refuse(f"'{word}' is true or false")
    switches.setdefault("messages", not named)
    values = entry.get("values", {})
    if not isinstance(values, dict):
        raise refuse("'values' is a mapping of names to values")
    groups: dict[str, Any] = {
        g: _group(entry.get(g, [] if named else "all"), g, refuse) for g in _GROUPS
    }
    return Publication(texts["name"], texts["description"], **groups, values=values, **switches)


def _group(given: Any, group: str, refuse: Callable[[str], FileError]) -> Names | None:
    if given == "all":
        return None
    if isinstance(given, list) and all(isinstance(n, str) for n in given):
        return tuple((name, Shown(name)) for name in given)
    if not isinstance(given, dict) or not all(isinstance(n, str) for n in given):
        raise refuse(f"'{group}' is a list of names, a mapping of names, or 'all'")
    return tuple((name, _shown(name, what, refuse)) for name, what in given.items())


def _shown(name: str, what: Any, refuse: Callable[[str], FileError]) -> Shown:
    if what is None or isinstance(what, str):
        return Shown(name, what)
    if not isinstance(what, dict):
        raise refuse(f"'{name}' has a description, or a mapping of {', '.join(_OF_A_NAME)}")
    for word in what:
        if word not in _OF_A_NAME:
            raise refuse(f"'{name}' has no '{word}'.{did_you_mean(str(word), _OF_A_NAME)}")
    variable, text = what.get("variable", name), what.get("description")
    if not isinstance(variable, str) or not isinstance(text, str | None):
        raise refuse(f"variable and description of '{name}' are texts")
    return Shown(variable, text, what.get("default"))
