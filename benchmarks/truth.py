"""How true estimated errors are: coupled problems against tight solutions of all equations.

    python benchmarks/truth.py [PROBLEM ...] [--runs runs.jsonl] [--sample N] [--skip K] [--write]

Every problem of tests/truth, every way to couple it that its parts allow, three windows (or
tolerances) each, and one run with nothing said. Each run is one line of `runs.jsonl`, with its
true and its estimated error; what is there already is not run again, so that it can be stopped
and continued. A run that takes longer than `--seconds` of processor time is given up and counted.

The threshold is fitted on every second problem and reported on the others. `--write` puts the
tables into docs/right.md. All of it takes some forty minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent / "tests")  # in place of this folder, which has a truth.py too

from truth.problems import PROBLEMS, TruthProblem, reference, true_errors  # noqa: E402
from truth.table import defaults, report  # noqa: E402
from truth.ways import follows, ways  # noqa: E402

import dovetail as dv  # noqa: E402
from dovetail.verification.companion import Trajectory  # noqa: E402

RIGHT = HERE.parent / "docs" / "right.md"


class Late(Exception):
    """A run takes too long."""


def _late(*_: Any) -> None:
    raise Late


def measured(problem: TruthProblem, truth: Trajectory, options: dict[str, Any], limit: float):
    """What came of one run: its true error, what was estimated, and what it cost."""
    signal.setitimer(signal.ITIMER_PROF, limit)
    signal.alarm(int(10 * limit))  # a second run has processor time of its own
    try:
        result = dv.simulate(problem.draw(), stop=problem.stop, verify=True, quiet=True, **options)
    except Late:
        return {"failure": f"more than {limit:g} s"}
    except (dv.DovetailError, ArithmeticError) as error:
        return {"failure": str(error)[:200]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    verdict = result.verdict
    assert verdict is not None
    if follows(options):
        truth = reference(problem, result.time)
    errors = true_errors(Trajectory.of(result), truth)
    worst = max(errors, key=lambda name: errors[name])
    return {
        "true": errors[worst],
        "where": worst,
        "estimate": verdict.error,
        "at": verdict.worst,
        "status": verdict.status,
        "way": verdict.verified_by or verdict.unverified[:200],
        "events": list(verdict.events),
        "hints": [hint.kind for hint in verdict.hints],
        "evaluations": result.statistics.evaluations,
        "companion": verdict.companion_evaluations,
    }


def campaign(names: list[str], path: Path, limit: float, sample: int, skip: int) -> None:
    """Run what is not there yet."""
    known = {(r["problem"], r["algorithm"], r["k"]) for r in runs(path)}
    with path.open("a") as lines:
        for name in names:
            problem = PROBLEMS[name]
            chosen = _sampled(list(ways(problem)), list(PROBLEMS).index(name) + skip, sample)
            left = [(how, k, o) for how, k, o in chosen if (name, how, k) not in known]
            if not left:
                continue
            truth = reference(problem)
            for how, k, options in left:
                found = measured(problem, truth, options, limit)
                line = {"problem": name, "algorithm": how, "k": k, **found}
                print(json.dumps(line), file=lines, flush=True)
            print(f"{name}: {len(left)} runs", flush=True)


def _sampled(found: list[Any], first: int, sample: int) -> list[Any]:
    """Every so many of them, from another one on in each problem, and that with nothing said."""
    return [*found[first % sample : -1 : sample], found[-1]]


def runs(path: Path) -> Iterator[dict[str, Any]]:
    """Those that were made so far."""
    if path.exists():
        yield from (json.loads(line) for line in path.read_text().splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("problems", nargs="*", choices=[*PROBLEMS, []], default=[])
    parser.add_argument("--runs", type=Path, default=Path("truth-runs.jsonl"))
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only every Nth run")
    parser.add_argument("--skip", type=int, default=0, metavar="K", help="another sample")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    signal.signal(signal.SIGPROF, _late)
    signal.signal(signal.SIGALRM, _late)
    names = given.problems or list(PROBLEMS)
    campaign(names, given.runs, given.seconds, given.sample, given.skip)
    found = list(runs(given.runs))
    tables = {"truth": report(found), "defaults": defaults(found)}
    for name, table in tables.items():
        print(f"\n{table}")
        if given.write:
            text, (begin, end) = RIGHT.read_text(), (f"<!-- {name}: ", f"<!-- end of {name} -->")
            start = text.index("\n", text.index(begin)) + 1
            RIGHT.write_text(f"{text[:start]}\n{table}\n\n{text[text.index(end) :]}")


if __name__ == "__main__":
    main()
