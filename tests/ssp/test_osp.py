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
        (configuration("", '<Product name="s"/>'), "the function Product is not supported"),
        (configuration("", '<Sum name="s" inputCount="x"/>'), "Sum[s]: 'x' is not"),
        (
            configuration("", '<VectorSum name="s" inputCount="9999" dimension="9999"/>'),
            "more than 10000 numbers",
        ),
        (
            configuration("", '<LinearTransformation name="f" factor="x"/>'),
            "LinearTransformation[f]: 'x' is not a number",
        ),
        (configuration("", more="<Algorithm>other</Algorithm>"), "'other' is not supported"),
        (configuration("", more="<Algorithm>ecco</Algorithm>"), "is missing, and 'ecco' needs it"),
        (
            configuration(between("a.y", "c.u")),
            "OspSystemStructure.xml:6: VariableConnection: there is no element 'c'",
        ),
        (
            configuration(between("a.x", "b.x", "VariableGroup")),
            "which describes the groups of 'a', is not there",
        ),
        (configuration("").replace("-2", "two"), "InitialValue[a]: 'two' is not a number"),
        (configuration("").replace(">0.1<", ">NaN<"), "BaseStepSize: 'NaN' is no finite number"),
        (configuration("").replace('Size="0.1"', 'Size="INF"'), "'INF' is no finite number"),
        ("<a/>", "its root element is 'a', not 'OspSystemStructure'"),
    ],
)
def test_what_is_wrong_is_told(written, text, message):
    with pytest.raises(dv.InputError) as caught:
        dv.open(written(text))
    assert message in str(caught.value)


def signal(end, function, name, kind=""):
    simulator, variable = end.split(".")
    return (
        f'<Signal{kind}Connection><Variable{kind} simulator="{simulator}" name="{variable}"/>'
        f'<Signal{kind} function="{function}" name="{name}"/></Signal{kind}Connection>'
    )


@pytest.mark.filterwarnings("ignore")
def test_sums_of_numbers(written):
    wires = signal("a.y", "s", "in[0]") + signal("b.y", "s", "in[1]") + signal("a.u", "s", "out")
    path = written(configuration(wires, '<Sum name="s" inputCount="2"/>'))
    system = dv.open(path)
    assert {str(c) for c in system.connections} == {
        "a.y -> s.in[0]",
        "b.y -> s.in[1]",
        "s.out -> a.u",
    }
    result = dv.simulate(system, stop=1.5, quiet=True)
    assert result["s.out"] == pytest.approx(result["a.y"] + result["b.y"], rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_sums_of_vectors_go_by_groups(written):
    groups = GROUPS.replace(
        "</VariableGroups>",
        '<Generic name="one"><Variable ref="y"/></Generic>'
        '<Generic name="in"><Variable ref="u"/></Generic></VariableGroups>',
    )
    wires = (
        signal("a.one", "s", "in[0]", "Group")
        + signal("b.one", "s", "in[1]", "Group")
        + signal("a.in", "s", "out", "Group")
    )
    text = configuration(wires, '<VectorSum name="s" inputCount="2" dimension="1"/>')
    path = written(text, linear_OspModelDescription__xml=groups)
    name = dv.load(path.parent / "resources/linear.fmu").fmu.model_name
    (path.parent / "linear_OspModelDescription.xml").rename(
        path.parent / f"{name}_OspModelDescription.xml"
    )
    result = dv.simulate(dv.open(path), stop=1.5, quiet=True)
    assert result["s.out[0]"] == pytest.approx(result["a.y"] + result["b.y"], rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_a_step_size_of_its_own_is_taken(written):
    """Every third window, with the inputs of the first; seen where the last of them ends."""
    slow = SIMULATORS.replace('stepSize="0.1"', 'stepSize="0.32"')
    ends = between("b.u", "a.y") + between("b.y", "a.u")
    path = written(configuration(ends, simulators=slow))
    result = dv.simulate(dv.open(path), stop=2.2, quiet=True)
    y = result["a.y"]
    assert len(result.time) == 13
    for k in range(0, 12, 3):
        assert y[k] == y[k + 1] == y[k + 2] != y[k + 3]
    whole = written(configuration(ends).replace(">0.1<", ">0.3<"))
    alone = dv.simulate(dv.open(whole), stop=1.3, quiet=True)
    assert y[3] == alone["a.y"][-1]  # its first step is one of 0.3 s


@pytest.mark.filterwarnings("ignore")
def test_a_slow_simulator_rolls_back_and_goes_on_from_a_checkpoint(written, tmp_path):
    slow = SIMULATORS.replace('stepSize="0.1"', 'stepSize="0.3"')
    path = written(configuration(between("b.u", "a.y") + between("b.y", "a.u"), simulators=slow))
    system = dv.open(path)
    whole = dv.simulate(system, stop=2.2, quiet=True)
    with dv.Session(system, stop=2.2, quiet=True, progress=False) as session:
        for _ in range(4):
            session.advance()
        session.checkpoint(tmp_path / "run.ckpt")
    rest = dv.simulate(dv.open(path), stop=2.2, quiet=True, resume=tmp_path / "run.ckpt")
    assert rest["a.y"].tolist() == whole["a.y"].tolist()
    iterated = dv.simulate(system, stop=2.2, algorithm=dv.GaussSeidel(20), quiet=True)
    assert iterated.verdict.converged


ECCO = """<Algorithm>ecco</Algorithm><EccoConfiguration><SafetyFactor>0.8</SafetyFactor>
<StepSize>0.01</StepSize><MinimumStepSize>0.001</MinimumStepSize>
<MaximumStepSize>0.2</MaximumStepSize><MinimumChangeRate>0.2</MinimumChangeRate>
<MaximumChangeRate>1.5</MaximumChangeRate><ProportionalGain>0.2</ProportionalGain>
<IntegralGain>0.15</IntegralGain><RelativeTolerance>0.1</RelativeTolerance>
<AbsoluteTolerance>0.2</AbsoluteTolerance></EccoConfiguration>"""


@pytest.mark.filterwarnings("ignore")
def test_ecco_becomes_windows_by_energy(written):
    bond = 'powerBond="shaft"'
    ends = between("b.u", "a.y", more=bond) + between("b.y", "a.u", more=bond)
    system = dv.open(written(configuration(ends, more=ECCO)))
    assert system.run_settings.controller == dv.Energy(
        rtol=0.1, atol=0.2, first_size=0.01, min_size=0.001, max_size=0.2, safety=0.8,
        bonds=("b.u * a.u",),
    )  # fmt: skip
    assert dv.simulate(system, stop=1.5, quiet=True).verdict.finished


@pytest.mark.filterwarnings("ignore")
def test_a_slow_simulator_is_not_saved_as_a_quick_one(written):
    slow = SIMULATORS.replace('stepSize="0.1"', 'stepSize="0.3"')
    path = written(configuration("", simulators=slow))
    for suffix in ("ssp", "yaml"):
        with pytest.raises(dv.InputError, match="'a'"):
            dv.open(path).save(path.with_name(f"x.{suffix}"))
