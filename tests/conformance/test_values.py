"""Every type of variable, in and out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conformance.fleet import alone, is_clean, run, same, walked
from fmus.models import INTEGERS

import dovetail as dv

LIMITS = {
    f"{u}Int{n}": (0 if u else -(2 ** (n - 1)), 2**n - 1 if u else 2 ** (n - 1) - 1)
    for u in ("", "U")
    for n in (8, 16, 32, 64)
}


def kinds(version):
    return INTEGERS if version == 3 else ("Int32",)


def echo(fmu, version, **more):
    """The same type out of one FMU and into the next, for all types."""
    model = fmu("types", version, **more)
    system = dv.System("echo")
    given = {
        "float64_in": 1.5,
        "boolean_in": True,
        "string_in": "Grüße, 世界",
        "enumeration_in": 2,
        "string_offset": "<",
        **{f"{k.lower()}_in": LIMITS[k][1] - 1 for k in kinds(version)},
    }
    if version == 3:
        given |= {"float32_in": 0.1, "binary_in": b"a\0b\xff", "binary_offset": b"\1"}
    system.add("first", model, **given)
    system.add("second", model, float64_offset=1.0, boolean_offset=True, string_offset="#")
    outputs = [v.name for v in model.description.outputs]
    for name in outputs:
        system.connect(f"first.{name}", f"second.{name.removesuffix('out')}in")
    return model, system


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(3)])
def test_every_type_arrives(fmu, way, version, algorithm):
    model, system = echo(fmu, version, strict=True)
    final = run(system, 0.5, algorithm=algorithm).final
    assert final["first.float64_out"] == 1.5
    assert final["second.float64_out"] == 2.5
    assert bool(final["first.boolean_out"]) is True
    assert bool(final["second.boolean_out"]) is False
    assert final["second.string_out"] == "#<Grüße, 世界"
    assert final["second.enumeration_out"] == 2
    for kind in kinds(version):
        assert final[f"second.{kind.lower()}_out"] == LIMITS[kind][1] - 1
    if version == 3:
        assert final["second.float32_out"] == np.float32(0.1)
        assert final["second.binary_out"] == b"\1a\0b\xff"
    assert is_clean(model)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_mixed_types_give_the_same_bits(fmu, both, version):
    _, system = echo(fmu, version)
    native, plain = both(lambda: run(system, 0.5))
    assert same(native, plain)
    assert same(native, walked(system, 0.5))


@pytest.mark.parametrize("kind", [k for k in INTEGERS if k != "UInt64"])
def test_integers_go_to_their_limits_and_not_beyond(fmu, way, kind):
    model = fmu("types", 3)
    for value in LIMITS[kind]:
        found = run(alone(model, **{f"{kind.lower()}_in": value}), 0.1)
        assert found.final[f"part.{kind.lower()}_out"] == value
    said = (
        f"its variable '{kind.lower()}_in' cannot be {LIMITS[kind][1] + 1}, as it is of type {kind}"
    )
    with pytest.raises(dv.PartFailed, match=said):
        run(alone(model, **{f"{kind.lower()}_in": LIMITS[kind][1] + 1}), 0.1)
    assert is_clean(model)


@pytest.mark.parametrize("n", [1, 3, 7])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(4)])
def test_arrays_have_the_size_of_their_structural_parameter(fmu, both, n, algorithm):
    model = fmu("arrays", 3, strict=True, load={"structural": {"n": n}})
    u, gain = np.arange(1.0, n + 1), np.arange(1.0, n + 1) * 10

    def system():
        drawing = dv.System("arrays")
        drawing.add("a", model, u=u, gain=gain)
        drawing.add("b", model, gain=gain)
        drawing.connect("a.y", "b.u")
        return drawing

    native, plain = both(lambda: run(system(), 1.0, algorithm=algorithm))
    assert same(native, plain)
    assert same(native, walked(system(), 1.0, algorithm=algorithm))
    names = [f"a.y[{k}]" for k in range(1, n + 1)]
    if names[0] not in native.names:
        names = [f"a.y[{k}]" for k in range(n)]
    assert [native.final[name] for name in names] == pytest.approx(u * gain)
    assert [native.final[name.replace("a.", "b.")] for name in names] == pytest.approx(
        u * gain * gain
    )
    assert is_clean(model)


UNFIT = {
    "a null character": (2, "string_in", "a\0b", "a null character ends a string there"),
    "half a letter": (3, "string_in", "\udcff", "it has letters that UTF-8 lacks"),
    "a large number": (3, "float32_in", 1e300, "it is of type Float32"),
}


@pytest.mark.parametrize("what", UNFIT)
def test_what_a_variable_has_no_room_for_is_refused(fmu, way, what):
    version, name, value, why = UNFIT[what]
    model = fmu("types", version)
    with pytest.raises(dv.PartFailed) as caught:
        run(alone(model, **{name: value}), 0.1)
    expected = f"part 'part' failed while starting at t = 0 s: its variable '{name}' cannot be "
    assert str(caught.value) == f"{expected}{value!r}, as {why}"
    assert is_clean(model)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (0, "goes from 1 to 10, and cannot be 0"),
        (11, "goes from 1 to 10, and cannot be 11"),
        (10**12, "goes from 1 to 10, and cannot be 1000000000000"),
        (1.5, "must be an integer value, not 1.5"),
        ("3", "must be an integer value, not '3'"),
    ],
)
def test_sizes_that_cannot_be_are_refused_before_anything_runs(fmu, given, said):
    with pytest.raises(dv.FileError, match=f"its structural parameter 'n' {said}"):
        fmu("arrays", 3, load={"structural": {"n": given}})


def test_an_array_that_no_machine_has_room_for_is_refused(archive):
    def edit(xml):
        return xml.replace('max="10"', "")

    path = archive("arrays", 3, edit=edit)
    with pytest.raises(
        dv.FileError, match="its variables have 5000000000002 values, and 4000000 are the most"
    ):
        dv.load(path, structural={"n": 10**12})


@pytest.mark.parametrize("value", [0, 4])
def test_an_enumeration_has_only_its_own_values(fmu, value):
    with pytest.raises(dv.DrawingError, match=f"enumeration_in' must be from 1 to 3, not {value}"):
        alone(fmu("types", 2), enumeration_in=value)


WRONG = {
    "structural": ([1], "structural must be values by name"),
    "intervals": (3, "intervals must be values by name"),
    "tolerance": (-1e-6, "tolerance must be a number above zero, not -1e-06"),
    "logging": ("yes", "logging must be True, False or names of categories, not 'yes'"),
    "internals": (1, "internals must be True, False or names of variables, not 1"),
    "events": ("on", "events must be True, False or None, not 'on'"),
}


@pytest.mark.parametrize("option", WRONG)
def test_options_that_make_no_sense_are_refused(archive, option):
    given, said = WRONG[option]
    with pytest.raises(dv.OptionError, match=said):
        dv.load(archive("linear", 2), **{option: given})


def test_a_structural_parameter_that_is_none_is_refused(fmu):
    with pytest.raises(dv.FileError, match="'gain' is not a structural parameter of it"):
        fmu("arrays", 3, load={"structural": {"gain": 2}})


def test_parameters_and_start_values_of_fmi_1(fmu, way):
    model = fmu("linear", 1)
    found = run(alone(model, x=5.0, a=-1.0, drive=0.0, c=2.0))
    assert found["part.y"] == pytest.approx(10 * np.exp(-found.time), rel=1e-12)
    assert is_clean(model)


def test_fmi_1_negated_aliases(archive, way):
    """Two outputs that are one variable, one of them with the other sign."""

    def edit(xml):
        y = xml.index('name="y"')
        begin = xml.rindex("<ScalarVariable", 0, y)
        end = xml.index("</ScalarVariable>", y) + len("</ScalarVariable>")
        one = xml[begin:end]
        other = one.replace('name="y"', 'name="minus" alias="negatedAlias"')
        return xml[:begin] + one.replace('name="y"', 'name="y" alias="alias"') + other + xml[end:]

    found = run(alone(dv.load(archive("linear", 1, edit=edit))))
    assert np.array_equal(found["part.minus"], -found["part.y"])


def with_aliases(xml):
    """`speed` for velocity, `weight` for mass, `push` for force."""
    for name, alias in (("velocity", "speed"), ("mass", "weight"), ("force", "push")):
        found = re.search(rf'<Float64 name="{name}" [^>]*/>', xml)
        assert found is not None
        xml = xml.replace(found[0], f'{found[0][:-2]}><Alias name="{alias}"/></Float64>')
    return xml


def test_other_names_of_variables_are_understood_in_drawings(fmu):
    """FMI 3; they are names of the same ends, so that an input is not fed twice."""
    model = fmu("body", 3, edit=with_aliases)
    system, plain = dv.System("aliases"), dv.System("names")
    system.add("body", model, weight=2.0)
    plain.add("body", model, mass=2.0)
    for drawing in (system, plain):
        drawing.add("push", dv.Source(outputs=["y"], function=lambda t, p: [1.0], units={"y": "N"}))
    system.connect("push.y", "body.push")
    plain.connect("push.y", "body.force")
    assert [str(c.target) for c in system.connections] == ["body.force"]
    a, b = (run(drawing, 1.0) for drawing in (system, plain))
    assert same(a, b)
    with pytest.raises(dv.DrawingError, match=r"'body\.force' is fed by 'push\.y' already"):
        system.connect("push.y", "body.push")
