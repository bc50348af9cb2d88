"""Tables and pictures of docs/work-precision.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.__main__ import written
from benchmarks.peers.case import Case
from benchmarks.peers.measure import Failed, cost, present, series

from . import entries, pictures, study
from .problems import PROBLEMS, ROOT, Problem
from .study import Curve, Point

PAGE = ROOT / "docs" / "work-precision.md"
IMAGES = ROOT / "docs" / "images"
KEPT = ROOT / "build" / "work_precision.json"  # what the last study found
GOALS = (3e-2, 1e-3, 1e-5)
STEERING = 1e-3  # that controllers are compared at

Found = dict[str, dict[str, Any]]


def beside(problem: Problem, folder: Path) -> list[Curve]:
    """The peers, with held inputs and fixed windows."""
    if problem.case is None:
        return []
    curves = []
    for name in present()[1:]:
        say(f"{problem.name}: {name}")
        made = [problem.case(folder, size) for size in problem.sizes]
        try:
            per_window = cost(name, made[0]).window
            points = tuple(
                point(problem, made[k], rows, per_window)
                for k in range(len(made))
                for rows in series(name, made[k : k + 1], windows(problem, made[k].step))
            )
            curves.append(Curve(name, points))
        except Failed as failure:
            curves.append(Curve(name, (), str(failure)))
    return curves


def windows(problem: Problem, size: float) -> int:
    return round(problem.stop / size)


def point(problem: Problem, case: Case, rows: Any, per_window: float) -> Point:
    """What a peer found, beside the truth."""
    if rows is None:
        raise Failed("it does not run")
    assert [f"{part}.{output}" for part, output in case.watched] == list(problem.watched)
    count = len(rows)
    time = case.step * np.arange(count + 1)
    found = np.hstack([problem.exact(time[:1]), rows.T])  # not all can be seen at the start
    error = problem.error(time, found)
    return Point(count * len(case.parts), count * per_window, error)


def everything(names: Sequence[str], folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """All curves of these problems."""
    for name in names:
        problem = PROBLEMS[name]
        by_algorithm = []
        for entry in entries.by_algorithm(problem):
            say(f"{name}: {entry.title}")
            by_algorithm.append(study.curve(problem, entry, folder))
        ladders: dict[str, list[Curve]] = {}
        for title, some in entries.by_controller(problem).items():
            say(f"{name}: {title}")
            ladders[title] = [study.curve(problem, entry, folder) for entry in some]
        yield (
            name,
            {
                "algorithms": [c.to_json() for c in by_algorithm],
                "controllers": {k: [c.to_json() for c in v] for k, v in ladders.items()},
                "peers": [c.to_json() for c in beside(problem, folder)],
            },
        )


def curves(found: list[dict[str, Any]]) -> list[Curve]:
    return [Curve.from_json(c) for c in found]


def winners(found: Found) -> Iterator[str]:
    """Who needs least for some errors: of all, and of those who ask nothing of the parts."""
    yield "| problem | error | fewest advances | fewest in a single pass | least time |"
    yield "| --- | ---: | --- | --- | --- |"
    for name, problem in PROBLEMS.items():
        if name not in found:
            continue
        known = curves(found[name]["algorithms"])
        single = [c for c in known if once(c.title)]
        for goal in GOALS:
            yield (
                f"| {problem.title} | {goal:.0e} | {best(known, goal, 'work')} | "
                f"{best(single, goal, 'work')} | {best(known, goal, 'seconds')} |"
            )


def once(title: str) -> bool:
    """Whether nothing is repeated."""
    return title in {e.title for e in entries.by_algorithm(PROBLEMS["predation"]) if _plain(e)}


def _plain(entry: entries.Entry) -> bool:
    return not entry.algorithm.repeats


def best(known: Sequence[Curve], goal: float, what: str) -> str:
    """The cheapest, and what it takes."""
    costs = [(c.cost(goal, what), c.title) for c in known]
    able = [(value, title) for value, title in costs if value is not None]
    if not able:
        return "none"
    value, title = min(able, key=lambda pair: (pair[0], len(pair[1])))
    told = f"{value:.0f}" if what == "work" else f"{1e3 * value:.{0 if value > 0.01 else 1}f} ms"
    return f"`{title}` {told}"


def steering(found: Found) -> Iterator[str]:
    """Advances that each controller takes for the same error, with both algorithms."""
    known = [name for name in PROBLEMS if name in found]
    yield "| controller | " + " | ".join(PROBLEMS[name].title for name in known) + " |"
    yield "| --- |" + " ---: |" * len(known)
    for title in entries.LADDERS:
        cells = []
        for name in known:
            pair = curves(found[name]["controllers"].get(title, []))
            cells.append(" / ".join(_advances(c) for c in pair))
        yield f"| `{title}` | " + " | ".join(cells) + " |"


def _advances(curve: Curve) -> str:
    if not curve.points:
        return "no"
    work = curve.cost(STEERING)
    return "more" if work is None else f"{work:.0f}"


def solvers(found: Found) -> Iterator[str]:
    """Advances that schemes take for the same error, with each of the root finders."""
    known = [name for name in PROBLEMS if name in found]
    yield "| algorithm | " + " | ".join(PROBLEMS[name].title for name in known) + " |"
    yield "| --- |" + " ---: |" * len(known)
    tables = {name: {c.title: c for c in curves(found[name]["algorithms"])} for name in known}
    for entry in entries.with_solvers(PROBLEMS["predation"]):
        cells = [_advances(tables[name][entry.title]) for name in known]
        yield f"| `{entry.title}` | " + " | ".join(cells) + " |"


def absent(found: Found) -> Iterator[str]:
    """Who did not run, and why."""
    yield "| problem | algorithm | why not |"
    yield "| --- | --- | --- |"
    for name in found:
        for curve in curves(found[name]["algorithms"]):
            if not curve.points:
                yield f"| {PROBLEMS[name].title} | `{curve.title}` | {short(curve.reason)} |"


def short(reason: str) -> str:
    """The first sentence, on one line."""
    line = " ".join(reason.split())
    return line if len(line) < 160 else line[:157] + "..."


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


TABLES: dict[str, Callable[[Found], Iterator[str]]] = {
    "winners": winners,
    "solvers": solvers,
    "steering": steering,
    "absent": absent,
}


def compared(folder: Path) -> str:
    """The table of solvers alone: a few minutes instead of an hour, and no seconds."""
    found: Found = {}
    for name, problem in PROBLEMS.items():
        some = entries.with_solvers(problem)
        say(f"{name}: {len(some)} algorithms")
        one = [study.curve(problem, entry, folder, repeat=False).to_json() for entry in some]
        found[name] = {"algorithms": one}
    return "\n".join(solvers(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="tables and pictures into docs/")
    parser.add_argument("--kept", action="store_true", help="from the last study; nothing is run")
    parser.add_argument("problems", nargs="*", help="these only; the others from the last study")
    parser.add_argument("--solvers", action="store_true", help="the table of solvers alone")
    arguments = parser.parse_args()
    if arguments.solvers:
        with tempfile.TemporaryDirectory() as folder:
            table = compared(Path(folder))
        print(table)
        if arguments.write:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(written(page, {"solvers": table}), encoding="utf-8")
        return
    found: Found = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if not arguments.kept:
        with tempfile.TemporaryDirectory() as folder:
            for name, one in everything(arguments.problems or list(PROBLEMS), Path(folder)):
                found[name] = one
                KEPT.parent.mkdir(exist_ok=True)
                KEPT.write_text(json.dumps(found))
    tables = {name: "\n".join(table(found)) for name, table in TABLES.items()}
    for table in tables.values():
        print(table, end="\n\n")
    if arguments.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
        for name, problem in PROBLEMS.items():
            target = IMAGES / f"precision-{name.replace(' ', '-')}.png"
            one = found[name]
            peers = [c for c in curves(one["peers"]) if c.points]
            pictures.algorithms(problem, curves(one["algorithms"]), peers, target)
        ladders = {n: {k: curves(v) for k, v in found[n]["controllers"].items()} for n in PROBLEMS}
        pictures.controllers(ladders, IMAGES / "precision-controllers.png")


if __name__ == "__main__":
    main()
