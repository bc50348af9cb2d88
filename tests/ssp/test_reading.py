"""SSPs become drawings: flat, with the values, units and transformations the standard asks for."""

import warnings

import numpy as np
import pytest
from ssp.texts import (
    U_Y,
    bare_mapping,
    binding,
    component,
    connectors,
    document,
    mapping,
    real,
    system,
    values,
    wire,
)

import dovetail as dv
from dovetail import formats


def drawn(system):
    """A drawing as plain data."""
    wires = {str(c): (c.gain, c.offset, c.convert, dict(c.table)) for c in system.connections}
    return {name: dict(part.values) for name, part in system.parts.items()}, wires


def test_components_and_connections_are_parts_and_wires(folder):
    text = document(
        system(
            component("left", "linear", U_Y, binding(values(a=real(-2.0)))),
            component("right", "linear", U_Y),
            wires=wire("left/y", "right/u") + wire("left/u", "right/y"),  # the second is reversed
        ),
        '<ssd:DefaultExperiment startTime="1" stopTime="4"/>',
    )
    drawing = formats.read(folder(text, "linear"))
    parts, wires = drawn(drawing)
    assert drawing.name == "drawing"
    assert parts == {"left": {"a": -2.0}, "right": {}}
    assert set(wires) == {"left.y -> right.u", "right.y -> left.u"}
    assert (drawing.run_settings.start, drawing.run_settings.stop) == (1.0, 4.0)
    result = dv.simulate(drawing, stop=2.0, controller=dv.FixedStep(0.1), quiet=True)
    assert (result.time[0], result.time[-1]) == (1.0, 2.0)
    assert result["right.u"][-1] == pytest.approx(result["left.y"][-1])


def test_levels_are_flattened_with_their_connectors(folder):
    inner = system(
        component("part", "linear", U_Y),
        name="inner",
        connectors=connectors("in input", "out output"),
        wires=wire("in", "part/u", '<ssc:LinearTransformation factor="2" offset="1"/>')
        + wire("part/y", "out"),
    )
    middle = system(
        inner,
        name="middle",
        connectors=connectors("in input", "out output"),
        wires=wire("in", "inner/in", '<ssc:LinearTransformation factor="3" offset="5"/>')
        + wire("out", "inner/out"),
    )
    text = document(
        system(
            middle,
            component("source", "linear", U_Y),
            wires=wire("source/y", "middle/in") + wire("middle/out", "source/u"),
        )
    )
    parts, wires = drawn(dv.open(folder(text, "linear")))
    assert set(parts) == {"middle/inner/part", "source"}
    assert wires["source.y -> middle/inner/part.u"] == (6.0, 11.0, True, {})
    assert wires["middle/inner/part.y -> source.u"] == (1.0, 0.0, True, {})


def test_bindings_further_up_and_later_ones_go_first(folder):
    text = document(
        system(
            system(
                component(
                    "part",
                    "linear",
                    U_Y,
                    binding(values(a=real(1), b=real(1), c=real(1))) + binding(values(b=real(2))),
                ),
                name="inner",
                bindings=binding(values(part__c=real(3), part__drive=real(3), nobody=real(0))),
            ),
            bindings=binding(values(drive=real(4)), more='prefix="inner.part."'),
        )
    )
    with pytest.warns(UserWarning, match="1 of its values belong to no variable"):
        opened = dv.open(folder(text, "linear"))
    assert opened.parts["inner/part"].values == {"a": 1.0, "b": 2.0, "c": 3.0, "drive": 4.0}


def test_names_with_dots_mean_everything_they_can(folder):
    text = document(
        system(
            system(component("c", "linear", U_Y), name="b"),
            component("b.c", "linear", U_Y),
            bindings=binding(values(b__c__a=real(-3))),
        )
    )
    opened = dv.open(folder(text, "linear"))
    assert {n: dict(p.values) for n, p in opened.parts.items()} == {
        "b/c": {"a": -3.0},
        "b_c": {"a": -3.0},
    }


def test_parameters_of_systems_reach_what_they_are_connected_to(folder):
    text = document(
        system(
            component("part", "linear", connectors("u input", "a parameter", "y output")),
            component("other", "linear", connectors("u input", "y output", "a parameter")),
            connectors=connectors("rate parameter", "drive input"),
            bindings=binding(values(rate=real(-7), drive=real(2))),
            wires=wire("rate", "part/a")
            + wire("rate", "other/a", '<ssc:LinearTransformation factor="2"/>')
            + wire("drive", "part/u"),
        )
    )
    opened = dv.open(folder(text, "linear"))
    assert opened.parts["part"].values == {"a": -7.0, "u": 2.0}
    assert opened.parts["other"].values == {"a": -14.0}
    names = {o.name: [r.variable for r in o.routes] for o in opened.sketch.outlets}
    assert names == {"rate": ["part.a", "other.a"], "drive": ["part.u"]}


def test_mappings_rename_and_transform(folder):
    inline = mapping(
        "gain a",
        'gain b|<ssc:LinearTransformation factor="10" offset="1"/>',
    )
    text = document(
        system(
            component("p", "linear", U_Y, binding(values(gain=real(2), c=real(9)), inline)),
            component(
                "q",
                "linear",
                U_Y,
                '<ssd:ParameterBinding source="set.ssv"><ssd:ParameterMapping source="map.ssm"/>'
                "</ssd:ParameterBinding>",
            ),
        )
    )
    path = folder(
        text, "linear", set__ssv=values(gain=real(4)), map__ssm=bare_mapping("gain drive")
    )
    opened = dv.open(path)
    assert opened.parts["p"].values == {"a": 2.0, "b": 21.0}  # c is not mapped
    assert opened.parts["q"].values == {"drive": 4.0}


KILO = (
    "<ssd:Units>"
    '<ssc:Unit name="kN"><ssc:BaseUnit kg="1" m="1" s="-2" factor="1000"/></ssc:Unit>'
    '<ssc:Unit name="mine"><ssc:BaseUnit kg="1" m="1" s="-2" factor="10"/></ssc:Unit>'
    "</ssd:Units>"
)


def test_units_convert_where_connectors_say_them(folder):
    """`linear` has no units of its own, so those of its connectors count."""
    given = connectors("y output", sort='<ssc:Real unit="kN"/>')
    text = document(
        system(
            component("a", "linear", given),
            component("b", "body", connectors("force input", "position output")),
            component("c", "body", connectors("force input", "position output")),
            component("d", "linear", connectors("u input", sort='<ssc:Real unit="mine"/>')),
            wires=wire("a/y", "b/force")
            + wire("a/y", "c/force", '<ssc:LinearTransformation factor="2" offset="1"/>')
            + wire("a/y", "d/u"),
        ),
        KILO,
    )
    _, wires = drawn(dv.open(folder(text, "linear", "body")))
    assert wires["a.y -> b.force"][:2] == (1000.0, 0.0)
    assert wires["a.y -> c.force"][:2] == (2000.0, 1.0)  # the unit first, then the factor
    assert wires["a.y -> d.u"][:2] == (100.0, 0.0)


def test_units_do_not_convert_where_that_is_suppressed(folder):
    text = document(
        system(
            component("a", "linear", connectors("y output", sort='<ssc:Real unit="kN"/>')),
            component("b", "body", connectors("force input", "position output")),
            wires=wire(
                "a/y",
                "b/force",
                '<ssc:LinearTransformation factor="3"/>',
                'suppressUnitConversion="true"',
            ),
        ),
        KILO,
    )
    _, wires = drawn(dv.open(folder(text, "linear", "body")))
    assert wires["a.y -> b.force"][:2] == (3.0, 0.0)


def test_units_of_values_convert(folder):
    units = (
        '<ssv:Units><ssc:Unit name="t"><ssc:BaseUnit kg="1" factor="1000"/></ssc:Unit></ssv:Units>'
    )
    given = binding(values(units, mass=real(2, 'unit="t"')))
    kept = binding(
        values(units, weight=real(2, 'unit="t"')),
        mapping('weight mass suppressUnitConversion="true"'),
    )
    text = document(system(component("a", "body", "", given), component("b", "body", "", kept)))
    opened = dv.open(folder(text, "body"))
    assert opened.parts["a"].values == {"mass": 2000.0}
    assert opened.parts["b"].values == {"mass": 2.0}


TYPES = """
<ssd:Connector name="int32_in" kind="input"><ssc:Integer/></ssd:Connector>
<ssd:Connector name="int32_out" kind="output"><ssc:Integer/></ssd:Connector>
<ssd:Connector name="boolean_in" kind="input"><ssc:Boolean/></ssd:Connector>
<ssd:Connector name="boolean_out" kind="output"><ssc:Boolean/></ssd:Connector>
<ssd:Connector name="float64_in" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="enumeration_in" kind="input"><ssc:Enumeration name="Mode"/></ssd:Connector>
<ssd:Connector name="enumeration_out" kind="output"><ssc:Enumeration name="Mode"/></ssd:Connector>
"""


def test_maps_and_widened_types_run(folder, archive):
    given = binding(
        values(
            int32_in='<ssv:Integer value="4"/>',
            boolean_in='<ssv:Boolean value="true"/>',
            string_in='<ssv:String value="a b"/>',
            enumeration_in='<ssv:Enumeration value="two"/>',
        )
    )
    literals = dv.load(archive("types", 2)).description.inputs
    names = next(v.literals for v in literals if v.name == "enumeration_in")
    items = "".join(f'<ssc:Item name="{n}" value="{k + 1}"/>' for k, n in enumerate(names))
    text = document(
        system(
            component("a", "types", TYPES, given.replace('"two"', f'"{names[1]}"')),
            component("b", "types", TYPES),
            wires=wire(
                "a/int32_out",
                "b/int32_in",
                '<ssc:IntegerMappingTransformation><ssc:MapEntry source="4" target="-1"/>'
                "</ssc:IntegerMappingTransformation>",
            )
            + wire(
                "a/boolean_out",
                "b/boolean_in",
                '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/>'
                "</ssc:BooleanMappingTransformation>",
            )
            + wire("a/int32_out", "b/float64_in", '<ssc:LinearTransformation factor="0.5"/>')
            + wire(
                "a/enumeration_out",
                "b/enumeration_in",
                "<ssc:EnumerationMappingTransformation>"
                f'<ssc:MapEntry source="{names[1]}" target="{names[0]}"/>'
                "</ssc:EnumerationMappingTransformation>",
            ),
        ),
        f'<ssd:Enumerations><ssc:Enumeration name="Mode">{items}</ssc:Enumeration>'
        "</ssd:Enumerations>",
    )
    opened = dv.open(folder(text, "types"))
    parts, wires = drawn(opened)
    assert parts["a"] == {
        "int32_in": 4,
        "boolean_in": True,
        "string_in": "a b",
        "enumeration_in": 2,
    }
    assert wires["a.enumeration_out -> b.enumeration_in"][3] == {2: 1}
    result = dv.simulate(opened, stop=0.2, controller=dv.FixedStep(0.1), quiet=True)
    assert result["b.int32_out"][-1] == -1
    assert not result["b.boolean_out"][-1]
    assert result["b.float64_out"][-1] == 2.0
    assert result["b.enumeration_out"][-1] == 1


def test_signal_dictionaries_carry_signals_across_levels(folder):
    dictionary = (
        '<ssd:SignalDictionaries><ssd:SignalDictionary name="bus"><ssb:SignalDictionary '
        'version="1.0"><ssb:DictionaryEntry name="speed"><ssc:Real/></ssb:DictionaryEntry>'
        "</ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>"
    )
    reference = (
        '<ssd:SignalDictionaryReference name="bus" dictionary="bus"><ssd:Connectors>'
        '<ssd:Connector name="speed" kind="inout"><ssc:Real/></ssd:Connector></ssd:Connectors>'
        "</ssd:SignalDictionaryReference>"
    )
    text = document(
        system(
            system(
                component("reads", "linear", U_Y),
                reference,
                name="inner",
                wires=wire("bus/speed", "reads/u", '<ssc:LinearTransformation factor="2"/>'),
            ),
            component("writes", "linear", U_Y),
            reference,
            wires=wire("writes/y", "bus/speed"),
            rest=dictionary,
        )
    )
    _, wires = drawn(dv.open(folder(text, "linear")))
    assert wires == {"writes.y -> inner/reads.u": (2.0, 0.0, True, {})}


def test_arrays_of_a_chosen_size(folder):
    sized = (
        '<ssd:Connector name="n" kind="structuralParameter"><ssc:UInt64/></ssd:Connector>'
        '<ssd:Connector name="u" kind="input"><ssc:Float64/><ssc:Dimension sizeConnector="n"/>'
        "</ssd:Connector>"
        '<ssd:Connector name="y" kind="output"><ssc:Float64/><ssc:Dimension sizeConnector="n"/>'
        "</ssd:Connector>"
    )
    gains = (
        '<ssv:Parameter name="gain"><ssv:Float64 value="5 6"/><ssc:Dimension size="2"/>'
        '</ssv:Parameter><ssv:Parameter name="n"><ssv:UInt64 value="2"/></ssv:Parameter>'
    )
    given = binding(values(version="2.0").replace("<ssv:Parameters>", f"<ssv:Parameters>{gains}"))
    text = document(
        system(
            component("a", "arrays", sized, given),
            component("b", "arrays", sized, given),
            wires=wire("a/y", "b/u"),
        ),
        version="2.0",
    )
    opened = dv.open(folder(text, "arrays-3"))
    assert opened.parts["a"].model.structural == {"n": 2}
    assert np.array_equal(opened.parts["b"].values["gain"], [5.0, 6.0])
    assert opened.connections[0].target.variable.shape == (2,)


def test_nested_packages_and_systems_used_twice(folder, tmp_path):
    inner = document(
        system(
            component("part", "linear", U_Y, binding(values(a=real(-2), b=real(-2)))),
            name="inside",
            connectors=connectors("in input"),
            bindings=binding(values(part__b=real(-3), part__c=real(-3))),
            wires=wire("in", "part/u"),
        )
    )
    folder(inner, "linear", name="inner.ssd")
    outer = document(
        system(
            '<ssd:Component name="one" type="application/x-ssp-definition" source="inner.ssd">'
            f"<ssd:Connectors>{connectors('in input')}</ssd:Connectors><ssd:ParameterBindings>"
            f"{binding(values(part__c=real(-4)))}</ssd:ParameterBindings></ssd:Component>",
            system(component("x", "linear", U_Y), name="twice").replace(
                'name="twice"', 'name="twice" id="twin"'
            ),
            '<ssd:Component name="again" source="#twin"/>',
            component("source", "linear", U_Y),
            wires=wire("source/y", "one/in"),
        )
    )
    parts, wires = drawn(dv.open(folder(outer, "linear")))
    assert set(parts) == {"one/part", "twice/x", "again/x", "source"}
    assert parts["one/part"] == {"a": -2.0, "b": -3.0, "c": -4.0}
    assert list(wires) == ["source.y -> one/part.u"]


def test_implementations_choose_the_interface(folder):
    ask = 'implementation="{}"'.format
    text = document(
        system(
            component("a", "ball", more=ask("ModelExchange")),
            component("b", "ball", more=ask("CoSimulation")),
            component("c", "ball", more=ask("any")),
        )
    )
    opened = dv.open(folder(text, "ball"))
    kinds = {n: p.model.interface.kind for n, p in opened.parts.items()}
    assert kinds == {"a": "model exchange", "b": "co-simulation", "c": "co-simulation"}


def test_local_variables_can_be_read(folder):
    text = document(
        system(
            component("a", "linear", connectors("x local")),
            component("b", "linear", U_Y),
            wires=wire("a/x", "b/u"),
        )
    )
    opened = dv.open(folder(text, "linear"))
    assert [str(c) for c in opened.connections] == ["a.x -> b.u"]


def test_step_sizes_of_other_tools_are_used(folder):
    osp = (
        '<ssd:DefaultExperiment><ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">'
        '<osp:Algorithm xmlns:osp="o"><osp:FixedStepAlgorithm baseStepSize="1e-3"/></osp:Algorithm>'
        "</ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>"
    )
    oms = (
        '<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:Annotations xmlns:oms="m">'
        '<oms:SimulationInformation><oms:{} description="x" {}/></oms:SimulationInformation>'
        "</oms:Annotations></ssc:Annotation></ssd:Annotations>"
    )
    part = component("a", "linear", U_Y)
    run = formats.read(folder(document(system(part), osp), "linear")).run_settings
    assert (run.algorithm, run.controller) == (dv.Jacobi(), dv.FixedStep(1e-3))
    master = oms.format("FixedStepMaster", 'stepSize="0.25" relativeTolerance="1e-5"')
    run = formats.read(folder(document(system(part, rest=master)), "linear")).run_settings
    assert (run.controller, run.rtol) == (dv.FixedStep(0.25), 1e-5)
    solver = oms.format("VariableStepSolver", 'relativeTolerance="1e-7" maximumStepSize="0.5"')
    exchange = component("a", "ball", more='implementation="ModelExchange"')
    opened = dv.open(folder(document(system(exchange, rest=solver)), "ball"))
    assert (opened.parts["a"].model.rtol, opened.parts["a"].model.step) == (1e-7, 0.5)


def test_clocks_tick_as_their_connectors_say(folder):
    clock = (
        '<ssd:Connector name="tick" kind="input"><ssc:Clock intervalVariability="constant" '
        'intervalDecimal="{}"/></ssd:Connector>'
        '<ssd:Connector name="count" kind="output"><ssc:Int32/><ssd:Clock name="tick"/>'
        "</ssd:Connector>"
    )
    text = document(system(component("a", "counter", clock.format(0.1))), version="2.0")
    opened = dv.open(folder(text, "counter-3"))
    result = dv.simulate(opened, stop=0.5, controller=dv.FixedStep(0.25), quiet=True)
    assert result["a.count"][-1] == 6
    wrong = document(system(component("a", "counter", clock.format(0.3))), version="2.0")
    with pytest.raises(dv.InputError, match="the interval of its clock 'tick' is not for others"):
        dv.open(folder(wrong, "counter-3"))
    lost = text.replace('<ssd:Clock name="tick"/>', '<ssd:Clock name="tock"/>')
    with pytest.raises(dv.InputError, match="belongs to a clock 'tock', which is not a connector"):
        dv.open(folder(lost, "counter-3"))


def test_annotations_of_others_are_told(folder):
    note = '<ssd:Annotations><ssc:Annotation type="{}"/></ssd:Annotations>'
    text = document(
        system(
            component(
                "a", "linear", U_Y.replace("<ssc:Real/>", f"<ssc:Real/>{note.format('x.y')}")
            ),
            rest=note.format("com.example"),
        )
    )
    with pytest.warns(UserWarning) as caught:
        dv.open(folder(text, "linear"))
    told = " ".join(str(w.message) for w in caught)
    assert "System[root]/Annotation: the annotation 'com.example' is not used" in told
    assert "Connector[u]/Annotation: the annotation 'x.y' is not used; also line" in told


def test_nothing_is_said_about_a_clean_file(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dv.open(folder(document(system(component("a", "linear", U_Y))), "linear"))
