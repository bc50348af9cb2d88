"""A table in C: linear between its rows, held before the first and after the last."""

from __future__ import annotations

import numpy as np

from ...core.obstacle import Obstacle
from ...core.signals import Vector
from ...models import Table
from ...models.table_curves import TableCurves
from ...tracing.c_code import literal

COLUMN = "column"  # the operation on a tape: a column of the table at a time

_FUNCTION = """\
static double column(int j, double t) {
    int below = 0, above = N_ROWS;
    while (below < above) {
        int middle = (below + above) / 2;
        if (times[middle] <= t) below = middle + 1; else above = middle;
    }
    int k = below - 1;
    if (k < 0) return rows[j];
    if (k >= N_ROWS - 1) return rows[(N_ROWS - 1) * N_COLUMNS + j];
    double share = (t - times[k]) / (times[k + 1] - times[k]);
    double here = rows[k * N_COLUMNS + j];
    return here + share * (rows[(k + 1) * N_COLUMNS + j] - here);
}
"""


def matrix_of(table: Table) -> Vector:
    """Its columns side by side."""
    return np.column_stack([np.asarray(v, dtype=float) for v in table.data.values()])


def table_source(table: Table) -> str:
    """Its data, and the function `column`."""
    matrix = matrix_of(table)
    times, rows = (", ".join(map(literal, a.ravel().tolist())) for a in (table.times, matrix))
    return (
        f"enum {{ N_ROWS = {matrix.shape[0]}, N_COLUMNS = {matrix.shape[1]} }};\n"
        f"static const double times[] = {{{times}}};\n"
        f"static const double rows[] = {{{rows}}};\n\n{_FUNCTION}\n"
    )


def curves_of(table: Table) -> TableCurves:
    """The same in Python."""
    ways = tuple("linear" for _ in table.data)
    return TableCurves(table.times, matrix_of(table), ways, table.outside)


def against_table(table: Table, name: str) -> list[Obstacle]:
    """What stands against it."""
    found = []
    if len(table.jumps):
        found.append(Obstacle("has jumps, where windows end", name))
    for column, way in table.ways.items():
        if way == "cubic":
            change = "interpolation='linear'"
            found.append(Obstacle(f"has a column that is cubic ('{column}')", name, change))
    if table.outside != "hold":
        what = f"is '{table.outside}' outside its data, where exports hold the first and last row"
        found.append(Obstacle(what, name, "outside='hold'"))
    return found
