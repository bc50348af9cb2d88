"""A model for notebooks: its kind, and a table of its variables."""

from __future__ import annotations

from collections.abc import Sequence

from .description import Description, Variable
from .markup import card, folded, paragraph, table

HEADS = ("name", "is", "type", "start", "unit", "description")
_SHOWN, _MOST = 20, 500  # rows that are not folded away; rows at all


class ModelPage:
    """A model whose variables are shown as a table by notebooks."""

    __slots__ = ()

    @property
    def description(self) -> Description:
        """The model seen from outside."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return model_page(self.description)


def model_page(d: Description) -> str:
    """A model seen from outside."""
    found = {"input": d.inputs, "output": d.outputs, "parameter": d.parameters}
    counts = ", ".join(f"{len(v)} {sort}{'s' * (len(v) != 1)}" for sort, v in found.items())
    rows = [_row(sort, v) for sort, variables in found.items() for v in variables]
    ports = [f"port {name}: {p.domain}, {p.effort} and {p.flow}" for name, p in d.ports.items()]
    return card(f"{d.kind}: {counts}", variables_table(rows), *map(paragraph, ports))


def variables_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows under `HEADS`, without columns that are empty, long ones folded."""
    used = [k for k in range(len(HEADS)) if k == 0 or any(row[k] for row in rows)]
    heads = [HEADS[k] for k in used]
    cells = [[row[k] for k in used] for row in rows]
    shown = table(heads, cells[:_SHOWN]) if rows else ""
    if len(rows) <= _SHOWN:
        return shown
    rest = table(heads, cells[_SHOWN:_MOST])
    if len(rows) > _MOST:
        rest += paragraph(f"and {len(rows) - _MOST} more")
    return shown + folded(f"and {len(rows) - _SHOWN} more variables", rest)


def _row(sort: str, v: Variable) -> tuple[str, ...]:
    kind = f"{v.kind}{list(v.shape)}" if v.shape else str(v.kind)
    start = "" if v.start is None else str(v.start)
    start = start if len(start) <= 40 else f"{start[:37]}..."
    sort = f"tunable {sort}" if v.is_tunable else sort
    return v.name, sort, kind, start, v.unit or "", v.description
