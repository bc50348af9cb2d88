"""Model descriptions of all versions are read into one form; what breaks a run is refused."""

from __future__ import annotations

import pickle
from math import inf, isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.description import Capabilities, Kind
from dovetail.core.errors import FileError
from dovetail.fmi import description as schema
from dovetail.fmi.archive.archive import Archive
from dovetail.fmi.description import FmuDescription, describe, rules
from dovetail.units import Unit, parse
from dovetail.xml import lexical

DATA = Path(__file__).parents[1] / "data" / "fmi"
NAMES = ["engine1", "engine2", "engine3"]


def read(name: str) -> FmuDescription:
    return schema.read(DATA / f"{name}.xml")


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "modelDescription.xml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def changed(tmp_path: Path, name: str, *changes: tuple[str, str]) -> FmuDescription:
    text = (DATA / f"{name}.xml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return schema.read(written(tmp_path, text))


def minimal(version: str = "2.0", body: str = "", inner: str = "") -> str:
    token = 'instantiationToken="t"' if version.startswith("3") else 'guid="t"'
    return (
        f'<fmiModelDescription fmiVersion="{version}" modelName="m" {token}>'
        f'<CoSimulation modelIdentifier="m"/>{inner}'
        f"<ModelVariables>{body}</ModelVariables><ModelStructure/></fmiModelDescription>"
    )


# What is read ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_correct_description_is_read_without_leniency(name: str) -> None:
    assert read(name).leniencies == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_description_can_be_pickled(name: str) -> None:
    assert pickle.loads(pickle.dumps(read(name))) == read(name)


def test_the_header_is_read() -> None:
    fmu = read("engine1")
    assert (fmu.version, fmu.written_version) == ("1.0", "1.0")
    assert (fmu.model_name, fmu.token, fmu.description) == ("Engine", "{1}", "an engine")
    assert (fmu.author, fmu.model_version) == ("me", "1.2")
    assert (fmu.generation_tool, fmu.variable_naming) == ("by hand", "structured")
    assert fmu.experiment == schema.Experiment(1.0, 3.0, 1e-4, None)
    assert read("engine2").experiment == schema.Experiment(0.0, 10.0, 1e-6, 0.1)
    assert read("engine3").experiment == schema.Experiment(None, 2.0, None, None)
    assert read("engine2").log_categories == {"logEvents": "events"}


def test_annotations_are_kept_as_text() -> None:
    assert "value=" in read("engine1").annotations["byHand"]
    assert '<x y="z"/>' in read("engine2").annotations["byHand"]
    assert "free <b/> text" in read("engine3").annotations["org.example"]


def test_capabilities_of_fmi_1() -> None:
    found = read("engine1").co_simulation
    assert found is not None and found.tool is not None
    assert found.needs_tool and found.can_vary_step_size and found.can_handle_events
    assert found.can_reject_steps and found.can_interpolate_inputs and found.can_signal_events
    assert found.can_run_asynchronously and found.only_once_per_process
    assert found.without_memory_functions and found.max_output_derivative_order == 2
    assert found.tool.manual_start and found.tool.entry_point == "file://model.x"
    assert found.tool.files == ("file://more.x",)
    assert not found.can_get_and_set_state


def test_an_fmi_1_model_without_implementation_is_for_model_exchange(tmp_path: Path) -> None:
    text = (DATA / "engine1.xml").read_text()
    start, end = text.index("<Implementation>"), text.index("</Implementation>")
    fmu = schema.read(written(tmp_path, text[:start] + text[end + len("</Implementation>") :]))
    assert fmu.co_simulation is None
    assert fmu.model_exchange is not None and fmu.model_exchange.model_identifier == "engine"
    assert fmu.model_exchange.needs_completed_integrator_step
    assert (fmu.structure.state_count, fmu.structure.event_indicator_count) == (2, 3)


def test_capabilities_of_fmi_2() -> None:
    fmu = read("engine2")
    assert fmu.co_simulation is not None and fmu.model_exchange is not None
    assert fmu.co_simulation.model_identifier == "engine_cs"
    assert fmu.co_simulation.can_get_and_set_state and fmu.co_simulation.can_serialize_state
    assert fmu.co_simulation.provides_directional_derivatives
    assert fmu.co_simulation.max_output_derivative_order == 1
    assert fmu.co_simulation.source_files == ("all.c",)
    assert not fmu.co_simulation.can_run_asynchronously
    assert not fmu.model_exchange.needs_completed_integrator_step
    assert [i.kind for i in fmu.interfaces] == ["co-simulation", "model exchange"]


def test_capabilities_of_fmi_3() -> None:
    fmu = read("engine3")
    found = fmu.co_simulation
    assert found is not None and fmu.scheduled_execution is not None
    assert found.provides_directional_derivatives and found.provides_adjoint_derivatives
    assert found.provides_element_dependencies and found.fixed_internal_step_size == 0.01
    assert found.intermediate_input_smoothness == -1 and found.provides_intermediate_update
    assert found.might_return_early and found.can_return_early_after_intermediate_update
    assert found.has_event_mode and found.evaluates_discrete_states
    assert fmu.scheduled_execution.needs_tool
    assert fmu.model_exchange is not None
    assert fmu.model_exchange.needs_completed_integrator_step


def test_units_are_read_as_they_are_defined() -> None:
    units = read("engine2").units
    assert units["degC"] == Unit.of(K=1, offset=273.15)
    assert units["furlong"] == Unit.of(m=1, factor=201.168)
    assert units["Nm"] == parse("N.m")  # it has no definition, but a name
    assert read("engine1").units["rad/s"] == parse("rad/s")


def test_display_units_convert() -> None:
    assert read("engine1").display_units["K"]["degC"](273.15) == 0
    assert read("engine2").display_units["degC"]["degF"](100.0) == 212
    assert read("engine3").display_units["m/s"]["s/m"](4.0) == 0.25


def test_variables_take_over_what_their_type_says() -> None:
    heat = read("engine2").by_name["heat"]
    assert (heat.unit, heat.display_unit, heat.declared_type) == ("degC", "degF", "Temperature")
    assert (heat.minimum, heat.maximum, heat.nominal) == (-40, 1000, 300)
    x = read("engine3").by_name["x"]
    assert (x.unit, x.quantity, x.minimum) == ("m/s", "Velocity", -9)
    assert read("engine1").by_name["state"].nominal == 300
    picture = read("engine3").by_name["picture"]
    assert (picture.mime_type, picture.max_size) == ("image/png", 99)
    ticks = read("engine3").by_name["ticks"].timing
    assert ticks == schema.Timing("fixed", interval=0.5, priority=2)


MEANT_IN_FMI_1 = {
    "throttle": ("input", "continuous", None),
    "speed": ("output", "continuous", "calculated"),
    "inertia": ("parameter", "fixed", "exact"),
    "mass": ("calculatedParameter", "fixed", "calculated"),
    "guess": ("calculatedParameter", "fixed", "approx"),
    "pi": ("local", "constant", "exact"),
    "state": ("local", "continuous", "exact"),
    "gear": ("local", "discrete", "exact"),
    "on": ("input", "discrete", None),
    "label": ("parameter", "fixed", "exact"),
    "count": ("local", "discrete", "exact"),
}


@pytest.mark.parametrize("name", MEANT_IN_FMI_1)
def test_fmi_1_is_told_in_the_words_of_fmi_2(name: str) -> None:
    v = read("engine1").by_name[name]
    assert (v.causality, v.variability, v.initial) == MEANT_IN_FMI_1[name]


def test_variables_that_share_a_value_name_the_first() -> None:
    drag = read("engine1").by_name["drag"]
    assert drag.alias_of == "torque" and drag.negated
    assert read("engine2").by_name["also speed"].alias_of == "speed"
    assert read("engine2").by_name["on"].alias_of is None  # another type, another value


def test_other_names_of_fmi_3_lead_to_the_variable() -> None:
    fmu = read("engine3")
    assert fmu.by_name["position"] is fmu.by_name["x"]
    assert fmu.by_name["x"].aliases == (schema.Alias("position", "the same", "s/m"),)
    assert "(also 'position')" in "\n".join(describe.lines(fmu, everything=True))


STARTS = {
    "u": (1.0, 2.0, 3.0), "K": (0.5,), "i8": -128, "u8": 255, "i16": -32768, "u16": 65535,
    "u32": 2**32 - 1, "i64": -(2**63), "u64": 2**64 - 1, "flags": (True, False, False),
    "texts": ("a b", ""), "picture": b"\x00\xff", "gear": 2, "time": None, "f32": None,
}  # fmt: skip


@pytest.mark.parametrize("name", STARTS)
def test_start_values_have_the_type_of_the_variable(name: str) -> None:
    start = read("engine3").by_name[name].start
    assert start == STARTS[name] and type(start) is type(STARTS[name])


def test_a_text_keeps_its_blanks() -> None:
    assert read("engine2").by_name["label"].start == " a "
    assert read("engine1").by_name["label"].start == ""


def test_sizes_follow_structural_parameters() -> None:
    K = read("engine3").by_name["K"]
    assert K.dimensions == (schema.Dimension(2), schema.Dimension(3, "n"))
    assert (K.shape(), K.size()) == ((2, 3), 6)
    assert (K.shape({"n": 5}), K.size({"n": 5})) == ((2, 5), 10)


def test_variables_refer_to_each_other_by_name() -> None:
    fmu = read("engine3")
    assert fmu.by_name["der(x)"].derivative_of == "x"
    assert fmu.by_name["counted"].previous == "old"
    assert fmu.by_name["counted"].clocks == ("ticks",)
    assert read("engine2").by_name["der(speed)"].derivative_of == "speed"


def test_defaults_of_fmi_3() -> None:
    fmu = read("engine3")
    assert fmu.by_name["n"].variability == "fixed"
    assert fmu.by_name["i32"].variability == "discrete"
    assert fmu.by_name["f32"].variability == "continuous"
    assert fmu.by_name["f32"].initial == "calculated"
    assert fmu.by_name["u"].initial == "exact"
    assert not fmu.by_name["gear"].can_handle_multiple_set
    assert fmu.by_name["x"].reinit and fmu.by_name["x"].intermediate_update


def test_the_structure_of_fmi_2() -> None:
    found = read("engine2").structure
    assert [u.name for u in found.outputs] == ["speed", "heat", "way", "on"]
    assert [u.dependencies for u in found.outputs] == [
        (),
        ("throttle", "speed"),
        None,
        ("throttle", "load", "gear"),
    ]
    assert found.outputs[1].kinds == ("constant", "dependent")
    assert read("engine2").states == ("speed",)
    assert (found.state_count, found.event_indicator_count) == (1, 1)
    assert len(found.initial_unknowns) == 5


def test_the_structure_of_fmi_3_counts_scalars() -> None:
    found = read("engine3").structure
    assert [u.name for u in found.outputs] == ["x", "f32"]
    assert read("engine3").states == ("x",)
    assert (found.state_count, found.event_indicator_count) == (2, 2)
    assert [u.name for u in found.clocked_states] == ["counted"]


def test_the_structure_of_fmi_1_comes_from_direct_dependencies() -> None:
    found = {u.name: u.dependencies for u in read("engine1").structure.outputs}
    assert found == {"speed": ("load",), "torque": (), "power": None}


def test_terminals_are_read(tmp_path: Path) -> None:
    (tmp_path / "terminalsAndIcons").mkdir()
    place = tmp_path / "terminalsAndIcons" / "terminalsAndIcons.xml"
    place.write_bytes((DATA / "terminals.xml").read_bytes())
    written(tmp_path, (DATA / "engine2.xml").read_bytes())
    fmu = schema.read(tmp_path)
    (flange,) = fmu.terminals
    assert (flange.name, flange.kind, flange.icon) == ("flange", "rotational", "shaft")
    assert flange.members[0] == schema.TerminalMember("load", "tau", "inflow")
    assert flange.streams == (schema.Stream("throttle", "heat", "a", "b"),)
    assert flange.terminals[0].matching_rule == "bus"
    assert any("'missing'" in told for told in fmu.leniencies)
    assert "  flange (rotational): load (inflow)" in "\n".join(describe.lines(fmu))


def test_terminals_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "terminalsAndIcons").mkdir()
    (tmp_path / "terminalsAndIcons" / "terminalsAndIcons.xml").write_text("<oops")
    written(tmp_path, (DATA / "engine2.xml").read_bytes())
    fmu = schema.read(tmp_path)
    assert fmu.terminals == () and "terminalsAndIcons.xml" in fmu.leniencies[0]


# What is put up with -----------------------------------------------------------------------

SLOPPY = [
    "blanks before the XML declaration",
    "the attribute 'speed' of fmiModelDescription is not known",
    "the attribute 'completedlntegratorStepNotNeeded' of ModelExchange is not known, ignored "
    "(is 'completedIntegratorStepNotNeeded' meant?): line 3",
    "blanks around the model identifier",
    "true or false is capitalised: line 4, 'b'",
    "the attribute 'maxOutputDerivativeOrder' of CoSimulation is ignored, as 'no' is not a whole",
    "the element 'Extra' in fmiModelDescription is not known",
    "a unit is not defined: 'splat' of 'u'",
    "a unit cannot be read, its values are not converted: 'splat' of 'u'",
    "a display unit is not defined",
    "a start value is missing: 'u' (line 7)",
    "the attribute 'min' of Real is ignored, as 'low' is not a number: 'k'",
    "variability is missing, and 'continuous' cannot be meant: 'k' (line 8), 'n' (line 9)",
    "initial 'exact' is not for causality 'input'",
    "the declared type 'None' is not defined",
    "an enumeration has no items",
    "the start value of an integer has a decimal point: 'e'",
    "causality 'output' does not go with variability 'fixed': 'f'",
    "a start value is empty: 'f'",
    "two inner variables have the same name",
    "the derivative of a variable that does not exist: 'inner #17'",
    "dependenciesKind has another length than dependencies",
    "an unknown is listed twice",
    "a variable is listed among the outputs of the model structure but is none: 'inner'",
    "an output is not listed in the model structure: 'f'",
    "a derivative does not say of which state: 'inner #17'",
    "the dependency kind 'odd' is not known",
]


@pytest.mark.parametrize("what", SLOPPY)
def test_what_exporters_get_wrong_is_put_up_with_and_told(what: str) -> None:
    assert any(what in told for told in read("sloppy2").leniencies)


def test_nothing_else_is_told_of_it() -> None:
    assert len(read("sloppy2").leniencies) == len(SLOPPY)


def test_what_is_put_up_with_is_read_as_it_is_meant() -> None:
    fmu = read("sloppy2")
    assert fmu.model_exchange is not None and fmu.model_exchange.model_identifier == "sloppy"
    assert fmu.co_simulation is not None and fmu.co_simulation.can_get_and_set_state
    assert fmu.by_name["k"].start == 2.5 and fmu.by_name["k"].variability == "fixed"
    assert fmu.by_name["n"].variability == "discrete"
    assert fmu.by_name["b"].start is True and fmu.by_name["b"].initial is None
    assert fmu.by_name["e"].start == 1
    assert fmu.by_name["inner #17"].reference == 17
    assert fmu.structure.outputs[0].dependencies == ("u",)
    assert fmu.structure.outputs[0].kinds is None
    assert fmu.structure.derivatives[0].kinds == ("dependent",)


def test_a_missing_structure_means_that_outputs_depend_on_all(tmp_path: Path) -> None:
    text = (DATA / "engine2.xml").read_text()
    text = text[: text.index("<ModelStructure>")] + "</fmiModelDescription>"
    fmu = schema.read(written(tmp_path, text))
    assert len(fmu.leniencies) == 1 and "the model structure is missing" in fmu.leniencies[0]
    assert [u.dependencies for u in fmu.structure.outputs] == [None] * 4
    description = schema.to_description(fmu, fmu.interfaces[0])
    assert description.depends("heat") == {"throttle", "load", "gear"}


def test_value_references_in_place_of_positions_are_recognised(tmp_path: Path) -> None:
    fmu = changed(
        tmp_path,
        "engine2",
        ('name="gear" valueReference="0"', 'name="gear" valueReference="20"'),
        ('valueReference="1" causality="parameter"', 'valueReference="21" causality="parameter"'),
        ('name="on" valueReference="0"', 'name="on" valueReference="22"'),
        ('name="label" valueReference="0"', 'name="label" valueReference="23"'),
        ('name="count" valueReference="3"', 'name="count" valueReference="24"'),
        ('name="also speed" valueReference="2"', 'name="also speed" valueReference="25"'),
        ('<Unknown index="3" dependencies=""/>', '<Unknown index="2" dependencies=""/>'),
        ('<Unknown index="5" dependencies="1 3"', '<Unknown index="4" dependencies="0 2"'),
        (
            '<Unknown index="6"/>\n      <Unknown index="13" dependencies="1 2 11"/>',
            '<Unknown index="5"/>\n      <Unknown index="22" dependencies="0 1 20"/>',
        ),
        ('<Unknown index="4" dependencies="1 2 3"/>', '<Unknown index="3" dependencies="0 1 2"/>'),
        ("InitialUnknowns>", "Unread>"),
    )
    assert fmu.structure.outputs == read("engine2").structure.outputs
    assert fmu.structure.derivatives == read("engine2").structure.derivatives
    assert any("are read as valueReference" in told for told in fmu.leniencies)


def test_positions_in_place_of_value_references_are_recognised(tmp_path: Path) -> None:
    body = (
        '<Float64 name="time" valueReference="100" causality="independent"/>'
        '<Float64 name="u" valueReference="101" causality="input" start="0"/>'
        '<Float64 name="y" valueReference="102" causality="output"/>'
    )
    text = minimal("3.0", body).replace(
        "<ModelStructure/>",
        '<ModelStructure><Output index="3" dependencies="2"/></ModelStructure>',
    )
    fmu = schema.read(written(tmp_path, text))
    assert fmu.structure.outputs == (schema.Unknown("y", ("u",)),)
    assert any("are read as index" in told for told in fmu.leniencies)


def test_an_xml_namespace_is_put_up_with(tmp_path: Path) -> None:
    text = minimal().replace("<fmiModelDescription", '<fmiModelDescription xmlns="urn:x"')
    assert "namespace" in schema.read(written(tmp_path, text)).leniencies[0]


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n \xef\xbb\xbf\xef\xbb\xbf "])
def test_a_byte_order_mark_is_put_up_with(tmp_path: Path, before: bytes) -> None:
    text = before + b'<?xml version="1.0" encoding="utf-8"?>' + minimal().encode()
    assert schema.read(written(tmp_path, text)).model_name == "m"


def test_a_wrong_encoding_is_put_up_with(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="UTF-8"?>' + minimal().replace('"m"', '"Größe"', 1)
    fmu = schema.read(written(tmp_path, text.encode("latin-1")))
    assert fmu.model_name == "Größe" and "Windows-1252" in fmu.leniencies[0]


@pytest.mark.parametrize("version", ["2.0.1", "3.0-rc.1", "1"])
def test_versions_written_otherwise_are_put_up_with(tmp_path: Path, version: str) -> None:
    text = minimal(version)
    if version == "1":
        text = '<fmiModelDescription fmiVersion="1" modelName="m" guid="g" modelIdentifier="m"/>'
    fmu = schema.read(written(tmp_path, text))
    assert fmu.version[0] == version[0] and fmu.written_version == version
    assert any("FMI version is written" in told for told in fmu.leniencies)


@pytest.mark.parametrize("version", ["3.0", "3.0.2", "3.1"])
def test_minor_versions_of_fmi_3_are_read_as_fmi_3(tmp_path: Path, version: str) -> None:
    fmu = schema.read(written(tmp_path, minimal(version)))
    assert fmu.version == "3.0" and fmu.leniencies == ()


def test_a_leniency_gives_examples_and_counts_the_rest(tmp_path: Path) -> None:
    body = "".join(
        f'<ScalarVariable name="u{k}" valueReference="{k}" causality="input"><Real/>'
        "</ScalarVariable>"
        for k in range(10)
    )
    (told,) = schema.read(written(tmp_path, minimal(body=body))).leniencies
    assert told == (
        "a start value is missing: 'u0' (line 1), 'u1' (line 1), 'u2' (line 1) and 7 more"
    )


def test_a_unit_that_is_not_what_its_name_tells_is_told(tmp_path: Path) -> None:
    fmu = changed(tmp_path, "engine2", ('factor="0.10471975511965977"', 'factor="1.2"'))
    assert "not defined as its name says" in fmu.leniencies[0] and "'rpm'" in fmu.leniencies[0]
    description = schema.to_description(fmu, fmu.interfaces[0])
    assert parse(str(description.outputs[0].unit)) == Unit.of(s=-1, factor=1.2)


# What is refused ---------------------------------------------------------------------------


def test_all_that_breaks_a_run_is_listed_with_its_line() -> None:
    with pytest.raises(FileError) as caught:
        read("broken2")
    told = str(caught.value)
    assert "broken2.xml: 10 problems stop this FMU from being used" in told
    for what in (
        "line 3: the modelIdentifier is missing",
        "line 5: the start value of 'a' cannot be read: 'one' is not a number",
        "line 6: two variables have the name 'a'",
        "line 7: the valueReference of 'b' is missing",
        "line 8: the valueReference of 'c' is wrong: -3 is not between 0 and 4294967295",
        "line 9: 'd' has no type",
        "line 10: a variable has no name",
        "line 10: the start value of '' cannot be read: 3000000000 is not between",
        "line 13: the model structure refers to variable number 77, which does not exist",
        "line 13: the model structure refers to no variable",
        "ask its supplier for a corrected export",
    ):
        assert what in told


REFUSED = {
    "is written for FMI '4.0'": minimal("4.0"),
    "is written for FMI '2.x'": minimal("2.x"),
    "names no FMI version": minimal("").replace('fmiVersion=""', ""),
    "neither the element CoSimulation nor ModelExchange": minimal().replace(
        '<CoSimulation modelIdentifier="m"/>', ""
    ),
    "none of the elements ModelExchange": minimal("3.0").replace(
        '<CoSimulation modelIdentifier="m"/>', ""
    ),
    "'../../x' is not a file name": minimal().replace('Identifier="m"', 'Identifier="../../x"'),
    "'a\\b' is not a file name": minimal().replace('Identifier="m"', 'Identifier="a\\b"'),
    "'..' is not a file name": minimal().replace('Identifier="m"', 'Identifier=".."'),
    "not valid XML": minimal()[:-10],
    "its root element is 'html'": "<html/>",
    "2 start values for 3 values": minimal(
        "3.0",
        '<Float64 name="x" valueReference="1" causality="input" start="1 2"><Dimension start="3"/>'
        "</Float64>",
    ),
    "2 start values for 1 value": minimal(
        "3.0", '<Float64 name="x" valueReference="1" causality="input" start="1 2"/>'
    ),
    "is variable 9, which does not exist": minimal(
        "3.0", '<Float64 name="x" valueReference="1"><Dimension valueReference="9"/></Float64>'
    ),
    "has no size": minimal("3.0", '<Float64 name="x" valueReference="1"><Dimension/></Float64>'),
    "which is not a size": minimal(
        "3.0", '<Float64 name="x" valueReference="1"><Dimension valueReference="1"/></Float64>'
    ),
    "elements; at most": minimal(
        "3.0",
        '<Float64 name="x" valueReference="1"><Dimension start="99999"/>'
        '<Dimension start="99999"/></Float64>',
    ),
    "have the same value reference 1": minimal(
        "3.0", '<Float64 name="x" valueReference="1"/><Int8 name="y" valueReference="1"/>'
    ),
    "two variables have the name 'x'": minimal(
        "3.0", '<Float64 name="x" valueReference="1"><Alias name="x"/></Float64>'
    ),
    "an alias has no name": minimal(
        "3.0", '<Float64 name="x" valueReference="1"><Alias/></Float64>'
    ),
    "pairs of hexadecimal digits": minimal(
        "3.0", '<Binary name="x" valueReference="1" causality="input"><Start value="0"/></Binary>'
    ),
    "300 is not between -128 and 127": minimal(
        "3.0", '<Int8 name="x" valueReference="1" causality="input" start="300"/>'
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_breaks_a_run_is_refused(tmp_path: Path, what: str) -> None:
    with pytest.raises(FileError) as caught:
        schema.read(written(tmp_path, REFUSED[what]))
    assert what in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        schema.read(tmp_path)


def test_a_description_is_read_again_only_if_it_has_changed(tmp_path: Path) -> None:
    written(tmp_path, minimal())
    first = schema.read(Archive.open(tmp_path))
    assert schema.read(Archive.open(tmp_path)) is first
    written(tmp_path, minimal().replace('modelName="', 'modelName="other '))
    assert schema.read(Archive.open(tmp_path)).model_name.startswith("other ")


@pytest.mark.parametrize("large", ["<a>" * 300 + "</a>" * 300, "x" * 11_000_000])
def test_a_text_or_a_depth_beyond_all_reason_is_told(tmp_path: Path, large: str) -> None:
    tool = f'<VendorAnnotations><Tool name="t">{large}</Tool></VendorAnnotations>'
    text = minimal().replace("<ModelVariables", f"{tool}<ModelVariables")
    with pytest.raises(FileError, match="longer than 10 MB, or elements are nested more than 256"):
        schema.read(written(tmp_path, text))


def test_lines_that_cannot_be_counted_are_not_told(tmp_path: Path) -> None:
    text = minimal(body="\n" * 70_000 + '<ScalarVariable name="x" valueReference="0"/>')
    with pytest.raises(FileError) as caught:
        schema.read(written(tmp_path, text))
    assert "modelDescription.xml: 'x' has no type that FMI 2 knows" in str(caught.value)


def test_a_giant_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dovetail.xml import document

    monkeypatch.setattr(document, "LARGEST", 100)
    with pytest.raises(FileError, match="at most"):
        schema.read(written(tmp_path, minimal()))


LAUGHS = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))


@pytest.mark.parametrize(
    "hostile",
    [
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + minimal(inner="&e;"),
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">' + minimal(),
        f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>' + minimal(inner="<A>&a9;</A>"),
        f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]>' + minimal().replace('"m"', '"&a9;"', 1),
        "<!DOCTYPE fmiModelDescription>" + minimal(),
        "<a>" * 100_000,
    ],
    ids=["file", "network", "laughs", "laughs in an attribute", "plain", "deep"],
)
def test_hostile_xml_is_refused(tmp_path: Path, hostile: str) -> None:
    with pytest.raises(FileError):
        schema.read(written(tmp_path, hostile))


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from([*NAMES, "sloppy2"]))
def test_a_damaged_description_is_read_or_refused_but_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, name: str
) -> None:
    content = bytearray((DATA / f"{name}.xml").read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        place = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            content[place] = data.draw(st.sampled_from(b'<>"&=0129-. aX\x00\xff'))
        else:
            del content[place : place + data.draw(st.integers(1, 60))]
    path = written(tmp_path_factory.mktemp("damaged"), bytes(content))
    try:
        fmu = schema.read(path)
    except FileError:
        return
    rules.check(fmu)
    describe.lines(fmu, everything=True)
    for interface in fmu.interfaces:
        schema.to_description(fmu, interface)


# How values are written --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), (" -1.5e-3\n", -0.0015), (".5", 0.5), ("5.", 5.0), ("INF", inf), ("-INF", -inf)],
)
def test_numbers_are_read(text: str, value: float) -> None:
    assert lexical.real(text) == value


def test_not_a_number_is_a_number_too() -> None:
    assert isnan(lexical.real("NaN"))


@pytest.mark.parametrize("text", ["", "1,5", "0x10", "1_000", "one", "1e", "--1", "\u0661"])
def test_other_texts_are_no_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        lexical.real(text)
    with pytest.raises(ValueError):
        lexical.whole(text)


@given(st.floats(allow_nan=False))
def test_what_python_writes_is_read_back(value: float) -> None:
    assert lexical.real(repr(value)) == value


# Seen from outside -------------------------------------------------------------------------


def test_an_fmu_seen_from_outside() -> None:
    fmu = read("engine2")
    assert fmu.co_simulation is not None
    able = Capabilities(can_restore=True)
    found = schema.to_description(fmu, fmu.co_simulation, capabilities=able)
    assert [v.name for v in found.inputs] == ["throttle", "load", "gear"]
    assert [v.name for v in found.outputs] == ["speed", "heat", "way", "on"]
    assert [v.name for v in found.parameters] == ["speed", "inertia", "gain", "mode", "label"]
    assert found.capabilities == able and found.kind == "FMI 2.0 co-simulation"
    assert found.depends("speed") == frozenset()
    assert found.depends("heat") == {"throttle"}
    assert found.depends("way") == {"throttle", "load", "gear"}
    throttle = found.inputs[0]
    assert (throttle.minimum, throttle.maximum, throttle.start) == (0, 1, 0.5)
    assert found.outputs[3].kind is Kind.BOOLEAN


def test_units_are_told_so_that_they_can_be_read() -> None:
    fmu = read("engine2")
    found = schema.to_description(fmu, fmu.interfaces[0])
    assert [v.unit for v in found.outputs] == ["rpm", "degC", "201.168*m", None]
    assert parse("201.168*m") == fmu.units["furlong"]


def test_a_difference_of_temperatures_has_no_offset(tmp_path: Path) -> None:
    relative = ("<Real declaredType", '<Real relativeQuantity="true" declaredType')
    fmu = changed(tmp_path, "engine2", relative)
    found = schema.to_description(fmu, fmu.interfaces[0])
    assert found.outputs[1].unit == "K"


def test_enumerations_have_literals_where_they_count_from_one() -> None:
    fmu = read("engine2")
    found = schema.to_description(fmu, fmu.interfaces[0])
    assert found.inputs[2].literals == ("low", "high") and found.inputs[2].start == 2
    mode = next(v for v in found.parameters if v.name == "mode")
    assert mode.kind is Kind.ENUMERATION and mode.literals == () and mode.start == 5


def test_arrays_have_a_shape_and_all_their_start_values() -> None:
    fmu = read("engine3")
    found = schema.to_description(fmu, fmu.interfaces[0])
    by_name = {v.name: v for v in (*found.inputs, *found.parameters)}
    assert by_name["K"].shape == (2, 3)
    np.testing.assert_array_equal(by_name["K"].start, np.full((2, 3), 0.5))
    np.testing.assert_array_equal(by_name["u"].start, [1, 2, 3])
    assert by_name["flags"].start == (True, False, False)
    assert by_name["texts"].start == ("a b", "")
    assert by_name["picture"].start == b"\x00\xff"
    assert by_name["ticks"].kind is Kind.CLOCK
    assert "n" in by_name and "x" in by_name and "time" not in by_name


def test_structural_parameters_change_shapes() -> None:
    fmu = read("engine3")
    found = schema.to_description(fmu, fmu.interfaces[0], values={"n": 4})
    by_name = {v.name: v for v in (*found.inputs, *found.parameters)}
    assert by_name["u"].shape == (4,) and by_name["u"].start is None
    np.testing.assert_array_equal(by_name["K"].start, np.full((2, 4), 0.5))


def test_start_values_that_are_not_finite_are_left_to_the_fmu(tmp_path: Path) -> None:
    fmu = changed(tmp_path, "engine2", ('start="0.5"', 'start="INF"'))
    assert fmu.by_name["throttle"].start == inf
    assert schema.to_description(fmu, fmu.interfaces[0]).inputs[0].start is None


# Rules -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_correct_description_breaks_no_rule(name: str) -> None:
    assert rules.check(read(name)) == []


IN_2 = {
    "'half' is calculated and has a start value": (
        'variability="fixed"><Real/>',
        'variability="fixed"><Real start="1"/>',
    ),
    "the start value of 'throttle' is above its maximum": ('start="0.5"', 'start="1.5"'),
    "the minimum of 'throttle' is above its maximum": ('min="0" max="1"', 'min="2" max="1"'),
    "the nominal value of 'heat' is not above zero": ('nominal="300"', 'nominal="0"'),
    "a start value of 'inertia' is not finite": ('<Real start="2"/>', '<Real start="NaN"/>'),
    "'inertia' restricts how often it is set, but is not an input": (
        'valueReference="6"',
        'valueReference="6" canHandleMultipleSetPerTimeInstant="false"',
    ),
    "'throttle' is reinitialized, but is not a state": (
        '<Real start="0.5"',
        '<Real reinit="true" start="0.5"',
    ),
    "can both be set, but share a value": (
        'name="gain" valueReference="7"',
        'name="gain" valueReference="6"',
    ),
    "differ in unit": (
        'name="also speed" valueReference="2"><Real unit="rpm"/>',
        'name="also speed" valueReference="2"><Real/>',
    ),
    "a constant shares the value of 'gear'": (
        'name="count" valueReference="3"',
        'name="count" valueReference="0"',
    ),
    "the start value of 'gear' is not in its enumeration": (
        'declaredType="Gear" start="2"',
        'declaredType="Gear" start="3"',
    ),
    "has the value '1' twice": ('value="2"', 'value="1"'),
    "the state 'speed' is output and discrete": (
        'causality="output" initial="exact"',
        'causality="output" initial="exact" variability="discrete"',
    ),
    "'half' is not among the initial unknowns": ('<Unknown index="9"/>', ""),
    "'throttle' is among the initial unknowns, but is none": (
        '<Unknown index="9"/>',
        '<Unknown index="9"/><Unknown index="1"/>',
    ),
    "the initial unknowns are not in the order": (
        '<Unknown index="4"/><Unknown index="5"/>',
        '<Unknown index="5"/><Unknown index="4"/>',
    ),
    "the dependencies of 'on' are not in order": ('dependencies="1 2 11"', 'dependencies="11 1 2"'),
    "'heat' depends on 'way', which is neither": ('dependencies="1 3"', 'dependencies="1 6"'),
    "the model identifier 'engine-cs' is not a C identifier": ("engine_cs", "engine-cs"),
    "writes states down, but can neither": ('canGetAndSetFMUstate="true"', ""),
    "does not end after its start": ('stopTime="10"', 'stopTime="0"'),
    "the step size of the default experiment": ('stepSize="0.1"', 'stepSize="-1"'),
    "the generation time": ("2024-01-02T03:04:05Z", "yesterday"),
    "the independent variable 'inertia' has a start value": (
        'causality="parameter" variability="fixed"><Real start="2"/>',
        'causality="independent"><Real start="2"/>',
    ),
    "the attribute 'x' of CoSimulation is not known": ("<CoSimulation ", '<CoSimulation x="1" '),
}
IN_3 = {
    "there is no independent variable": ('causality="independent"', ""),
    "a dimension of 'u' is zero": ('start="3" min="0"', 'start="0" min="0"'),
    "'n' is a size of 'u', but no structural parameter": ("structuralParameter", "parameter"),
    "the clock 'ticks' does not say how": ('declaredType="Ticks" intervalVariability="fixed"', ""),
    "is not named as structured names are": ('name="f32"', 'name="f 32"'),
    "belongs to the clock 'i32', which is none": (
        'name="old" valueReference="20" clocks="19"',
        'name="old" valueReference="20" clocks="11"',
    ),
    "'counted' has a previous value, but no clock": ('clocks="19" previous', "previous"),
    "the interval of the clock 'ticks' is not above zero": (
        'intervalDecimal="0.5"',
        'intervalDecimal="0"',
    ),
    "counts in fractions, but has no resolution": ('priority="2"', 'supportsFraction="true"'),
    "takes part in intermediate updates, but is not continuous": (
        'name="i32"',
        'name="i32" intermediateUpdate="true"',
    ),
    "the fixed internal step size": ('fixedInternalStepSize="0.01"', 'fixedInternalStepSize="0"'),
}


@pytest.mark.parametrize("what", IN_2)
def test_a_breach_of_the_rules_of_fmi_2_is_found(tmp_path: Path, what: str) -> None:
    found = rules.check(changed(tmp_path, "engine2", IN_2[what]))
    assert any(what in str(finding) for finding in found)


@pytest.mark.parametrize("what", IN_3)
def test_a_breach_of_the_rules_of_fmi_3_is_found(tmp_path: Path, what: str) -> None:
    changes = IN_3[what]
    text = (DATA / "engine3.xml").read_text()
    if 'start="0" min' in changes[1]:  # then no start values fit
        text = text.replace('start="1 2 3"', 'start="1"').replace(
            'start="true 0 false"', 'start="0"'
        )
    assert changes[0] in text
    fmu = schema.read(written(tmp_path, text.replace(*changes)))
    assert any(what in str(finding) for finding in rules.check(fmu))


def test_what_the_standard_does_not_forbid_is_only_a_warning() -> None:
    found = {f.what: f.severity for f in rules.check(read("sloppy2"))}
    assert found["a unit is not defined: 'splat' of 'u'"] == "error"
    unread = "a unit cannot be read, its values are not converted: 'splat' of 'u'"
    assert found[unread] == "warning"


def test_a_finding_says_where_it_is(tmp_path: Path) -> None:
    fmu = changed(tmp_path, "engine2", ('start="0.5"', 'start="1.5"'))
    (finding,) = rules.check(fmu)
    assert (finding.severity, finding.line, finding.rule) == ("warning", 25, "limits")
    assert str(finding).startswith("warning: line 25: ")


# Told in lines -----------------------------------------------------------------------------


def test_an_fmu_is_told_in_lines() -> None:
    told = "\n".join(describe.lines(read("engine2")))
    assert "Engine: FMI 2.0, co-simulation and model exchange" in told
    assert "run from     0 to 10 s, step 0.1 s, tolerance 1e-06" in told
    assert "15 variables: 3 inputs, 4 outputs" in told
    assert "throttle  input" in told and "also speed" not in told
    assert "tunable parameter" in told
    assert "can roll back to an earlier state" in told
    assert "equations without a solver: 1 state, 1 event indicator" in told
    assert "Read leniently" not in told


def test_local_variables_are_told_on_request() -> None:
    assert "also speed" in "\n".join(describe.lines(read("engine2"), everything=True))


def test_arrays_and_leniencies_are_told() -> None:
    assert "Float64[2, n]" in "\n".join(describe.lines(read("engine3")))
    assert "completedlntegratorStepNotNeeded" in "\n".join(describe.lines(read("sloppy2")))


def test_nothing_told_can_upset_a_terminal(tmp_path: Path) -> None:
    fmu = changed(tmp_path, "engine2", ("an engine", "an \u009b31m \u202e engine"))
    assert all(line.isprintable() for line in describe.lines(fmu))
