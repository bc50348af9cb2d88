"""Tables as data frames of pandas and datasets of xarray."""

from __future__ import annotations

from typing import Any

from ..recorders.base import TIME, RecordedTable
from .needs import need


def to_pandas(table: RecordedTable) -> Any:
    """A DataFrame with time as its index; units in `attrs`."""
    need("pandas", "tables")
    import pandas as pd

    frame = pd.DataFrame(
        {c.name: table[c.name] for c in table.columns},
        index=pd.Index(table.time, name=TIME),
    )
    frame.attrs["units"] = {c.name: c.unit for c in table.columns if c.unit is not None}
    return frame


def to_xarray(table: RecordedTable) -> Any:
    """A Dataset along time; each variable knows its unit."""
    need("xarray", "tables")
    import xarray as xr

    def attributes(unit: str | None) -> dict[str, str]:
        return {} if unit is None else {"units": unit}

    return xr.Dataset(
        {c.name: (TIME, table[c.name], attributes(c.unit)) for c in table.columns},
        coords={TIME: (TIME, table.time, attributes("s"))},
        attrs=dict(table.facts),
    )
