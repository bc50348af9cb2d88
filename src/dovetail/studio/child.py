"""A process of its own: it runs a system, or asks its parts, so that a crash costs nobody else.

    python -m dovetail.studio.child FD

`FD` is a socket to the studio. The job comes first; messages go both ways from then on.
"""

from __future__ import annotations

import pickle
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.brief import brief
from ..core.errors import DovetailError, OptionError, RunError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..entry.second_try import planned_anew
from ..formats.families import as_data
from ..hosts.placement import Isolated
from ..hosts.process import can_isolate, die_with_parent
from ..results.ledger import compared, created
from ..results.recorders import File
from ..results.result import Result
from ..run.session import Session
from ..verification.verified import verified
from .control import Line, Wishes
from .driving import Driver
from .plain import plain
from .story import curves_as_data
from .study_jobs import benchmarked, swept


def main(descriptor: int) -> int:
    """Do the job, and say how it went; the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the studio says when to stop
    line = Line(socket.socket(fileno=descriptor))
    kind, parent, given = pickle.loads(line.job())  # of our own server
    if can_isolate():
        die_with_parent(parent)
    wishes = Wishes(line)
    try:
        match kind:
            case "advise":
                line.say("advice", **advised(given["system"]))
            case "benchmark":
                line.say("found", **benchmarked(given, line))
            case "sweep":
                line.say("found", **swept(given, line))
            case _:
                line.say("finished", **run(given, line, wishes))
    except RunError as error:
        line.say("failed", text=str(error), **_so_far(error.result))
    except DovetailError as error:
        line.say("refused", text=str(error))
    except Exception as error:
        line.say(
            "failed", text=f"the run met an error of Dovetail: {type(error).__name__}: {error}"
        )
    line.close()
    return 0


def advised(system: System) -> dict[str, Any]:
    """What `check` recommends, as settings of a run, and why; parts are started for it."""
    report = system.check()
    found = report.recommendation
    if found is None:
        return {"text": "", "run": None, "lines": []}
    run: dict[str, Any] = {"algorithm": as_data(found.algorithm)}
    if found.controller is not None:
        run["controller"] = as_data(found.controller)
    lines = [] if report.outlook is None else report.outlook.lines()
    junctions = [text.strip() for note in report.junctions for text in note.lines()]
    speed = "" if report.native is None else f"{report.coupling} {report.native}"
    text = f"{found}."
    return {"text": text, "run": run, "lines": [*lines, *junctions], "speed": speed}


def run(given: dict[str, Any], line: Line, wishes: Wishes) -> dict[str, Any]:
    """Run a system to its end, or to where it is stopped."""
    system: System = given["system"]
    settings = RunSettings(recorder=File(Path(given["path"])))
    if given["isolate"]:
        settings = RunSettings(recorder=settings.recorder, placement=Isolated())
    verify = given["verify"]
    wishes.pace = given.get("pace")
    line.say("started", start=system.run_settings.start or 0.0, stop=system.run_settings.stop)

    def once() -> Result:
        with verified(system, settings, verify) as planned:
            options = planned.settings.options()
            driver = Driver(line, wishes, Path(given["marks"]), given["known"])
            mark, is_first = driver.first(given["from"]), True
            while True:
                resume = None if mark is None else mark.path
                with Session(
                    system, **options, resume=resume, quiet=True, progress=False
                ) as session:
                    if is_first:
                        ways = brief(session.algorithm), brief(session.controller)
                        line.say("chosen", algorithm=ways[0], controller=ways[1])
                    is_first = False
                    if mark is None:
                        planned.attach(session)
                    else:
                        Path(given["path"]).unlink(missing_ok=True)  # its rows are taken over
                        driver.back(session)
                    mark = driver.drive(session)
                    if mark is None:
                        return session.result

    result = planned_anew(system, settings, once)
    return {**_so_far(result), "stopped": wishes.is_stopped}


def _so_far(result: Result | None) -> dict[str, Any]:
    """What there is to say about the result."""
    if result is None:
        return {}
    verdict, cost = result.verdict, result.statistics
    weakest = verdict.weakest if verdict is not None else None
    errors = sorted((verdict.errors if verdict else {}).items(), key=lambda one: -one[1])
    return {
        "status": verdict.status if verdict is not None else "",
        "lines": verdict.lines() if verdict is not None else [],
        "finished": bool(verdict is not None and verdict.finished),
        "weakest": weakest,
        "weakest_time": plain(verdict.weakest_time) if verdict is not None else None,
        "errors": [[name, plain(error)] for name, error in errors[:50]],
        "bonds": [plain(dict(b)) for b in verdict.bonds] if verdict is not None else [],
        "windows": cost.windows,
        "native_windows": cost.native_windows,
        "evaluations": cost.evaluations,
        "events": cost.events,
        "seconds": plain(cost.wall_seconds),
        "seconds_by_part": plain(cost.seconds_by_part),
        "ledger": _ledger(result),
        "messages": [str(m) for m in result.facts.get("messages", ())][:100],
        "time": plain(result.time[-1]) if len(result.time) else None,
    }


def _ledger(result: Result) -> dict[str, Any]:
    """What coupling created at power ports, and how far ports disagreed that meet."""
    if not result.facts.get("ledger"):
        return {}
    found = {"created": curves_as_data(*created(result.facts))}
    with suppress(OptionError):  # ports that make plain wires agree
        found["disagreed"] = curves_as_data(*compared(result.facts))
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
