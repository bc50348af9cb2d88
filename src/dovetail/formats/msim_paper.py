"""How a drawing looks, in comments of a MasterSim project, which has no place for it.

One line for each of `layout`, `look` and `plots`, with what a YAML file has there, as JSON:
`# dovetail plots [["tank.level"]]`. MasterSim passes over comments, and drops them when it saves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError

from ..core.errors import FileError
from ..drawing.system import System
from .layout import LookEntry, paper_data, plots_data, plots_of, sketch_of
from .msim_project import PAPER
from .problems import sentences
from .schema import Entry, Place, PlotEntry, as_plot


class PaperEntry(Entry):
    """All of it."""

    layout: dict[str, Place] = Field(default_factory=dict)
    look: LookEntry = LookEntry()
    plots: list[Annotated[PlotEntry, BeforeValidator(as_plot)]] = Field(default_factory=list)


def paper_lines(system: System) -> Iterator[str]:
    """Comments that keep how a drawing looks; none if nobody said so."""
    found = paper_data(system)
    if system.sketch.plots:
        found["plots"] = plots_data(system.sketch.plots)
    for key, data in found.items():
        yield f"# {PAPER}{key} {json.dumps(data, ensure_ascii=False)}"


def put_paper(system: System, lines: Sequence[tuple[int, str]], name: str) -> None:
    """Give a drawing what its comments keep, each with the number of its line."""
    for number, line in lines:
        key, _, text = line.partition(" ")
        try:
            entry = PaperEntry.model_validate({key: json.loads(text)})
        except (ValueError, RecursionError) as error:  # pydantic's is a ValueError
            what = "it is damaged"
            if isinstance(error, ValidationError):
                what = next(sentence for _, sentence in sentences(error, PaperEntry))
            where = f"{name}:{number}"
            raise FileError(where, f"the comment '# {PAPER}{key}': {what}", "take it out") from None
        if key == "plots":
            plots = plots_of(((p.signals, p.over) for p in entry.plots), system.parts)
            system.sketch = replace(system.sketch, plots=plots)
        elif key == "layout":
            system.sketch = replace(
                system.sketch, boxes=sketch_of(entry.layout, LookEntry(), system).boxes
            )
        else:
            _put_look(system, entry.look)


def _put_look(system: System, look: LookEntry) -> None:
    places = paper_data(system).get("layout", {})
    corners = {n: (x, y, w, h) for n, (x, y, w, h) in places.items()}
    system.sketch = replace(sketch_of(corners, look, system), plots=system.sketch.plots)
