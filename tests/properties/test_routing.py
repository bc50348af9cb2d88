"""Wires as index arrays do what a plain loop over connections would do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.core.description import Description
from dovetail.core.signals import Signals
from dovetail.core.values import signals
from dovetail.junctions import Wires
from dovetail.topology.components import Structure

UNITS = {"speed": ["m/s", "km/h", "mm/min", None], "temperature": ["K", "degC", "degF", None]}
FACTOR = {"m/s": 1.0, "km/h": 1 / 3.6, "mm/min": 1e-3 / 60, "K": 1.0, "degC": 1.0, "degF": 5 / 9}
OFFSET = {"degC": 273.15, "degF": 459.67 * 5 / 9}


class Stub:
    """A model that is only looked at."""

    def __init__(self, inputs, outputs):
        self.description = Description(inputs=tuple(inputs), outputs=tuple(outputs))

    def instantiate(self, name):
        raise AssertionError("this model is never run")


kinds = st.sampled_from(["speed", "temperature", "array", "matrix", "integer", "boolean", "string"])
TYPES = {"integer": 3, "boolean": True, "string": "a"}
SHAPES = {"array": (3,), "matrix": (2, 2)}


@st.composite
def variables(draw, prefix):
    made = []
    for k, kind in enumerate(draw(st.lists(kinds, max_size=4))):
        name = f"{prefix}_{kind}_{k}"
        if kind in UNITS:
            start = draw(st.floats(-10, 10))
            unit = draw(st.sampled_from(UNITS[kind]))
            made.append(dv.Variable(name, unit=unit, start=start))
        elif kind in SHAPES:
            made.append(dv.Variable(name, shape=SHAPES[kind], start=np.full(SHAPES[kind], 0.5)))
        else:
            made.append(dv.Variable(name, kind=kind, start=TYPES[kind]))
    return made


def sort(variable):
    return variable.name.split("_")[1]


def widens(source, target):
    real = sort(target) in UNITS
    return sort(source) == sort(target) or (real and sort(source) in ("integer", "boolean"))


@st.composite
def systems(draw):
    """A few parts with variables of all sorts, every input perhaps fed by one that fits."""
    system = dv.System("random")
    for k in range(draw(st.integers(1, 4))):
        system.add(f"p{k}", Stub(draw(variables("u")), draw(variables("y"))))
    sources = [(n, v) for n, p in system.parts.items() for v in p.description.outputs]
    for name, part in system.parts.items():
        for target in part.description.inputs:
            fitting = [(n, v) for n, v in sources if widens(v, target)]
            chosen = draw(st.sampled_from([None, *fitting]))
            if chosen is None:
                continue
            scaled = target.kind == "real" and draw(st.booleans())
            gain, offset = (draw(st.floats(-5, 5)), draw(st.floats(-5, 5))) if scaled else (1, 0)
            system.connect(
                f"{chosen[0]}.{chosen[1].name}",
                f"{name}.{target.name}",
                gain=gain,
                offset=offset,
            )
    return system


def outputs_of(system, rng):
    """Some value for every output, and the same by name."""
    by_name, parts = {}, []
    for name, part in system.parts.items():
        reals, discrete = [], []
        for v in part.description.outputs:
            if v.kind == "real":
                values = rng.normal(size=v.shape) * 10
                reals.extend(np.ravel(values))
            else:
                pool = {"integer": [1, -7], "boolean": [True, False], "string": ["x", ""]}
                values = pool[str(v.kind)][rng.integers(2)]
                discrete.append(values)
            by_name[name, v.name] = values
        parts.append(Signals(np.array(reals, dtype=float), None, tuple(discrete)))
    return Signals.join(parts), by_name


def converted(connection, value):
    a, b = connection.source.variable, connection.target.variable
    if b.kind != "real":
        return value
    if a.kind == b.kind == "real" and a.unit and b.unit:
        base = value * FACTOR[a.unit] + OFFSET.get(a.unit, 0.0)
        value = (base - OFFSET.get(b.unit, 0.0)) / FACTOR[b.unit]
    return connection.gain * np.asarray(value, dtype=float) + connection.offset


def naive(system, by_name):
    """Every input, by a loop over connections."""
    found = {}
    for name, part in system.parts.items():
        for v in part.description.inputs:
            c = system.source_of(name, v.name)
            value = v.start
            if c is not None:
                value = converted(c, by_name[c.source.part, c.source.variable.name])
            found[name, v.name] = value
    return found


@settings(max_examples=60)
@given(systems(), st.integers(0, 2**32 - 1))
def test_wires_do_what_a_loop_over_connections_does(system, seed):
    structure = Structure.of(system)
    parts = system.parts.values()
    start = Signals.join([signals(p.description.inputs, p.values) for p in parts])
    wires = Wires(structure.layout, structure.routing, start)
    outputs, by_name = outputs_of(system, np.random.default_rng(seed))
    expected = naive(system, by_name)
    whole = wires.inputs(outputs, wires.start())
    for k, (name, part) in enumerate(system.parts.items()):
        alone = wires.inputs_of(k, outputs.reals, None, outputs.discrete, wires.start())
        assert alone.equals(whole[structure.layout.inputs.spans[k]])
        r = d = 0
        for v in part.description.inputs:
            value = expected[name, v.name]
            if v.kind == "real":
                found = alone.reals[r : r + v.size]
                assert found == pytest.approx(np.ravel(value), rel=1e-9, abs=1e-9)
                r += v.size
            else:
                assert alone.discrete[d] == value
                d += v.size


@settings(max_examples=30)
@given(systems(), st.integers(0, 2**32 - 1))
def test_slopes_pass_with_the_gain_and_without_the_offset(system, seed):
    structure = Structure.of(system)
    parts = system.parts.values()
    start = Signals.join([signals(p.description.inputs, p.values) for p in parts])
    wires = Wires(structure.layout, structure.routing, start)
    rng = np.random.default_rng(seed)
    outputs, _ = outputs_of(system, rng)
    rates, e = rng.normal(size=outputs.reals.size), 1e-3
    now = Signals(outputs.reals, rates, outputs.discrete)
    later = Signals(outputs.reals + e * rates, None, outputs.discrete)
    found = wires.inputs(now, wires.start())
    moved = wires.inputs(later, wires.start())
    assert found.derivatives == pytest.approx((moved.reals - found.reals) / e, rel=1e-5, abs=1e-4)


@settings(max_examples=30)
@given(systems())
def test_every_slot_has_a_name_of_its_own(system):
    layout = Structure.of(system).layout
    for slots in (layout.inputs, layout.outputs):
        names = [*slots.reals, *slots.discrete]
        assert len(set(names)) == len(names)
    assert set(layout.names) == set(system.parts)
