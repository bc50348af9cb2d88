"""A system to call the command line with, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MODELS = """\
import dovetail as dv

prey = dv.Dynamic(
    states={"x": 1.0},
    inputs={"predators": 1.0},
    outputs=["preys"],
    parameters={"alpha": 0.67, "beta": 1.33},
    derivatives=lambda t, x, u, p: [x.x * (p.alpha - p.beta * u.predators)],
    output=lambda t, x, u, p: [x.x],
)
predator = dv.Dynamic(
    states={"y": 1.0},
    inputs={"preys": 1.0},
    outputs=["predators"],
    derivatives=lambda t, x, u, p: [x.y * (u.preys - 1.0)],
    output=lambda t, x, u, p: [x.y],
)


def fragile(t, x, u, p):
    if t > 0.55:
        raise RuntimeError("the shaft broke")
    return [1.0]


shaft = dv.Dynamic(states={"x": 0.0}, outputs=["x"], derivatives=fragile)
talker = dv.Source(outputs=["y"], function=lambda t, p: [print("blah") or t])
"""
COARSE = 3  # the exit code of PREDATION: ten windows without iteration are doubtful
PREDATION = """\
dovetail: 1
name: predation
parts:
  prey: models.py:prey
  predator: models.py:predator
connections:
  - prey.preys -> predator.preys
  - predator.predators -> prey.predators
run: {stop: 1, algorithm: jacobi, controller: {fixed_step: 0.1}}
"""


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]
