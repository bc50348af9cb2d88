"""Rows of a run as CSV, all of them: what a plot shows may be fewer."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator
from math import inf, isnan

import numpy as np
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from ...core.errors import DovetailError, OptionError
from ..feed import is_number, recorded
from ..names import checked_names
from .hub import Hub

_AT_ONCE = 2000  # rows of a piece


async def rows_as_csv(request: Request, hub: Hub) -> Response:
    """`?run=1&begin=0&end=2&name=a.x&name=a.v` as a file with a column for each name."""
    asked = request.query_params
    try:
        run, begin, end = (int(asked["run"]), float(asked.get("begin", -inf)),
                           float(asked.get("end", inf)))  # fmt: skip
        if isnan(begin) or isnan(end):
            raise ValueError
    except (KeyError, ValueError):
        return PlainTextResponse("rows are asked for by run, begin, end and names", 400)
    try:
        names = checked_names(asked.getlist("name"))
        made = await asyncio.to_thread(_lines, hub, run, names, begin, end)
    except DovetailError as error:
        return PlainTextResponse(str(error), 404)
    return StreamingResponse(
        made, media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="run{run}.csv"'},
    )  # fmt: skip


def _lines(hub: Hub, run: int, names: list[str], begin: float, end: float) -> Iterator[str]:
    table = recorded(hub.desk.runs[run].path)
    known = [name for name in names if is_number(table, name)]
    if not known:
        raise OptionError(f"run {run} recorded no numbers of these signals")
    time = np.asarray(table.time, float)
    rows = slice(np.searchsorted(time, begin, "left"), np.searchsorted(time, end, "right"))
    columns = [time[rows], *(np.asarray(table[name][rows], float) for name in known)]
    units = {name: table.column(name).unit for name in known}
    heads = ["time [s]", *(f"{n} [{units[n]}]" if units[n] else n for n in known)]
    return _pieces(heads, columns)


def _pieces(heads: list[str], columns: list[np.ndarray]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    for first in range(0, len(columns[0]), _AT_ONCE):
        part = [c[first : first + _AT_ONCE].tolist() for c in columns]
        writer.writerows(zip(*part, strict=True))
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()
