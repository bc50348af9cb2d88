"""Hit and false-alarm rates of hints as tables, from what `benchmarks/hints.py` has measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.results.hint import Hint, Kind, Limits

PAGE = Path(__file__).parent.parent / "docs" / "right.md"
BEGIN, END = "<!-- benchmarks/hints.py -->\n", "<!-- end of benchmarks/hints.py -->"
BAD, GOOD = 0.05, 0.01
ALLOWED = 0.05  # of false alarms, where limits are chosen

HELD = ("Jacobi", "Gauss-Seidel")
WAYS = {
    "held, one pass": HELD,
    "held, iterated": ("iterated, held",),
    "extrapolated": ("extrapolated",),
    "linear, iterated": ("iterated, linear",),
    "cubic, iterated": ("iterated, cubic",),
    "junctions": ("sliding mode", "iterated junction"),
}
ORDERS = {"extrapolated": 1, "linear, iterated": 1, "cubic, iterated": 2}
ASKED: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("mismatch", ("held, one pass", "extrapolated")),
    ("jump", ("held, one pass",)),
    ("curvature", ("held, iterated",)),
    ("curvature", ("extrapolated", "linear, iterated")),
    ("curvature", ("cubic, iterated",)),
    ("drift", ("held, one pass", "extrapolated")),
    ("activity", ("held, one pass", "held, iterated")),
    ("activity", ("extrapolated", "linear, iterated")),
    ("activity", ("cubic, iterated",)),
    ("junction", ("junctions",)),
    ("energy", ("junctions",)),
)
Row = dict[str, Any]


def limit_of(kind: Kind, way: str, limits: Limits = Limits()) -> float:
    """The limit of a kind where inputs are treated this way."""
    found = getattr(limits, kind)
    return float(found[ORDERS.get(way, 0)] if isinstance(found, tuple) else found)


def chosen(rows: list[Row], kind: Kind) -> float:
    """The lowest limit with so many false alarms at the most."""
    good = sorted(r["shares"].get(kind, 0.0) for r in rows if r["error"] < GOOD)
    return float(np.quantile(good, 1 - ALLOWED)) if good else 0.0


def rates(rows: list[Row], warned: list[bool]) -> str:
    """Hits of the bad and false alarms of the good, as cells."""
    cells = []
    for those in ([r["error"] > BAD for r in rows], [r["error"] < GOOD for r in rows]):
        told = sum(w for w, t in zip(warned, those, strict=True) if t)
        cells.append(f"{told} of {sum(those)}")
    return " | ".join(cells)


def decided(row: Row) -> bool:
    """Whether any hint would make this result doubtful."""
    way = next(w for w, hows in WAYS.items() if row["how"] in hows)
    return any(
        row["shares"].get(kind, 0.0) > limit_of(kind, way)
        for kind, ways in ASKED
        if way in ways and Hint(kind, "", 0.0, 0.0).decides
    )


def lines(rows: list[Row]) -> Iterator[str]:
    """The tables."""
    names = list(dict.fromkeys(r["problem"] for r in rows))
    fitted = set(names[::2])
    yield (
        f"{len(rows)} runs of {len(names)} problems; limits from {len(fitted)} of them, rates from "
        f"the other {len(names) - len(fitted)}."
    )
    yield ""
    yield "| hint | inputs | limit | from the first half | hits | false alarms | decides |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for kind, ways in ASKED:
        hows = [how for way in ways for how in WAYS[way]]
        mine = [r for r in rows if r["how"] in hows]
        first = [r for r in mine if r["problem"] in fitted]
        rest = [r for r in mine if r["problem"] not in fitted]
        limit = limit_of(kind, ways[-1])
        warned = [r["shares"].get(kind, 0.0) > limit for r in rest]
        decides = "yes" if Hint(kind, "", 0.0, 0.0).decides else "no"
        cells = f"{limit:g} | {chosen(first, kind):.2g} | {rates(rest, warned)} | {decides}"
        yield f"| `{kind}` | {' and '.join(ways)} | {cells} |"
    yield ""
    yield "| inputs | doubtful of those off by more than 5 % | of those right to 1 % |"
    yield "| --- | --- | --- |"
    for way, hows in WAYS.items():
        rest = [r for r in rows if r["how"] in hows and r["problem"] not in fitted]
        yield f"| {way} | {rates(rest, [decided(r) for r in rest])} |"


def write(file: Path) -> None:
    """Put the tables between their marks."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    table = "\n".join(lines(rows))
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{after}")
    print(table)
