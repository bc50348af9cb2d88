"""A table in C: columns held, linear or cubic between rows, and as it is told outside."""

from __future__ import annotations

import numpy as np

from ...core.obstacle import Obstacle
from ...core.signals import Vector
from ...models import Table
from ...models.table_curves import TableCurves
from ...tracing.c_code import literal

COLUMN = "column"  # the operation on a tape: a column of the table at a time
_WAYS = ("linear", "hold", "cubic")
_OUTSIDE = ("hold", "linear", "periodic")

_FUNCTION = """\
static int rows_before(double t) {
    int below = 0, above = N_ROWS;
    while (below < above) {
        int middle = (below + above) / 2;
        if (times[middle] <= t) below = middle + 1; else above = middle;
    }
    return below;
}

static double beyond(int j, int k, double t, const double *rates) {
    double end = rows[k * N_COLUMNS + j];
    return OUTSIDE == GOES_ON ? end + (t - times[k]) * rates[j] : end;
}

/* The row before or at a time, -1 before the first, and what repetition adds to times. */
static int row_at(double t, double *add) {
    enum { LAST = N_ROWS - 1 };
    *add = 0;
    if (OUTSIDE != PERIODIC) return rows_before(t) - 1;
    double period = times[LAST] - times[0], cycle = floor((t - times[0]) / period);
    while (t < times[0] + cycle * period) cycle -= 1;
    while (t >= times[0] + (cycle + 1) * period) cycle += 1;
    *add = cycle * period;
    int k = rows_before(t - *add) - 1;
    k = k < 0 ? 0 : k > LAST ? LAST : k;
    while (k > 0 && (times[k] + *add > t || times[k] == times[LAST])) k--;
    while (k + 1 < LAST && times[k + 1] + *add <= t && times[k + 1] < times[LAST]) k++;
    return k;
}

static double column(int j, double t) {
    double add;
    int k = row_at(t, &add);
    if (k < 0) return beyond(j, 0, t, before);
    if (k >= N_ROWS - 1) return beyond(j, N_ROWS - 1, t, after);
    double here = rows[k * N_COLUMNS + j], next = rows[(k + 1) * N_COLUMNS + j];
    if (ways[j] == HELD) return here;
    double h = times[k + 1] - times[k], share = (t - (times[k] + add)) / h;
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
    ends = (curves.end_rates(0), curves.end_rates(table.times.size - 1))
    data = (table.times, matrix, slopes, *ends)
    times, rows, bends, before, after = (", ".join(map(literal, a.ravel().tolist())) for a in data)
    ways = ", ".join(str(_WAYS.index(way)) for way in curves.ways)
    return (
        f"enum {{ N_ROWS = {matrix.shape[0]}, N_COLUMNS = {matrix.shape[1]} }};\n"
        "enum { LINEAR, HELD };\n"
        f"enum {{ STAYS, GOES_ON, PERIODIC, OUTSIDE = {_OUTSIDE.index(table.outside)} }};\n"
        f"static const int ways[] = {{{ways}}};\n"
        f"static const double times[] = {{{times}}};\n"
        f"static const double rows[] = {{{rows}}};\n"
        f"static const double slopes[] = {{{bends}}};\n"
        f"static const double before[] = {{{before}}};\n"
        f"static const double after[] = {{{after}}};\n\n{_FUNCTION}\n"
    )


def curves_of(table: Table) -> TableCurves:
    """The same in Python."""
    ways = tuple(table.ways[name] for name in table.data)
    return TableCurves(table.times, matrix_of(table), ways, table.outside)


def against_table(table: Table, name: str) -> list[Obstacle]:
    """What stands against it."""
    if table.outside in _OUTSIDE:
        return []
    return [Obstacle("ends with an error outside its data", name, "outside='hold'")]
