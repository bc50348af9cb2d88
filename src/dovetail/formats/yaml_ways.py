"""Algorithm and windows, put into a YAML file of a system: all else of the file stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ..core.errors import FileError
from ..core.whole_file import whole_file
from ..drawing.run_settings import RunSettings
from .run_data import run_data
from .yaml_reading import read_yaml
from .yaml_text import read_text
from .yaml_writing import flow_text

_WAYS = ("algorithm", "controller", "estimators")
_OLD = (*_WAYS, "step")  # what they take the place of


def write_ways(path: str | Path, settings: RunSettings) -> None:
    """Have the system in a file run with these; the file is whole, or as it was."""
    place = Path(path)
    if place.suffix.lower() not in (".yaml", ".yml"):
        what = "algorithm and windows can be written into systems in YAML only"
        raise FileError(place, what, "save it as one: dv.open(...).save('system.yaml')")
    read_text(place)  # what is no drawing in YAML is refused as anywhere else
    text = place.read_bytes().decode("utf-8-sig")
    data = {name: one for name, one in run_data(settings).items() if name in _WAYS}
    made = _with_ways(text, data)
    try:
        with whole_file(place) as beside:
            beside.write_text(made, encoding="utf-8", newline="")
            found = run_data(read_yaml(beside).run_settings)
            if {n: found.get(n) for n in _WAYS} != {n: data.get(n) for n in _WAYS}:
                what = "its 'run:' is written in a way that cannot be changed here"
                raise FileError(place, what, f"write it there yourself: {flow_text(data)}")
    except OSError as error:
        raise FileError(place, f"cannot be written: {error.strerror or error}") from error


def _with_ways(text: str, data: dict[str, Any]) -> str:
    """The text with other lines under `run:`."""
    run = _run_of(text)
    if run is None:
        end = "" if text.endswith("\n") else "\n"
        return text + end + "run:\n" + "".join(_lines(data, "  "))
    if isinstance(run, yaml.MappingNode) and not run.flow_style and run.value:
        return _in_block(text, run, data)
    first, last = run.start_mark.index, run.end_mark.index
    known = yaml.safe_load(text[first:last]) or {}
    kept = {name: one for name, one in known.items() if name not in _OLD}
    space = " " if text[first - 1 : first] == ":" else ""
    return text[:first] + space + flow_text({**kept, **data}) + text[last:]


def _run_of(text: str) -> yaml.Node | None:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    return next((value for key, value in root.value if key.value == "run"), None)


def _in_block(text: str, run: yaml.MappingNode, data: dict[str, Any]) -> str:
    """Lines of their own: those of old ways go, the new ones come first."""
    lines = text.splitlines(keepends=True)
    first = run.value[0][0].start_mark
    dropped: set[int] = set()
    for key, value in run.value:
        if key.value in _OLD:
            last = value.end_mark.line - (value.end_mark.column == 0)
            if isinstance(value, yaml.CollectionNode) and not value.flow_style:
                last = _last_line(value)
            dropped |= set(range(key.start_mark.line, last + 1))
    new = _lines(data, " " * first.column)
    kept = [line for k, line in enumerate(lines) if k not in dropped and k >= first.line]
    return "".join([*lines[: first.line], *new, *kept])


def _last_line(node: yaml.Node) -> int:
    """Where a node in lines of its own ends: its mark is behind blank lines and comments."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.line)


def _lines(data: dict[str, Any], indent: str) -> list[str]:
    return [f"{indent}{name}: {flow_text(one)}\n" for name, one in data.items()]
