"""What pages ask that takes its time: answered beside everything else, not in its turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..core.errors import OptionError
from ..fmi.documentation import documentation_of
from ..fmi.model import Fmu
from .advising import advice_for
from .checked import ways_of
from .desk import Desk
from .differences import difference_of
from .names import checked_names
from .solving import coordinators
from .story import story_of

_MOST_NAMES = 3000  # that a field offers


def ways(desk: Desk) -> list[dict[str, Any]]:
    """Which algorithms can run the drawing."""
    return ways_of(desk.copy())


def advice(desk: Desk) -> dict[str, Any]:
    """What it should be run with; asked of the parts, which takes a moment."""
    return advice_for(desk.copy(), desk.folder)


def ruled_out(desk: Desk, part: str) -> list[str]:
    """What the whole drawing cannot be run with because of a part that is shown."""
    with_inside = [*desk.inside, part]
    name = f"'{with_inside[0]}'"
    return [way["what"] for way in ways_of(desk.copy()) if not way["able"] and name in way["what"]]


def documentation(desk: Desk, part: str) -> str:
    """What the model of a part brings to be read."""
    model = desk.shown_part(part).model
    return documentation_of(model) if isinstance(model, Fmu) else ""


def links(desk: Desk) -> str:
    """All wires of what is shown, as CSV."""
    return desk.view.links()


def story(desk: Desk, run: int) -> dict[str, Any]:
    """How a run went that is over: windows, events, and the ledger of its power ports."""
    told = desk.runs[run]
    if not told.is_over:
        raise OptionError(f"run {run} goes on; how it went is told at its end")
    if not told.feed.rows:
        return {"windows": {"times": [], "sizes": []}, "events": [], "event_count": 0}
    return {**story_of(told.path), **told.ledger}


def difference(desk: Desk, run: int, other: int, names: list[str]) -> dict[str, Any]:
    """By how much two runs differ."""
    one, two = desk.runs[run], desk.runs[other]
    if not (one.feed.rows and two.feed.rows):
        raise OptionError("one of these runs has no rows")
    return difference_of(one.path, two.path, checked_names(names))


def studies(desk: Desk) -> list[dict[str, Any]]:
    """All benchmarks and sweeps."""
    return desk.studies.listed()


def study(desk: Desk, number: int) -> dict[str, Any]:
    """One of them, with what came of it."""
    return desk.studies.told(number)


def benchmark(desk: Desk, **asked: Any) -> int:
    """Try the algorithms that can run the drawing; its number."""
    return desk.studies.benchmark(desk.copy(), **asked).number


def sweep(desk: Desk, vary: dict[str, Any], record: list[str]) -> int:
    """Run the drawing with combinations of values; its number."""
    return desk.studies.sweep(desk.copy(), vary, record).number


def end_study(desk: Desk, number: int) -> None:
    """Stop one that goes on."""
    desk.studies.stop(number)


def settable(desk: Desk) -> list[str]:
    """What can be given a value: parameters, start values, and inputs that nothing feeds."""
    system = desk.copy()
    return [
        f"{p.name}.{v.name}"
        for p in system.parts.values()
        for v in (*p.description.parameters, *p.description.inputs)
        if not system.is_fed(p.name, v.name)
    ][:_MOST_NAMES]


def servers(desk: Desk, search: str = "") -> list[dict[str, Any]]:
    """Part servers, and what each of them offers."""
    return desk.servers.listed(search)


def add_server(desk: Desk, address: str, **access: Any) -> str:
    """Show one more, with the files or the token to get in."""
    return desk.servers.add(address, access)


def remove_server(desk: Desk, address: str) -> None:
    """Show it no longer."""
    desk.servers.remove(address)


def ways_to_solve(desk: Desk) -> list[dict[str, str]]:
    """The coordinators that a junction may be given."""
    return coordinators()


QUESTIONS: Mapping[str, Callable[..., Any]] = {
    "ways": ways, "advice": advice, "story": story, "difference": difference, "studies": studies,
    "study": study, "benchmark": benchmark, "sweep": sweep, "end_study": end_study,
    "ruled_out": ruled_out, "documentation": documentation, "links": links,
    "servers": servers, "add_server": add_server, "remove_server": remove_server,
    "coordinators": ways_to_solve, "settable": settable,
}  # fmt: skip
