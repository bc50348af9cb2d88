"""`dv.plot`: one result or several over each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...core.errors import OptionError
from ..patterns import Names
from ..reading import read
from ..result import Result
from .captions import way
from .picture import picture
from .sheet import Sheet

Runs = Result | str | Path | Iterable[Result | str | Path] | Mapping[str, Result | str | Path]


def plot(
    results: Runs,
    *patterns: Names,
    x: str | None = None,
    y: Names | None = None,
    path: str | Path | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """A picture of several results over each other: of the variables that patterns mean.

    `results` is a list of results or their files, or a mapping that gives each of them a name:
    `dv.plot({"loose": a, "strong": b}, "body.x")`. All else is as in `Result.plot`.
    """
    wanted = patterns if y is None else (*patterns, y)
    return picture(Sheet.of(named(results), wanted, x, title, size), path, title, ax)


def named(results: Runs) -> dict[str, Result]:
    """Results by name: as given, by their files, or by what distinguishes the runs."""
    if isinstance(results, Result | str | Path):
        results = [results]
    if isinstance(results, Mapping):
        found = [_opened(one) for one in results.values()]
        return dict(zip(map(str, results), _some(found), strict=True))
    if not isinstance(results, Iterable):
        raise OptionError(f"dv.plot draws results, such as [a, b], not {results!r}")
    given = list(results)
    found = _some([_opened(one) for one in given])
    if len(found) == 1:
        return {"": found[0]}
    files = [None if isinstance(one, Result) else Path(one) for one in given]
    for names in (
        [None if file is None else file.stem for file in files],
        [None if file is None else str(file) for file in files],
        [str(result.facts.get("system") or "") or None for result in found],
        _distinct([way(result) for result in found]),
    ):
        if None not in names and len(set(names)) == len(names):
            return dict(zip(map(str, names), found, strict=True))
    return {f"run {k + 1}": result for k, result in enumerate(found)}


def _distinct(ways: list[tuple[str, ...]]) -> list[str | None]:
    """What a run was made by and not all others, in words."""
    common = set(ways[0]).intersection(*ways)
    return [", ".join(one for one in way if one not in common) or None for way in ways]


def _some(found: list[Result]) -> list[Result]:
    if not found:
        raise OptionError("there is nothing to draw: dv.plot was given no result")
    return found


def _opened(one: Any) -> Result:
    if isinstance(one, Result):
        return one
    if isinstance(one, str | Path):
        return read(one)
    raise OptionError(f"dv.plot draws results or their files, not {type(one).__name__}")
