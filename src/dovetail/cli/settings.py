"""How a system is meant to be run, in lines to be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

_TITLES = {"recorder": "rows", "calendar": "times", "record": "recorded"}


def setting_lines(settings: Mapping[str, Any]) -> list[str]:
    """One line for each setting that is given."""
    return [f"{_TITLES.get(name, name):10}  {_text(name, v)}" for name, v in settings.items()]


def _text(name: str, value: Any) -> str:
    match name:
        case "start" | "stop":
            return f"{value:g} s"
        case "record":
            return ", ".join([value] if isinstance(value, str) else value) or "nothing"
        case "estimators":
            return ", ".join(f"{_named(one)} for '{part}'" for part, one in value.items())
        case "calendar":
            zero = f", and zero is {value.reference}" if value.reference else ""
            return f"shown in {value.unit}{zero}"
        case "recorder":
            return _rows(value)
    return _named(value) if is_dataclass(value) else str(value)


def _rows(recorder: Any) -> str:
    from ..results.recorders import Sampling

    if not isinstance(recorder, Sampling):
        return repr(recorder)
    exactly = ", interpolated" if recorder.interpolate else " or the window behind that"
    return f"every {recorder.every:g} s{exactly}"


def _named(value: Any) -> str:
    """As the command line takes it; one that has no name there as Python shows it."""
    from ..core.errors import OptionError
    from ..formats.families import called

    try:
        return called(value)
    except OptionError:
        return repr(value)
