"""What is said about SSPs that cannot be read: what, where in which file, and the way out."""

import zipfile

import pytest
from ssp.texts import (
    SPACES,
    U_Y,
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

PART = component("a", "linear", U_Y)


def said(path, **options):
    with pytest.raises(dv.InputError) as caught:
        dv.open(path, **options)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            document(system(PART, wires=wire("a/y", "b/u"))),
            "System[root]/Connection: there is no element 'b'.",
        ),
        (
            document(system(PART, wires=wire("a/y", "a/uu"))),
            "System[root]/Connection: 'a' has no connector 'uu'. Did you mean 'u'?",
        ),
        (
            document(system(PART, component("b", "linear", U_Y), wires=wire("a/u", "b/u"))),
            "System[root]/Connection: 'a.u' (input) cannot feed 'b.u' (input).",
        ),
        (
            document(system(PART, wires=wire("a/y", "a/u") + wire("a/u", "a/y"))),
            "System[root]/Connection[2]: 'a.u' is fed by 'a.y' already; it takes one source.",
        ),
        (
            document(system(PART, PART)),
            "System[root]/Component[a]: there is an element of this name already.",
        ),
        (
            document(system(component("a", "liner"))),
            "System[root]/Component[a]: 'resources/liner.fmu' cannot be used: "
            "resources/liner.fmu: there is no such file. Did you mean 'linear.fmu'?",
        ),
        (
            document(system(component("a", "linear", connectors("y input")))),
            "System[root]/Component[a]/Connector[y]: is of kind input, but the model has it as "
            "output.",
        ),
        (
            document(system('<ssd:Component source="x.fmu"/>')),
            "System[root]/Component: lacks the attribute 'name'.",
        ),
        (
            document(system(component("a", "linear", U_Y, more='implementation="Both"'))),
            "System[root]/Component[a]: has a wrong 'implementation': 'Both' is not one of any, "
            "ModelExchange, CoSimulation, ScheduledExecution.",
        ),
        (
            document(system(component("a", "linear", "", binding(values(a="<ssv:Real/>"))))),
            "System[root]/Component[a]/ParameterBinding/ParameterValues/ParameterSet[values]/"
            "Parameter[a]/Real: lacks the attribute 'value'.",
        ),
        (
            document(
                system(
                    component("a", "linear", "", binding(values(a='<ssv:String value="x"/>')))
                )
            ),
            "Parameter[a]: 'a.a' must be a real value, not 'x'.",
        ),
        (
            document(
                system(
                    component(
                        "a",
                        "body",
                        "",
                        binding(
                            values(
                                '<ssv:Units><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>'
                                "</ssv:Units>",
                                mass=real(1, 'unit="m"'),
                            )
                        ),
                    )
                )
            ),
            "Parameter[mass]: cannot be given to 'a.mass': 'm' is m but 'kg' is kg.",
        ),
        (
            document(system(PART, rest="<ssd:Annotations/>").replace('"root"', '"root" size="3"')),
            "System[root]: has an attribute 'size', which SSP does not know; with",
        ),
        (
            document(
                system(
                    PART,
                    rest='<ssd:Annotations><ssc:Annotation type="dovetail">juntions: []'
                    "</ssc:Annotation></ssd:Annotations>",
                )
            ),
            "System[root]/Annotation: 'juntions' means nothing. Did you mean 'junctions'?",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(folder, text, message):
    told = said(folder(text, "linear", "body"))
    assert message in told
    assert told.startswith("SystemStructure.ssd:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            document(system('<ssd:Component name="plan"/>', PART)),
            "SystemStructure.ssd:3: System[root]/Component[plan]: has no source: it is only "
            "planned",
        ),
        (
            document(system(component("m", "linear", more='type="text/x-modelica"'), PART)),
            "Component[m]: is of type 'text/x-modelica', which is not supported; "
            "'application/x-fmu-sharedlibrary' is",
        ),
        (
            document(
                system(
                    PART,
                    component("b", "linear", U_Y),
                    wires=wire("a/y", "b/u", more='startIndices="1"'),
                ),
                version="2.0",
            ),
            "Connection: connects single elements of an array (startIndices), which is not "
            "supported",
        ),
        (
            document(system(PART, rest="<ssd:Magic/>")),
            "System[root]: holds an element 'ssd:Magic' (line 7), which SSP does not know there",
        ),
        (
            document(
                system('<ssd:Component name="web" source="https://example.org/a.fmu"/>', PART)
            ),
            "Component[web]: 'https://example.org/a.fmu' is not in a file, and nothing is fetched",
        ),
        (
            document(
                system(component("a", "linear", connectors("u input", sort="<ssc:String/>")))
            ),
            "Connector[u]: is of type String, but the model has it as real, which counts",
        ),
        (
            document(system(component("a", "linear", "", binding(values(y=real(1)))))),
            "Parameter[y]: 'a.y' is not a parameter, start value or input of 'a'. It is an output",
        ),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_an_error_or_a_warning(folder, text, message):
    path = folder(text, "linear")
    told = said(path)
    assert message in told
    assert "; with unsupported='warn' (--unsupported warn) it is left out, with a note" in told
    with pytest.warns(UserWarning) as caught:
        opened = dv.open(path, unsupported="warn")
    assert any(message in str(w.message) for w in caught)
    assert "a" in opened.parts


def test_everything_is_told_at_once(folder):
    text = document(
        system(
            '<ssd:Component name="plan"/>',
            PART,
            wires=wire("a/y", "x/u") + wire("a/y", "plan/v"),
        )
    )
    assert said(folder(text, "linear")) == (
        "system 'drawing' has 4 problems:\n"
        "  - SystemStructure.ssd:3: System[root]/Component[plan]: has no source: it is only "
        "planned.\n"
        "  - SystemStructure.ssd:8: System[root]/Connection[1]: there is no element 'x'.\n"
        "  - SystemStructure.ssd:8: System[root]/Connection[2]: 'plan' has no connector 'v'.\n"
        "  - 1 of these are not supported; with unsupported='warn' (--unsupported warn) they are "
        "left out, with notes."
    )


def test_maps_of_names_nobody_has(folder):
    wrong = (
        "<ssc:EnumerationMappingTransformation>"
        '<ssc:MapEntry source="x" target="y"/></ssc:EnumerationMappingTransformation>'
    )
    text = document(
        system(
            component("a", "types"),
            component("b", "types"),
            wires=wire("a/enumeration_out", "b/enumeration_in", wrong),
        )
    )
    assert "maps 'x', which is not one of" in said(folder(text, "types"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a/>", "its root element is 'a', not 'SystemStructureDescription'"),
        (
            '<a:SystemStructureDescription xmlns:a="http://www.pmsf.net/xsd/Draft"/>',
            "its namespace 'http://www.pmsf.net/xsd/Draft' is not that of SSP 1.0 or 2.0; it may "
            "be a draft; export it as SSP 1.0 or 2.0",
        ),
        (
            document(system(), version="3.0"),
            "SystemStructure.ssd:1: it is of version '3.0'; SSP 1.0 and 2.0 are read",
        ),
        ("", "this is not valid XML"),
        (
            '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
            "it has a document type definition, which SSP does not know; it may have been made to "
            "do harm; remove the DOCTYPE",
        ),
    ],
)
def test_files_that_are_no_ssd(folder, text, message):
    assert message in said(folder(text))


def test_a_file_that_is_not_there(tmp_path):
    assert said(tmp_path / "x.ssd") == "x.ssd: there is no such file"
    assert said(tmp_path / "x.ssp") == "x.ssp: there is no such file"


def packed(tmp_path, **members):
    path = tmp_path / "x.ssp"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return path


def test_archives_that_are_no_ssp(tmp_path):
    assert said(packed(tmp_path, a="b")) == (
        "x.ssp: it holds no SystemStructure.ssd, so it is not an SSP; zip the files of the SSP, "
        "not a folder around them"
    )
    (tmp_path / "x.ssp").write_text("no zip")
    assert "this is not a zip archive" in said(tmp_path / "x.ssp")


def test_archives_that_lead_outside(tmp_path):
    path = tmp_path / "x.ssp"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", document(system()))
        archive.writestr("../evil", "x")
    assert "the path '../evil' in it leads outside" in said(path)
    for source in ("../linear.fmu", "/etc/passwd", "file:///etc/passwd"):
        text = document(system(f'<ssd:Component name="a" source="{source}"/>'))
        told = said(packed(tmp_path, SystemStructure__ssd=text))
        assert f"x.ssp/SystemStructure.ssd:3: System[root]/Component[a]: '{source}'" in told
        assert "leads out of the archive, which is not safe" in told


def test_systems_that_contain_themselves(folder):
    nested = '<ssd:Component name="x" type="application/x-ssp-definition" source="{}"/>'
    told = said(folder(document(system(nested.format("SystemStructure.ssd")))))
    assert "this system would contain itself; take it out" in told
    own = document(
        system('<ssd:Component name="x" source="#me"/>').replace('"root"', '"root" id="me"')
    )
    assert "System[root]/Component[x]: this system would contain itself." in said(folder(own))


def test_values_and_mappings_that_are_not_there(folder):
    text = document(
        system(
            component("a", "linear", U_Y, '<ssd:ParameterBinding source="no.ssv"/>'),
            component("b", "linear", U_Y, "<ssd:ParameterBinding/>"),
            component("c", "linear", U_Y, '<ssd:ParameterBinding type="text/plain"/>'),
        )
    )
    told = said(folder(text, "linear"))
    assert "'no.ssv' cannot be read: no.ssv: there is no such file." in told
    assert "ParameterBinding: has neither a source nor a ssv:ParameterSet in it." in told
    assert "is of type 'text/plain', which is not supported" in told


def test_a_parameter_that_another_part_would_set(folder):
    text = document(
        system(
            component("a", "linear", connectors("y output")),
            component("b", "linear", connectors("a parameter")),
            wires=wire("a/y", "b/a"),
        )
    )
    assert "'a.y' (output) cannot feed 'b.a' (parameter)" in said(folder(text, "linear"))


def test_variants_of_an_archive(tmp_path):
    other = document(system(name="other")).replace('name="drawing"', 'name="other"')
    path = packed(tmp_path, SystemStructure__ssd=document(system()), B__ssd=other)
    with pytest.warns(UserWarning, match="it holds other variants as well: B.ssd"):
        assert dv.open(path).name == "drawing"
    with pytest.warns(UserWarning, match="other variants"):
        assert dv.open(f"{path}#B.ssd").name == "other"
    assert "C.ssd: there is no such file" in said(path.with_name("x.ssp#C.ssd"))


def test_types_that_do_not_convert(folder):
    text = document(
        system(
            component("a", "linear"),
            component("b", "types"),
            wires=wire("a/y", "b/int32_in"),
        )
    )
    told = said(folder(text, "linear", "types"))
    assert "System[root]/Connection: 'a.y' is of type real but 'b.int32_in' takes integer." in told


def test_twice_mapped(folder):
    text = document(
        system(
            component(
                "a", "linear", U_Y, binding(values(p=real(1), q=real(2)), mapping("p a", "q a"))
            )
        )
    )
    assert "MappingEntry[2]: 'a' is mapped to twice." in said(folder(text, "linear"))


def test_unsupported_is_one_of_two(folder):
    path = folder(document(system(PART)), "linear")
    assert said(path, unsupported="ignore") == (
        "unsupported must be 'error' or 'warn', not 'ignore'"
    )


def test_a_connector_without_a_variable_matters_when_it_is_used(folder):
    lost = component("a", "linear", connectors("nothing input", "y output"))
    with pytest.warns(UserWarning, match="the model has no variable of this name"):
        dv.open(folder(document(system(lost)), "linear"))
    told = said(folder(document(system(lost, wires=wire("a/y", "a/nothing"))), "linear"))
    assert "System[root]/Connection: the model of 'a' has no 'nothing'." in told


def test_undeclared_prefixes_and_disorder_are_notes(folder):
    text = document(
        system(PART),
        '<ssd:DefaultExperiment stopTime="1"/><ssd:Units><ssc:Unit name="K">'
        '<ssc:BaseUnit K="1"/></ssc:Unit></ssd:Units>',
    ).replace(SPACES, SPACES.split(" ")[0] + " " + SPACES.split(" ")[2])
    with pytest.warns(UserWarning) as caught:
        dv.open(folder(text, "linear"))
    told = " ".join(str(w.message) for w in caught)
    assert "the namespace of a prefix is not declared" in told
    assert "has its elements in another order than SSP wants" in told
