"""The tables of docs/peers.md: the same systems, run by everybody who is installed.

Costs are process time on one core, as multiples of a C loop over the same binaries
(benchmarks/floor.c), measured in turns with it. Whoever is not here is named with the reason.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.fmu import Floor, derivatives
from dovetail.fmi.model import Fmu

from . import case as cases
from .measure import ROOT, Cost, Failed, cost, distance, present, series
from .roll import PEERS

PAGE = ROOT / "docs" / "peers.md"
SIZES = (2, 10, 100, 1000)
WINDOWS = 200  # that results are compared over


def agreement(folder: Path) -> Iterator[str]:
    """How far everybody is from Dovetail at equal steps."""
    made = [
        *(cases.ring(10, folder, version) for version in (2, 3)),
        *(cases.oscillator(folder, version) for version in (2, 3)),
        *(cases.predation(folder, version) for version in (2, 3)),
    ]
    yield row("", *(f"{c.name}, FMI {c.version}" for c in made))
    yield ruler(len(made))
    ours = series("Dovetail", made, WINDOWS)
    for name in present()[1:]:
        able = [c for c in made if c.version in PEERS[name].versions]
        theirs = iter(series(name, able, WINDOWS))
        cells = []
        for c, reference in zip(made, ours, strict=True):
            if c not in able:
                cells.append("no FMI 3")
                continue
            found = next(theirs)
            off = None if found is None else distance(found, reference)
            cells.append("fails" if off is None else f"{off:.0e}" if off else "equal")
        yield row(name, *cells)


def stepping(
    folder: Path, sizes: Sequence[int], core: int, rounds: int
) -> tuple[dict[tuple[str, str, int], Cost], dict[tuple[str, int], float]]:
    """The least cost of everybody for rings, and that of the C loop, in several rounds."""
    fmu = Fmu(str(cases.build.build("linear", 2, folder)))
    floor = Floor(folder, fmu)
    found: dict[tuple[str, str, int], list[Cost]] = defaultdict(list)
    floors: dict[tuple[str, int], float] = {}
    for n in sizes:
        # times that are added up are exact: whoever does so is not charged for what FMUs do then
        case = cases.ring(n, folder, step=1 / 128)
        for mode in ("plain", "record"):
            loops = []
            for _ in range(rounds):
                seconds = partial(looped, floor, n, mode)
                loops += derivatives(max(400_000 // n, 1500), seconds)[:, 0].tolist()
                for name in present():
                    say(f"{name}: {n} FMUs, {mode}")
                    try:
                        one = cost(name, case, core, record=mode == "record")
                    except Failed as failure:
                        say(str(failure))
                        continue
                    found[name, mode, n].append(one)
            floors[mode, n] = median(loops)
    return {case: usual(measured) for case, measured in found.items()}, floors


def looped(floor: Floor, n: int, mode: str, windows: int) -> float:
    """Seconds of the C loop."""
    return floor.run(n, windows, mode)[0]


def usual(measured: Sequence[Cost]) -> Cost:
    """The usual one of several measurements.

    Of windows the median: most of them are slopes, and the least slope is that where noise helped.
    """
    return Cost(
        min(c.setup for c in measured),
        median(c.window for c in measured),
        min(c.megabytes for c in measured),
    )


def ratios(
    costs: dict[tuple[str, str, int], Cost],
    floors: dict[tuple[str, int], float],
    mode: str,
    sizes: Sequence[int],
) -> Iterator[str]:
    """Cost of a window over that of the C loop."""
    yield row("", *(f"{n} FMUs" for n in sizes))
    yield ruler(len(sizes))
    yield row(
        "the C loop, per FMU and step", *(f"{1e9 * floors[mode, n] / n:.0f} ns" for n in sizes)
    )
    for name in present():
        found = [costs.get((name, mode, n)) for n in sizes]
        pairs = zip(found, sizes, strict=True)
        yield row(
            name, *("failed" if c is None else digits(c.window / floors[mode, n]) for c, n in pairs)
        )


def setups(costs: dict[tuple[str, str, int], Cost], sizes: Sequence[int]) -> Iterator[str]:
    """What comes before the first window."""
    yield row("", *(f"{n} FMUs" for n in sizes), f"memory with {sizes[-1]}")
    yield ruler(len(sizes) + 1)
    for name in present():
        found = [costs.get((name, "plain", n)) for n in sizes]
        last = found[-1]
        yield row(
            name,
            *("failed" if c is None else f"{digits(c.setup)} s" for c in found),
            f"{last.megabytes:.0f} MB" if last is not None and last.megabytes else "",
        )


def facts() -> str:
    """When and on what this was measured."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.findall(r"model name\s*: (.*)", text)
    machine = model[0].strip() if model else platform.machine()
    cores = len(os.sched_getaffinity(0))
    day = datetime.datetime.now(tz=datetime.UTC).strftime("%-d %B %Y")
    releases = ", ".join(
        dict.fromkeys(f"{name.partition(',')[0]} {PEERS[name].release()}" for name in present())
    )
    absent = "; ".join(f"{n}: {p.missing()}" for n, p in PEERS.items() if p.missing())
    told = (
        f"Measured on {day}: {machine}, {cores} cores of which one is used, Linux, "
        f"CPython {platform.python_version()}. {releases}."
    )
    if os.getloadavg()[2] > cores / 2:
        told += (
            " The machine was busy with other work: ratios are good to a factor of two, no more."
        )
    return told + (f" Not run: {absent}." if absent else "")


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def ruler(columns: int) -> str:
    return "| --- |" + " ---: |" * columns


def digits(value: float) -> str:
    """Two digits, and no exponent."""
    if value >= 10:
        size = 10 ** (len(str(int(value))) - 2)
        return str(round(value / size) * size)
    return f"{value:.2g}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def written(page: str, tables: dict[str, str]) -> str:
    """The page with these tables between their marks."""
    for name, table in tables.items():
        begin, end = f"<!-- measured: {name} -->", "<!-- end -->"
        pattern = re.compile(f"({re.escape(begin)}\n).*?(\n{re.escape(end)})", re.DOTALL)
        page = pattern.sub(lambda m, table=table: f"{m[1]}\n{table}\n{m[2]}", page)
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/peers.md")
    parser.add_argument("--quick", action="store_true", help="up to 100 FMUs only")
    parser.add_argument("--rounds", type=int, default=3, help="so many measurements of everything")
    arguments = parser.parse_args()
    sizes = SIZES[:-1] if arguments.quick else SIZES
    core = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = {"facts": facts(), "agreement": "\n".join(agreement(folder))}
        costs, floors = stepping(folder, sizes, core, arguments.rounds)
    tables["stepping"] = "\n".join(ratios(costs, floors, "plain", sizes))
    tables["recording"] = "\n".join(ratios(costs, floors, "record", sizes))
    tables["setup"] = "\n".join(setups(costs, sizes))
    for title, table in tables.items():
        print(f"\n{title}\n\n{table}")
    if arguments.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
