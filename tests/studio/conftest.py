"""A folder with models, as somebody has it who opens the studio."""

from __future__ import annotations

from pathlib import Path

import pytest

MODELS = """\
import dovetail as dv

mass = dv.Dynamic(
    states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"], parameters={"m": 2.0},
    derivatives=lambda t, x, u, p: [x.v, u.force / p.m], units={"x": "m", "v": "m/s", "force": "N"},
)
spring = dv.Algebraic(
    inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x],
    units={"x": "m", "force": "N"},
)
damper = dv.Dynamic(
    states={"q": 0.0}, inputs=["F"], outputs=["w"], derivatives=lambda t, x, u, p: [u.F],
    output=lambda t, x, u, p: [x.q],
    ports={"flange": dv.Port("translational", effort="F", flow="w")},
    units={"F": "N", "w": "m/s"},
)
holder = dv.Algebraic(
    inputs=["w"], outputs=["F"], function=lambda t, u, p: [-u.w],
    ports={"flange": dv.Port("translational", effort="F", flow="w")},
    units={"F": "N", "w": "m/s"},
)
"""
DRAWN = """\
dovetail: 1
name: oscillator
parts:
  mass: {model: models.py:mass}
  spring: {model: models.py:spring}
connections:
  - mass.x -> spring.x
  - spring.force -> mass.force
run:
  stop: 10.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two Python models and a drawing of them."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "models.py").write_text(MODELS)
    (place / "oscillator.yaml").write_text(DRAWN)
    return place
