"""A table in C: columns held, linear or cubic between rows; constant outside."""

from __future__ import annotations

import numpy as np

from ...core.obstacle import Obstacle
from ...core.signals import Vector
from ...models import Table
from ...models.table_curves import TableCurves
from ...tracing.c_code import literal

COLUMN = "column"  # the operation on a tape: a column of the table at a time
_WAYS = ("linear", "hold", "cubic")

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
    double here = rows[k * N_COLUMNS + j], next = rows[(k + 1) * N_COLUMNS + j];
    if (ways[j] == HELD) return here;
    double h = times[k + 1] - times[k], share = (t - times[k]) / h;
    if (ways[j] == LINEAR) return here + share * (next - here);
    double left = slopes[k * N_COLUMNS + j], right = slopes[(k + 1) * N_COLUMNS + j];
    double rest = 1 - share;
    double bent = rest * rest * ((1 + 2 * share) * here + share * h * left);
    return bent + share * share * ((1 + 2 * rest) * next - rest * h * right);
}
"""


def matrix_of(table: Table) -> Vector:
    """Its columns side by side."""
    return np.column_stack([np.asarray(v, dtype=float) for v in table.data.values()])


def table_source(table: Table) -> str:
    """Its data, and the function `column`."""
    curves = curves_of(table)
    matrix, cubic = curves.matrix, curves.cubic is not None
    slopes = curves.derivatives if cubic else np.zeros(1)
    data = (table.times, matrix, slopes)
    times, rows, bends = (", ".join(map(literal, a.ravel().tolist())) for a in data)
    ways = ", ".join(str(_WAYS.index(way)) for way in curves.ways)
    return (
        f"enum {{ N_ROWS = {matrix.shape[0]}, N_COLUMNS = {matrix.shape[1]} }};\n"
        "enum { LINEAR, HELD };\n"
        f"static const int ways[] = {{{ways}}};\n"
        f"static const double times[] = {{{times}}};\n"
        f"static const double rows[] = {{{rows}}};\n"
        f"static const double slopes[] = {{{bends}}};\n\n{_FUNCTION}\n"
    )


def curves_of(table: Table) -> TableCurves:
    """The same in Python."""
    ways = tuple(table.ways[name] for name in table.data)
    return TableCurves(table.times, matrix_of(table), ways, table.outside)


def against_table(table: Table, name: str) -> list[Obstacle]:
    """What stands against it."""
    if table.outside == "hold":
        return []
    what = f"is '{table.outside}' outside its data, where exports hold the first and last row"
    return [Obstacle(what, name, "outside='hold'")]
