"""Python models to begin with: the text of a file that holds one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of model, what it is for, and how one is written; `NAME` stands for its name."""

    title: str
    purpose: str
    text: str


_HEAD = "import dovetail as dv\n\n"
TEMPLATES: Mapping[str, Template] = {
    "dynamic": Template(
        "Dynamic", "states that follow differential equations",
        _HEAD + '''NAME = dv.Dynamic(
    states={"x": 1.0, "v": 0.0},
    inputs=["force"],
    outputs=["x", "v"],
    parameters={"m": 2.0},
    derivatives=lambda t, x, u, p: [x.v, u.force / p.m],
)
''',
    ),
    "algebraic": Template(
        "Algebraic", "outputs that depend on inputs at once",
        _HEAD + '''NAME = dv.Algebraic(
    inputs=["x"],
    outputs=["force"],
    parameters={"k": 8.0},
    function=lambda t, u, p: [-p.k * u.x],
)
''',
    ),
    "source": Template(
        "Source", "outputs that depend on time alone",
        _HEAD + '''import math

NAME = dv.Source(
    outputs=["y"],
    parameters={"amplitude": 1.0, "frequency": 1.0},
    function=lambda t, p: [p.amplitude * math.sin(2 * math.pi * p.frequency * t)],
)
''',
    ),
    "discrete": Template(
        "Discrete", "a controller that samples",
        _HEAD + '''NAME = dv.Discrete(
    period=0.01,
    states={"sum": 0.0},
    inputs=["target", "actual"],
    outputs=["y"],
    parameters={"Kp": 1.0, "Ki": 0.5},
    update=lambda t, x, u, p: [x.sum + 0.01 * (u.target - u.actual)],
    output=lambda t, x, u, p: [p.Kp * (u.target - u.actual) + p.Ki * x.sum],
)
''',
    ),
    "table": Template(
        "Table", "measured or given values over time",
        _HEAD + '''NAME = dv.Table(time=[0.0, 1.0, 2.0, 5.0], columns={"y": [0.0, 0.0, 1.0, 1.0]})
''',
    ),
}  # fmt: skip


def text_of(kind: str, name: str) -> str:
    """The text of a file with a model of this kind and name."""
    return TEMPLATES[kind].text.replace("NAME", name)
