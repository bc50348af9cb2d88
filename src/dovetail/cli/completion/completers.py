"""What fits at one place of a command line: files, names in them, and words that are known."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer

from ...core.file_kinds import TABLES, suffixes

SYSTEMS = suffixes()
MEASURED = (".csv", ".tsv", ".txt", ".xlsx")
RESULTS = (".parquet", ".arrow", ".csv", ".tsv", ".xlsx", ".json", ".h5", ".hdf5", ".mat")
PICTURES = (".png", ".svg", ".pdf", ".html")
ALGORITHMS = ("gauss_seidel", "ifosmondi", "iterative", "jacobi", "missiles", "newton")
CONTROLLERS = (
    "adaptive",
    "constraints",
    "defect",
    "energy",
    "error_check",
    "fixed_step",
    "input_defect",
    "step_doubling",
)
INTEGRATORS = (
    *("auto", "rk45", "radau", "bdf", "cvode"),
    *("rk4", "heun", "midpoint", "semi_implicit", "euler"),
    *("mixed", "mixed-euler", "mixed-midpoint", "mixed-ars3"),
)
NEEDS_SIZE = ("error_check", "fixed_step")  # these are not complete without their size
Completer = Callable[[typer.Context, str], list[str]]


def files(*suffixes: str) -> Completer:
    """Folders, and files with one of these suffixes; all files if none is given."""

    def listed(context: typer.Context, incomplete: str) -> list[str]:
        folder, begin = os.path.split(incomplete)
        place = Path(os.path.expanduser(folder) or ".")
        found = []
        for entry in sorted(place.iterdir()):
            hidden = entry.name.startswith(".") and not begin.startswith(".")
            if hidden or not entry.name.startswith(begin):
                continue
            if entry.is_dir():
                found.append(os.path.join(folder, entry.name) + "/")
            elif not suffixes or entry.name.lower().endswith(suffixes):
                found.append(os.path.join(folder, entry.name))
        return found

    return listed


def words(*known: str) -> Completer:
    """One of a few words."""

    def fitting(context: typer.Context, incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return fitting


def models(context: typer.Context, incomplete: str) -> list[str]:
    """FMUs, tables, systems, and `models.py:name` for the models that a Python file defines."""
    home, colon, begin = incomplete.rpartition(":")
    if colon and home.endswith(".py"):
        from .model_names import python_models

        names = python_models(Path(os.path.expanduser(home)))
        return [f"{home}:{name}" for name in names if name.startswith(begin)]
    return files(*SYSTEMS, *TABLES)(context, incomplete)


def recorded(context: typer.Context, incomplete: str) -> list[str]:
    """`part.variable` for what a run of the system can record, and `part.*` for all of a part."""
    from .system_names import parts_of

    parts = parts_of(_given(context, "system"))
    return by_part({p: (*n.recordable, "*") for p, n in parts.items()}, incomplete)


def parts(context: typer.Context, incomplete: str) -> list[str]:
    """The parts of the system."""
    from .system_names import parts_of

    return [name for name in parts_of(_given(context, "system")) if name.startswith(incomplete)]


def settable(context: typer.Context, incomplete: str) -> list[str]:
    """`part.name=` for the parameters, start values and inputs of the system."""
    from .system_names import parts_of

    if "=" in incomplete:
        return []
    parts = parts_of(_given(context, "system"))
    return by_part({p: [f"{v}=" for v in n.settable] for p, n in parts.items()}, incomplete)


def drawn(context: typer.Context, incomplete: str) -> list[str]:
    """Results; behind one of them also `part.variable` for what is in it, and `part.*`."""
    from .result_names import names_in

    results = files(*RESULTS)(context, incomplete)
    if "words" not in context.params:
        return results
    first = _given(context, "words")
    results = [word for word in results if Path(os.path.expanduser(word)) != first]
    parts: dict[str, list[str]] = {}
    for name in names_in(first):
        part, _, variable = name.partition(".")
        parts.setdefault(part, []).append(variable)
    names = by_part({p: [*names, "*"] for p, names in parts.items()}, incomplete)
    return [*names, *results]


def by_part(parts: dict[str, Any], incomplete: str) -> list[str]:
    """First the part, then what is in it; of a single part at once."""
    fitting = {p: names for p, names in parts.items() if f"{p}.".startswith(incomplete)}
    if "." not in incomplete and len(fitting) != 1:
        return [f"{part}." for part in fitting]
    return list(_whole(parts, incomplete))


def _whole(parts: dict[str, Iterable[str]], incomplete: str) -> Iterable[str]:
    for part, names in parts.items():
        for name in names:
            whole = f"{part}.{name}" if name else part
            if whole.startswith(incomplete):
                yield whole


def _given(context: typer.Context, argument: str) -> Path:
    """The file that stands earlier in the line."""
    return Path(os.path.expanduser(str(context.params[argument])))
