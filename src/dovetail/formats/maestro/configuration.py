"""The files of a multi-model: the models and wires, and how they are run, as one mapping.

Maestro is given several files and merges them. Opened by one name, the other is looked for: a
co-simulation configuration names its multi-model, and lies beside it or in a folder below.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import FileError, no_such_file
from ...core.file_kinds import listed

_LARGEST = 16 << 20  # bytes of a file
_RUN = ("endTime", "end_time", "algorithm", "startTime")
_BESIDE = ("*.json", "*/*.coe.json", "*/coe.json")


@dataclass(frozen=True, slots=True)
class Configuration:
    """What all files say together, and where the models are looked for."""

    path: Path  # the one that was opened
    folder: Path  # of the multi-model
    data: dict[str, Any]
    used: tuple[Path, ...] = ()  # files that were not named, and were found
    others: tuple[Path, ...] = ()  # that might have been meant as well: none of them was taken


def read_configuration(path: Path) -> Configuration:
    """A multi-model with the configuration that belongs to it, opened by either."""
    data = read_json(path)
    if "fmus" in data:
        if "endTime" in data or "end_time" in data:
            return Configuration(path, path.parent, data)
        found = _runs_beside(path)
        if len(found) != 1:
            return Configuration(path, path.parent, data, others=tuple(found))
        return Configuration(path, path.parent, _merged(data, read_json(found[0])), (found[0],))
    if not any(key in data for key in (*_RUN, "multimodel_path")):
        what = "this is no multi-model of Maestro: it has no 'fmus'"
        raise FileError(path, what, "of .json files, those of Maestro and CoFmuPy open as systems")
    models = _models_of(path, data)
    if len(models) != 1:
        what = f"there are {len(models)} multi-models beside it" if models else "its multi-model"
        where = f" ({listed((m.name for m in models), 'and')})" if models else " was not found"
        raise FileError(path, f"{what}{where}", "open the multi-model, or name it: multimodel_path")
    return Configuration(path, models[0].parent, _merged(read_json(models[0]), data), (models[0],))


def read_json(path: Path) -> dict[str, Any]:
    """The mapping in a JSON file, whoever wrote it."""
    try:
        if path.is_dir():
            raise FileError(path, "is a folder", "name a file in it")
        if not path.is_file():
            raise no_such_file(path)
        if path.stat().st_size > _LARGEST:
            raise FileError(path, f"has more than {_LARGEST >> 20} MB", "this is no multi-model")
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileError(path, f"it cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}", f"this is not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise FileError(path, f"this is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise FileError(path, 'it must be a mapping such as {"fmus": ...}')
    return data


def _runs_beside(path: Path) -> list[Path]:
    """Files that say how to run this multi-model: they name it, or stand beside it."""
    found = []
    for other in sorted({p for pattern in _BESIDE for p in path.parent.glob(pattern)}):
        data = _tried(other) if other != path else None
        if data is None or "fmus" in data or not ("endTime" in data or "end_time" in data):
            continue
        named = data.get("multimodel_path")
        if not isinstance(named, str) or not named or _last(named) == path.name:
            found.append(other)
    return found


def _models_of(path: Path, data: dict[str, Any]) -> list[Path]:
    """The multi-model that a configuration names, or those that lie beside it or above."""
    folders = [path.parent, *path.parent.parents]
    named = data.get("multimodel_path")
    if isinstance(named, str) and named:
        named = named.replace("\\", "/")
        return [f / named for f in folders if (f / named).is_file()][:1]
    for folder in folders[:2]:
        found = [p for p in sorted(folder.glob("*.json")) if "fmus" in (_tried(p) or {})]
        if found:
            return found
    return []


def _last(named: str) -> str:
    """The name of a file, in a path of any system."""
    return named.replace("\\", "/").rpartition("/")[2]


def _tried(path: Path) -> dict[str, Any] | None:
    try:
        return read_json(path)
    except FileError:
        return None


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Both; where they say different things the second does, but for an empty or missing value."""
    joined = dict(first)
    for key, value in second.items():
        if isinstance(value, dict) and isinstance(joined.get(key), dict) and key != "algorithm":
            joined[key] = _merged(joined[key], value)
        elif value is not None or key not in joined:
            joined[key] = value
    return joined
