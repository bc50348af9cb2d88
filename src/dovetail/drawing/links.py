"""All wires of a drawing as a table, CSV: written, and drawn from one."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from ..core.errors import DrawingError, Problem

if TYPE_CHECKING:
    from .system import System

COLUMNS = ("source", "target", "gain", "offset", "convert")
_MOST = 100_000  # rows
_TRUTH = {"": True, "true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def links_text(system: System) -> str:
    """A row for each wire; without junctions, and without tables of values."""
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for c in system.connections:
        if not c.junction:
            ways = repr(c.gain), repr(c.offset), str(c.convert).lower()
            writer.writerow([str(c.source), str(c.target), *ways])
    return lines.getvalue()


def linked(system: System, text: str, *, instead: bool) -> System:
    """The drawing with the wires of a table; `instead` of all its wires, or beside them.

    Beside them a row takes the place of the wire that ends at its input. All that stands against
    it is listed at once.
    """
    rows = _rows(text, system.name)
    made = system.copy()
    tables = {str(c.target): (str(c.source), dict(c.table)) for c in made.connections if c.table}
    fed = {str(c.target) for c in made.connections if not c.junction}
    wanted = {row["target"] for _, row in rows}
    for target in fed if instead else fed & wanted:
        made.disconnect(target)
    problems = list[Problem]()
    for line, row in rows:
        try:
            source, table = tables.get(row["target"], ("", {}))
            ways = _ways(row) | ({"table": table} if table and source == row["source"] else {})
            made.connect(row["source"], row["target"], **ways)
        except ValueError as error:
            problems.append(Problem(row["target"], f"line {line}: {error}."))
        except DrawingError as error:
            problems += [Problem(p.where, f"line {line}: {p.what}") for p in error.problems]
    if problems:
        raise DrawingError(problems, system.name)
    return made


def _rows(text: str, name: str) -> list[tuple[int, dict[str, str]]]:
    """The rows with their lines; columns are found by their names, in any order."""
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        reader = csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=delimiter, strict=True)
        table = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise DrawingError([Problem("", f"this is no CSV: {error}.")], name) from None
    table = [(line, row) for line, row in table if any(row)]
    head = [cell.lower() for cell in table[0][1]] if table else []
    if not {"source", "target"} <= set(head):
        what = (
            f"the first line must name the columns {', '.join(COLUMNS)}; the last three may lack."
        )
        raise DrawingError([Problem("", what)], name)
    if len(table) > _MOST:
        raise DrawingError([Problem("", f"more than {_MOST} rows of links are too many.")], name)
    strange = [cell for cell in head if cell not in COLUMNS]
    if strange:
        what = f"the column '{strange[0]}' means nothing; there are {', '.join(COLUMNS)}."
        raise DrawingError([Problem("", what)], name)
    long = next((line for line, row in table if len(row) > len(head)), None)
    if long is not None:
        raise DrawingError([Problem("", f"line {long} has more cells than the first one.")], name)
    empty = dict.fromkeys(COLUMNS, "")
    return [(line, empty | dict(zip(head, row, strict=False))) for line, row in table[1:]]


def _ways(row: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, usual in (("gain", 1.0), ("offset", 0.0)):
        try:
            found[name] = float(row[name] or usual)
        except ValueError:
            raise ValueError(f"the {name} must be a number, not {row[name]!r}") from None
    convert = _TRUTH.get(row["convert"].lower())
    if convert is None:
        raise ValueError(f"'convert' must be true or false, not {row['convert']!r}")
    return found | {"convert": convert}
