"""Drawings as plain data, to tell whether two are the same, and drawings at random."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

import dovetail as dv
from dovetail.drawing.fingerprint import digest
from dovetail.drawing.limits import limits_lifted
from dovetail.drawing.sketch import Box, Mark, Outlet, Route, Sketch
from dovetail.fmi.model import Fmu
from dovetail.formats import RunSettings


def plain(system: dv.System) -> dict[str, Any]:
    """All that a drawing says."""
    return {
        "name": system.name,
        "parts": {n: (_model(p.model), _values(p.values)) for n, p in system.parts.items()},
        "wires": {
            str(c): (c.gain, c.offset, c.convert, c.table)
            for c in system.connections
            if not c.junction
        },
        "junctions": [(j.name, j.common, j.level, j.coordinator) for j in system.junctions],
        "sketch": system.sketch,
    }


def _model(model: Any) -> Any:
    if isinstance(model, Fmu):
        told = {f.name: getattr(model, f.name) for f in fields(model)}
        return digest(model), {n: told[n] for n in told if n not in ("path", "unpacked")}
    if isinstance(model, dv.Nested):
        options = {f.name: getattr(model, f.name) for f in fields(model) if f.name != "system"}
        return plain(model.system), options
    return digest(model)


def _values(values: Any) -> dict[str, Any]:
    return {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in values.items()}


numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
coordinates = st.floats(-100, 100).map(lambda x: round(x, 3))
points = st.tuples(coordinates, coordinates)
words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12
)
names = words.map(lambda t: t.replace(".", "_").strip()).filter(bool)
boxes = st.builds(Box, coordinates, coordinates, coordinates, coordinates, coordinates)
marks = st.builds(Mark, coordinates, coordinates, coordinates, coordinates, words)
colours = st.sampled_from(["", "red", "grey"])
WINDOWS = st.sampled_from([None, dv.FixedStep(0.01), dv.StepDoubling(rtol=1e-4, first_size=0.1)])
WAYS = st.sampled_from([None, dv.Jacobi(), dv.GaussSeidel(7, inputs="ramp"), dv.Newton()])


def given_to(v: Any) -> st.SearchStrategy[Any]:
    """Values that a variable may be given."""
    one: dict[str, st.SearchStrategy[Any]] = {
        "real": numbers,
        "integer": st.integers(-100, 100),
        "boolean": st.booleans(),
        "string": st.one_of(words, st.just("")),
        "binary": st.binary(max_size=8),
        "enumeration": st.integers(1, max(len(v.literals), 1)),
    }
    if "uint" in v.name.lower():
        one["integer"] = st.integers(0, 100)
    if not v.shape:
        return one[v.kind]
    return st.lists(one[v.kind], min_size=v.size, max_size=v.size)


@st.composite
def drawings(draw: Any, models: list[Any], depth: int = 1) -> dv.System:
    """A system of these models, with everything that a drawing can have."""
    system = dv.System(draw(names))
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        if name == "outside":
            continue
        nested = depth > 0 and draw(st.integers(0, 4)) == 0
        model = draw(nests(models)) if nested else draw(st.sampled_from(models))
        d = model.description
        settable = [v for v in (*d.inputs, *d.parameters) if v.kind != "clock"]
        chosen = draw(st.lists(st.sampled_from(settable), max_size=3, unique_by=lambda v: v.name))
        with limits_lifted():  # values beyond declared limits are kept as well
            system.add(name, model, {v.name: draw(given_to(v)) for v in chosen})
    _connect(draw, system)
    _join(draw, system)
    system.sketch = draw(sketches(system, whole=depth > 0))
    return system


@st.composite
def nests(draw: Any, models: list[Any]) -> dv.Nested:
    """A system as a part."""
    inner = draw(drawings(models, 0))
    controller = draw(st.sampled_from([None, dv.FixedStep(0.001)]))
    names: dict[str, str] = {}
    if draw(st.booleans()):
        exposed = dv.Nested(inner).description
        shown = [v.name for v in (*exposed.inputs, *exposed.outputs)][:3]
        names = {f"x{k}": n for k, n in enumerate(shown)}
    options = {"algorithm": dv.Jacobi(), "rtol": 1e-3} if draw(st.booleans()) else {}
    return dv.Nested(inner, controller=controller, names=names, **options)


def _connect(draw: Any, system: dv.System) -> None:
    outputs = [(p, v) for p in system.parts.values() for v in p.description.outputs]
    inputs = [(p, v) for p in system.parts.values() for v in p.description.inputs]
    for part, v in draw(st.lists(st.sampled_from(inputs), max_size=5)) if inputs else ():
        fitting = [(q, w) for q, w in outputs if w.kind == v.kind and w.shape == v.shape]
        if not fitting:
            continue
        source, w = draw(st.sampled_from(fitting))
        options: dict[str, Any] = {}
        if v.is_real and draw(st.booleans()):
            options = {"gain": draw(numbers), "offset": draw(numbers)}
        if v.is_real:
            options["convert"] = draw(st.booleans())
        elif v.kind in ("integer", "enumeration", "boolean", "string"):
            table = st.dictionaries(given_to(w), given_to(v), max_size=2)
            options["table"] = draw(table) if not v.shape else {}
        ends = (f"{source.name}.{w.name}", f"{part.name}.{v.name}")
        if not system.checked_connection(*ends, **{"gain": 1.0, "offset": 0.0, **options})[1]:
            system.connect(*ends, **options)


def _join(draw: Any, system: dv.System) -> None:
    ports = [
        f"{p.name}.{port}"
        for p in system.parts.values()
        for port in p.description.ports
        if not system.is_fed(p.name, "force")
    ]
    if len(ports) > 1 and draw(st.booleans()):
        coordinator = draw(st.sampled_from([None, dv.SlidingMode(time_scale=0.5)]))
        level = draw(st.sampled_from([None, "flow"]))
        system.join(*ports[:2], level=level, coordinator=coordinator)


@st.composite
def sketches(draw: Any, system: dv.System, whole: bool) -> Sketch:
    """How it looks on paper."""
    parts = list(system.parts)
    some = st.lists(st.sampled_from(parts), unique=True) if parts else st.just([])
    wired = [str(c.target) for c in system.connections if not c.junction]
    shown = [
        f"{p.name}.{v.name}"
        for p in system.parts.values()
        for v in (*p.description.inputs, *p.description.outputs)
    ]
    free = [
        f"{p.name}.{v.name}"
        for p in system.parts.values()
        for v in p.description.inputs
        if v.is_real and not v.shape and not system.is_fed(p.name, v.name)
    ]
    outlets: tuple[Outlet, ...] = ()
    if whole and free and draw(st.booleans()):
        route = Route(draw(st.sampled_from(free)), draw(numbers), draw(numbers))
        label = draw(st.sampled_from(["", "a label"]))
        outlets = (Outlet("given", "input", "Real", "m", draw(points), label, (route,)),)
    labels = {p: draw(words) for p in draw(some)}
    return Sketch(
        canvas=draw(st.none() | st.tuples(*[coordinates] * 4)),
        boxes={p: draw(boxes) for p in draw(some)},
        points={n: draw(points) for n in shown[:2]},
        lines={n: tuple(draw(st.lists(points, min_size=1, max_size=3))) for n in wired[:1]},
        labels={**labels, **({"": "all of it"} if whole and draw(st.booleans()) else {})},
        marks=tuple(replace(m, colour=draw(colours)) for m in draw(st.lists(marks, max_size=2))),
        outlets=outlets,
        joints={str(j.ends[0]): draw(points) for j in system.junctions[:1]},
        colours={p: draw(colours.filter(bool)) for p in draw(some)},
    )


@st.composite
def runs(draw: Any) -> RunSettings:
    """How it is to be run."""
    start = draw(st.none() | numbers)
    return RunSettings(
        start=start,
        stop=None if start is None else start + 1.0,
        algorithm=draw(WAYS),
        controller=draw(WINDOWS),
        rtol=draw(st.none() | st.just(1e-7)),
        record=draw(st.none() | st.just(["a*", "*.y"])),
    )
