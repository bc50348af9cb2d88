"""MasterSim's project files, line by line: what stands in them, and nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any

from ..core.errors import FileError, did_you_mean
from ..core.guard import check_file

PAPER = "dovetail "  # begins comments that keep how the drawing looks: `msim_paper.py`
UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "a": 365 * 86400.0}
ALGORITHMS = ("GAUSS_JACOBI", "GAUSS_SEIDEL", "NEWTON")
ERROR_MODES = ("NONE", "CHECK", "STEP_DOUBLING")


@dataclass(frozen=True, slots=True)
class Simulator:
    """A part: where its file is, and when it has its turn."""

    priority: int
    cycle: int
    name: str
    color: str
    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """target = offset + scale * source; what the editor draws it with is kept as it is."""

    source: str
    target: str
    offset: float = 0.0
    scale: float = 1.0
    drawn: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value of a part, as text: its type is that of the variable."""

    part: str
    variable: str
    value: str
    line: int = 0


def _set(keyword: str, default: Any, what: str) -> Any:
    return field(default=default, metadata={"keyword": keyword, "what": what})


@dataclass(slots=True)
class Project:
    """A project with MasterSim's defaults. Times are in seconds."""

    start: float = _set("tStart", 0.0, "time")
    stop: float = _set("tEnd", UNITS["a"], "time")
    max_size: float = _set("hMax", 1800.0, "time")
    min_size: float = _set("hMin", 1e-5, "time")
    fall_back_size: float = _set("hFallBackLimit", 1e-3, "time")
    first_size: float = _set("hStart", 600.0, "time")
    output_size: float = _set("hOutputMin", 600.0, "time")
    time_unit: str = _set("outputTimeUnit", "s", "unit")
    adjust: bool = _set("adjustStepSize", False, "flag")
    hit_end: bool = _set("preventOversteppingOfEndTime", True, "flag")
    atol: float = _set("absTol", 1e-6, "number")
    rtol: float = _set("relTol", 1e-5, "number")
    algorithm: str = _set("MasterMode", "GAUSS_SEIDEL", "algorithm")
    error_mode: str = _set("ErrorControlMode", "NONE", "error mode")
    max_iterations: int = _set("maxIterations", 1, "count")
    internals: bool = _set("writeInternalVariables", False, "flag")
    unconnected: bool = _set("writeUnconnectedFileReaderVars", False, "flag")

    simulators: list[Simulator] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    only: list[str] = field(default_factory=list)  # outputs to be written, all if there is none
    comment: list[str] = field(default_factory=list)
    paper: list[tuple[int, str]] = field(default_factory=list)  # how it looks, with its lines
    lines: dict[str, int] = field(default_factory=dict)  # where a keyword stands

    @staticmethod
    def settings() -> dict[str, tuple[str, str]]:
        """Field and kind of value, by keyword."""
        listed = (f for f in fields(Project) if "keyword" in f.metadata)
        return {f.metadata["keyword"]: (f.name, f.metadata["what"]) for f in listed}


def parse(text: str, name: str) -> Project:
    """A project from its text; everything that is wrong is reported with its line."""
    project = Project()
    leading = True
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith(f"# {PAPER}"):
            project.paper.append((number, line[2 + len(PAPER) :]))
        elif line.startswith("#"):
            if leading:
                project.comment.append(line[1:].removeprefix(" "))
        elif line:
            leading = False
            try:
                _take(project, line, number)
            except ValueError as error:
                raise FileError(f"{name}:{number}", str(error)) from None
    return project


def read_project(path: Path) -> Project:
    """A project from its file."""
    check_file(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"it cannot be read: {error.strerror}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # comments of older projects
    return parse(text, str(path))


def _take(project: Project, line: str, number: int) -> None:
    keyword, _, rest = line.replace("\t", " ").partition(" ")
    rest = rest.strip()
    match keyword:
        case "simulator":
            project.simulators.append(_simulator(rest, number))
        case "graph":
            project.edges.append(_edge(rest, number))
        case "parameter":
            project.parameters.append(_parameter(line[len("parameter") :].strip(), number))
        case "outputOnly":
            if not rest:
                raise ValueError("expected 'outputOnly <part>.<variable>'")
            project.only.append(rest)
        case _:
            known = Project.settings()
            if keyword not in known:
                words = (*known, "simulator", "graph", "parameter", "outputOnly")
                hint = did_you_mean(keyword, words) or f" There are {', '.join(words)}."
                raise ValueError(f"unknown keyword '{keyword}'.{hint}")
            name, what = known[keyword]
            if not rest:
                raise ValueError(f"'{keyword}' needs a value")
            setattr(project, name, _READERS[what](keyword, rest))
            project.lines[keyword] = number


def _simulator(text: str, number: int) -> Simulator:
    words = _words(text)
    if len(words) != 5:
        raise ValueError("expected 'simulator <priority> <cycle> <name> <#color> \"<path>\"'")
    priority, cycle, name, color, path = words
    if not (priority.isdigit() and cycle.isdigit()):
        raise ValueError(f"priority and cycle must be whole numbers, not {priority!r}, {cycle!r}")
    if not re.fullmatch(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})", color):
        raise ValueError(f"a color is written as #rrggbb, not {color!r}")
    return Simulator(int(priority), int(cycle), name, color, path.replace("\\", "/"), number)


def _edge(text: str, number: int) -> Edge:
    words = _words(text)
    if len(words) not in (2, 4, 6):
        what = "graph <part>.<output> <part>.<input> [<offset> <scale> [<line width> <#color>]]"
        raise ValueError(f"expected '{what}'")
    for word in words[:2]:
        if "." not in word[1:-1]:
            raise ValueError(f"'{word}' names no variable; write part.variable")
    offset, scale = (_number("offset and scale", w) for w in words[2:4]) if words[2:] else (0, 1)
    return Edge(words[0], words[1], offset, scale, " ".join(words[4:]), number)


def _parameter(text: str, number: int) -> Parameter:
    name, _, value = text.replace("\t", " ", 1).partition(" ")
    part, dot, variable = name.partition(".")
    if not (dot and part and variable and value.strip()):
        raise ValueError("expected 'parameter <part>.<variable> <value>'")
    value = value.strip().replace("\\\\", "\\").replace("\\n", "\n")
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return Parameter(part, variable, value, number)


def _words(text: str) -> list[str]:
    """Words, or texts in quotation marks."""
    return [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', text)]


def _time(keyword: str, text: str) -> float:
    words = text.split()
    if len(words) > 2:
        raise ValueError(f"'{keyword}' takes a number and a unit, not {text!r}")
    return _number(keyword, words[0]) * UNITS[_unit(keyword, words[1] if words[1:] else "s")]


def _number(keyword: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"'{keyword}' must be a number, not {text!r}") from None
    if not isfinite(value):
        raise ValueError(f"'{keyword}' must be a finite number, not {text!r}")
    return value


def _unit(keyword: str, text: str) -> str:
    if text not in UNITS:
        raise ValueError(f"'{keyword}': '{text}' is no unit of time; there are {', '.join(UNITS)}")
    return text


def _flag(keyword: str, text: str) -> bool:
    if text not in ("yes", "true", "1", "no", "false", "0"):
        raise ValueError(f"'{keyword}' must be yes or no, not {text!r}")
    return text in ("yes", "true", "1")


def _count(keyword: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"'{keyword}' must be a whole number above zero, not {text!r}")
    return int(text)


def _one_of(allowed: tuple[str, ...]) -> Callable[[str, str], str]:
    def chosen(keyword: str, text: str) -> str:
        text = "STEP_DOUBLING" if text == "ADAPT_STEP" else text  # its name in older projects
        if text not in allowed:
            raise ValueError(f"'{keyword}' must be one of {', '.join(allowed)}, not {text!r}")
        return text

    return chosen


_READERS: dict[str, Callable[[str, str], Any]] = {
    "time": _time,
    "number": _number,
    "unit": _unit,
    "flag": _flag,
    "count": _count,
    "algorithm": _one_of(ALGORITHMS),
    "error mode": _one_of(ERROR_MODES),
}
