"""Configurations of the Open Simulation Platform."""

import pytest

import dovetail as dv
from dovetail import formats

SPACE = 'xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure" version="0.1"'
SIMULATORS = """
<Simulator name="a" source="resources/linear.fmu" stepSize="0.1">
  <InitialValues><InitialValue variable="a"><Real value="-2"/></InitialValue></InitialValues>
</Simulator>
<Simulator name="b" source="proxyfmu://localhost?file=resources/linear.fmu"/>
"""
GROUPS = """<OspModelDescription xmlns="https://open-simulation-platform.com/x" version="1.0">
<VariableGroups><Generic name="port"><Generic name="deep"><Variable ref="u"/></Generic>
<Generic name="more"><Variable ref="y"/></Generic></Generic>
<Generic name="turned"><Variable ref="y"/><Variable ref="u"/></Generic>
<Generic name="small"><Variable ref="y"/></Generic></VariableGroups></OspModelDescription>"""


def configuration(connections, functions="", more="", simulators=SIMULATORS):
    return (
        f"<OspSystemStructure {SPACE}><StartTime>1</StartTime><BaseStepSize>0.1</BaseStepSize>"
        f"{more}<Simulators>{simulators}</Simulators><Functions>{functions}</Functions>"
        f"<Connections>{connections}</Connections></OspSystemStructure>"
    )


def between(first, second, kind="Variable", more=""):
    ends = "".join(
        f'<{kind} simulator="{s}" name="{n}"/>' for s, n in (e.split(".") for e in (first, second))
    )
    return f"<{kind}Connection {more}>{ends}</{kind}Connection>"


@pytest.fixture
def written(folder):
    def made(text, **files):
        return folder(text, "linear", name="OspSystemStructure.xml", **files)

    return made


@pytest.mark.filterwarnings("ignore")
def test_simulators_values_and_connections(written):
    path = written(configuration(between("b.u", "a.y") + between("b.y", "a.u")))
    system = formats.read(path)
    assert {n: dict(p.values) for n, p in system.parts.items()} == {"a": {"a": -2.0}, "b": {}}
    assert {(str(c), c.convert) for c in system.connections} == {
        ("a.y -> b.u", False),
        ("b.y -> a.u", False),
    }
    run = system.run_settings
    assert (run.start, run.algorithm, run.controller) == (1.0, dv.Jacobi(), dv.FixedStep(0.1))
    result = dv.simulate(system, stop=1.5, **run.options(), quiet=True)
    assert result.time[-1] == 1.5
    system.save(path.with_name("x.ssp"))
    assert dv.open(path.with_name("x.ssp")).fingerprint() == system.fingerprint()


@pytest.mark.filterwarnings("ignore")
def test_groups_of_variables_are_connected_one_by_one(written):
    path = written(
        configuration(between("a.port", "b.turned", "VariableGroup", 'powerBond="x"')),
        linear_OspModelDescription__xml=GROUPS,
    )
    name = dv.load(path.parent / "resources/linear.fmu").fmu.model_name
    (path.parent / "linear_OspModelDescription.xml").rename(
        path.parent / f"{name}_OspModelDescription.xml"
    )
    assert {str(c) for c in dv.open(path).connections} == {"b.y -> a.u", "a.y -> b.u"}
    path.write_text(configuration(between("a.port", "b.small", "VariableGroup")))
    with pytest.raises(dv.DrawingError, match="have 2 and 1 variables"):
        dv.open(path)


@pytest.mark.filterwarnings("ignore")
def test_linear_transformations(written):
    signals = "".join(
        f'<SignalConnection><Variable simulator="{s}" name="{v}"/><Signal function="f" '
        f'name="{n}"/></SignalConnection>'
        for s, v, n in (("a", "y", "in"), ("b", "u", "out"))
    )
    function = '<LinearTransformation name="f" factor="3" offset="1"/>'
    wire = dv.open(written(configuration(signals, function))).connections[0]
    assert (str(wire), wire.gain, wire.offset) == ("a.y -> b.u", 3.0, 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (configuration("", '<Sum name="s" inputCount="2"/>'), "the function Sum is not supported"),
        (configuration("", more="<Algorithm>ecco</Algorithm>"), "'ecco' is not supported"),
        (
            configuration(between("a.y", "c.u")),
            "OspSystemStructure.xml:6: VariableConnection: there is no element 'c'",
        ),
        (
            configuration(between("a.x", "b.x", "VariableGroup")),
            "which describes the groups of 'a', is not there",
        ),
        (configuration("").replace("-2", "two"), "InitialValue[a]: 'two' is not a number"),
        ("<a/>", "its root element is 'a', not 'OspSystemStructure'"),
    ],
)
def test_what_is_wrong_is_told(written, text, message):
    with pytest.raises(dv.InputError) as caught:
        dv.open(written(text))
    assert message in str(caught.value)
