"""Run settings as plain data, as YAML files and annotations of SSPs keep them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from ..core.calendar import Calendar
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..hosts.placement import Elsewhere, HostOptions, Isolated, LocalHost, Place, Placement
from ..results.recorders import Sampling
from .families import as_data


def run_data(run: RunSettings) -> dict[str, Any]:
    """Run settings as plain data."""
    settings = run.options()
    recorder, calendar = settings.pop("recorder", None), settings.pop("calendar", None)
    if isinstance(recorder, Sampling):  # where rows go is of the run at hand, not of the drawing
        settings["every"] = recorder.every
    if calendar is not None and calendar != Calendar():
        settings["calendar"] = {n: v for n, v in asdict(calendar).items() if v is not None}
    if "record" in settings:
        record = settings["record"]
        settings["record"] = [record] if isinstance(record, str) else list(record)
    for name in ("algorithm", "controller"):
        if name in settings:
            settings[name] = as_data(settings[name])
    if "estimators" in settings:
        settings["estimators"] = {n: as_data(e) for n, e in settings["estimators"].items()}
    if "placement" in settings:
        settings["placement"] = _places(settings["placement"])
    return settings


def _places(placement: Placement) -> Any:
    """Where parts live, as `placement:` says it."""
    if isinstance(placement, Mapping):
        return {pattern: _place(host) for pattern, host in placement.items()}
    return "isolated" if placement == Isolated() else {"*": _place(placement)}


def _place(host: Place | None) -> Any:
    if isinstance(host, Elsewhere):
        what = "where parts live on other machines is said with each run, not in a file"
        raise OptionError(f"placement={host!r}: {what}; or load the part from its server")
    if host is None or host == Isolated():
        return "here" if host is None else "isolated"
    named = {"host": host.group} if isinstance(host, LocalHost) else {}
    options = {f.name: getattr(host, f.name) for f in fields(HostOptions)}
    return named | {name: value for name, value in options.items() if value}
