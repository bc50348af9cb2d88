"""Whole files to begin with, all made here."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import problems

import dovetail as dv
from dovetail.core.description import Kind
from dovetail.results.arrays import ArrayTable
from dovetail.results.files import write
from dovetail.results.recorders.base import TIME, Column

DATA = Path(__file__).parents[1] / "data" / "fmi"

PLAIN_FMU = b"""<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="linear" guid="g">
<CoSimulation modelIdentifier="linear" canHandleVariableCommunicationStepSize="true"/>
<DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real unit="m"/></ScalarVariable>
<ScalarVariable name="n" valueReference="2" causality="output" variability="discrete"><Integer/>
</ScalarVariable>
<ScalarVariable name="a" valueReference="3" causality="parameter" variability="fixed">
<Real start="2"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="2" dependencies="1"/><Unknown index="3"/></Outputs>
</ModelStructure></fmiModelDescription>
"""
TERMINALS = b"""<?xml version="1.0"?>
<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals>
<Terminal name="flange" matchingRule="plug" terminalKind="x">
<TerminalMemberVariable variableName="speed" variableKind="signal" memberName="s"/></Terminal>
</Terminals></fmiTerminalsAndIcons>
"""
_SSP = "http://ssp-standard.org/SSP1/SystemStructure"
SSD = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="{_SSP}Description" xmlns:ssv="{_SSP}ParameterValues"
 xmlns:ssc="{_SSP}Common" xmlns:ssm="{_SSP}ParameterMapping" version="1.0" name="two">
<ssd:System name="root" id="root">
<ssd:Connectors><ssd:Connector name="out" kind="output"><ssc:Real unit="m"/></ssd:Connector>
</ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding prefix="a."><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
<ssv:Parameter name="a"><ssv:Real value="3" unit="m"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>
<ssd:ParameterBinding source="values.ssv"><ssd:ParameterMapping><ssm:ParameterMapping version="1.0">
<ssm:MappingEntry source="b" target="b.a"><ssc:LinearTransformation factor="2" offset="1"/>
</ssm:MappingEntry></ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding>
</ssd:ParameterBindings>
<ssd:Elements>
<ssd:Component name="a" source="linear.fmu" type="application/x-fmu-sharedlibrary">
<ssd:Connectors><ssd:Connector name="u" kind="input"><ssc:Real/></ssd:Connector>
<ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
<ssd:ElementGeometry x1="0" y1="0" x2="10" y2="10"/></ssd:Component>
<ssd:Component name="b" source="linear.fmu">
<ssd:Connectors><ssd:Connector name="u" kind="input"/><ssd:Connector name="y" kind="output"/>
</ssd:Connectors></ssd:Component>
<ssd:System name="inner" id="inner"><ssd:Connectors>
<ssd:Connector name="i" kind="input"/><ssd:Connector name="o" kind="output"/></ssd:Connectors>
<ssd:Elements><ssd:Component name="c" source="linear.fmu"/></ssd:Elements>
<ssd:Connections><ssd:Connection startConnector="i" endElement="c" endConnector="u"/>
<ssd:Connection startElement="c" startConnector="y" endConnector="o"/></ssd:Connections>
</ssd:System>
<ssd:Component name="again" source="#inner"/>
</ssd:Elements>
<ssd:Connections>
<ssd:Connection startElement="a" startConnector="y" endElement="b" endConnector="u">
<ssc:LinearTransformation factor="2"/></ssd:Connection>
<ssd:Connection startElement="b" startConnector="y" endElement="inner" endConnector="i"/>
<ssd:Connection startElement="inner" startConnector="o" endConnector="out"/>
</ssd:Connections></ssd:System>
<ssd:DefaultExperiment startTime="0" stopTime="2"/>
</ssd:SystemStructureDescription>
""".encode()
SSV = f"""<?xml version="1.0"?>
<ssv:ParameterSet xmlns:ssv="{_SSP}ParameterValues" version="1.0" name="v"><ssv:Parameters>
<ssv:Parameter name="b"><ssv:Real value="1.5"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
""".encode()
OSP = b"""<?xml version="1.0"?>
<OspSystemStructure xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure" version="0.1">
<StartTime>0</StartTime><EndTime>2</EndTime><BaseStepSize>0.1</BaseStepSize>
<Algorithm>fixedStep</Algorithm>
<Simulators><Simulator name="a" source="linear.fmu" stepSize="0.2"><InitialValues>
<InitialValue variable="a"><Real value="-2"/></InitialValue></InitialValues></Simulator>
<Simulator name="b" source="linear.fmu"/></Simulators>
<Functions><LinearTransformation name="f" factor="2" offset="1"/><Sum name="s" inputCount="2"/>
<VectorSum name="v" inputCount="2" dimension="3"/></Functions>
<Connections>
<VariableConnection><Variable simulator="a" name="y"/><Variable simulator="b" name="u"/>
</VariableConnection>
<SignalConnection><Variable simulator="b" name="y"/><Signal function="f" name="in"/>
</SignalConnection>
<SignalConnection><Signal function="f" name="out"/><Variable simulator="a" name="u"/>
</SignalConnection>
</Connections></OspSystemStructure>
"""
OSP_BONDS = b"""<?xml version="1.0"?>
<OspSystemStructure xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure" version="0.1">
<BaseStepSize>0.1</BaseStepSize><Algorithm>ecco</Algorithm>
<EccoConfiguration><SafetyFactor>0.8</SafetyFactor><StepSize>0.01</StepSize>
<MinimumStepSize>0.001</MinimumStepSize><MaximumStepSize>0.2</MaximumStepSize>
<MinimumChangeRate>0.2</MinimumChangeRate><RelativeTolerance>0.1</RelativeTolerance>
<AbsoluteTolerance>0.2</AbsoluteTolerance></EccoConfiguration>
<Simulators><Simulator name="a" source="linear.fmu"/><Simulator name="b" source="linear.fmu"/>
<Simulator name="c" source="linear.fmu"/></Simulators>
<Functions><VectorSum name="v" inputCount="2" dimension="1"/></Functions>
<Connections>
<VariableGroupConnection><VariableGroup simulator="a" name="plug"/>
<VariableGroup simulator="b" name="socket"/></VariableGroupConnection>
<VariableConnection powerBond="shaft"><Variable simulator="a" name="y"/>
<Variable simulator="c" name="u"/></VariableConnection>
<SignalGroupConnection><VariableGroup simulator="a" name="out"/>
<SignalGroup function="v" name="in[0]"/></SignalGroupConnection>
</Connections></OspSystemStructure>
"""
OSP_GROUPS = b"""<?xml version="1.0"?>
<OspModelDescription version="1.0"
 xmlns="http://opensimulationplatform.com/OspModelDescription/1.0.0">
<VariableGroups><Generic name="both"><Generic name="plug"><Variable ref="u"/><Variable ref="y"/>
</Generic><Generic name="socket"><Variable ref="y"/><Variable ref="u"/></Generic></Generic>
<Force name="out"><Variable ref="y"/></Force></VariableGroups>
</OspModelDescription>
"""
MAESTRO = b"""{"fmus": {"{f}": "linear.fmu", "{g}": "file:linear.fmu"},
"connections": {"{f}.a.y": ["{g}.b.u"], "{g}.b.y": ["{f}.a.u"]},
"parameters": {"{f}.a.a": -1, "{g}.b.a": 2.5}, "logVariables": {"{f}.a": ["n"]},
"algorithm": {"type": "var-step", "size": [1e-3, 0.5], "initsize": 0.1, "constraints": {
"one": {"type": "zerocrossing", "ports": ["{f}.a.y", "{g}.b.y"], "order": 1, "abstol": 0.01},
"two": {"type": "boundeddifference", "ports": ["{f}.a.y"], "reltol": 0.1, "abstol": 0.001},
"three": {"type": "samplingrate", "base": 0, "rate": 500, "startTime": 0}}},
"startTime": 0, "endTime": 2, "stabalizationEnabled": false, "global_relative_tolerance": 0.01}
"""
COFMUPY = b"""{"fmus": [{"id": "a", "path": "linear.fmu", "initialization": {"a": -2.5}},
 {"id": "b", "path": "linear.fmu"}], "cosim_method": "gauss_seidel", "iterative": true,
 "connections": [{"source": {"id": "a", "variable": "y"}, "target": [{"id": "b", "variable": "u"}]},
 {"source": {"type": "literal", "values": {"0": 1, "0.5": 3}, "interpolation": "linear"},
  "target": {"id": "a", "variable": "u"}}]}"""
MAESTRO_RUN = b"""{"multimodel_path": "mm.json", "startTime": 0.0, "endTime": 10.0,
"algorithm": {"type": "fixed-step", "size": 0.1}, "livestream": {"{f}.a": ["y"]}}
"""
BUILD = b"""<?xml version="1.0"?>
<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="linear">
<SourceFileSet language="C99" compilerOptions="-O2 -DA=1"><SourceFile name="all.c"/>
<PreprocessorDefinition name="B" value="2"/><IncludeDirectory name="."/></SourceFileSet>
<Library name="m" external="true"/></BuildConfiguration></fmiBuildDescription>
"""
CHECK_OPTIONS = b"StartTime, 0.0 // in seconds\nStopTime,2\nStepSize, 1e-002\nRelTol, 0.0001\n"
MSIM = b"""# Created: Monday
# Reference date: 2026-01-01T00:00:00
tStart                   0 min
tEnd                     2 h
hMax                     500 ms
hMin                     1e-3 s
hStart                   0.25 s
hOutputMin               0.5
outputTimeUnit           h
adjustStepSize           yes
absTol                   1e-07
relTol                   1e-06
MasterMode               NEWTON
ErrorControlMode         STEP_DOUBLING
maxIterations            7

simulator 0 1 road #ff447cb4 "road.csv"
simulator 1 0 car #447cb4 "linear.fmu"
simulator 1 0 bus #447cb4 "linear.fmu"
graph road.height car.u
graph car.y bus.u 273.15 -2 0.8 #000000
parameter car.a 5
outputOnly car.y
"""
YAML = b"""dovetail: 1
name: predation
parts:
  prey: {model: models.py:prey, values: {k: 0.7}}
  road: road.csv
  fast:
    system:
      parts: {inner: models.py:prey}
    algorithm: {gauss_seidel: {max_iterations: 10}}
    controller: {fixed_step: 1e-4}
    names: {u: inner.u}
  engine: {model: linear.fmu, options: {tolerance: 1e-8}}
  nested: {system: inner.yaml, merge: false}
connections:
  - road.height -> prey.u
  - {from: prey.y, to: engine.u, gain: 1.0, offset: 0.0, convert: false}
run:
  start: 0
  stop: 20
  algorithm: {gauss_seidel: {max_iterations: 20, inputs: ramp}}
  controller: {fixed_step: 0.01}
  record: ["prey.*"]
  every: 0.5
  calendar: {unit: h, reference: 2026-01-01T00:00:00}
"""
INNER = b"dovetail: 1\nparts: {one: models.py:prey}\n"
MODELS = b"""import dovetail as dv
prey = dv.Algebraic(inputs=["u"], outputs=["y"], parameters={"k": 1.0},
                    function=lambda t, u, p: [p["k"] * u[0]])
"""
ROAD = b"time [s],height [m],side\n0,1,2\n1,2,3.5\n2,2.5,4\n"
TEXTS = (
    ROAD,
    b"# made by hand\nTime;Speed [km/h];on\n0,0;1,5;true\n0,5;2,5;false\n1,0;;true\n",
    b'"date","level (m)","note"\n"2026-01-01 00:00:00","1","a, b"\n"2026-01-01 00:00:01","2",""\n',
    b"t\tx [1]\ty[2]\n0\t1\t2\n1e-3\tnan\t3\n2e-3\t4\tinf\n",
    b"time [s],a,b,c\n0.0,1.5,true,3\n0.1,2.5,false,4\n",
)
FORMATS = (
    *(b"100% sure", b"x = %g", b"%-08.3lf|%5d|%s", b"%.3s %% %c", b"%*.*f", b"%ld %lld %zu %x"),
    *(b"%.999999999f", b"%2147483647d", b"%n%n", b"%Lf %hhd %p", b"value #r1# of #i2#"),
)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def descriptions() -> list[bytes]:
    """Model descriptions of the three versions."""
    return [PLAIN_FMU, *(path.read_bytes() for path in sorted(DATA.glob("engine*.xml")))]


def fmus() -> list[bytes]:
    """Archives with a description, and files that are none of it."""
    rest = {
        "resources/a.txt": b"text" * 50,
        "binaries/linux64/linear.so": b"\x7fELF",
        "empty/": b"",
    }
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)
    return [zipped({"modelDescription.xml": PLAIN_FMU, **rest}, m) for m in methods]


def ssps() -> list[bytes]:
    """An SSP with all that it names."""
    fmu = zipped({"modelDescription.xml": PLAIN_FMU})
    return [zipped({"SystemStructure.ssd": SSD, "values.ssv": SSV, "linear.fmu": fmu})]


@cache
def results(suffix: str) -> list[bytes]:
    """A result of every kind of column, a plain one, and one that a run made."""
    kinds = [
        Column("a.real", Kind.REAL, "m/s"),
        Column("a.whole", Kind.INTEGER),
        Column("a.truth", Kind.BOOLEAN),
        Column("a.text", Kind.STRING),
        Column("a.bytes", Kind.BINARY),
    ]
    texts, binaries = np.empty(6, dtype=object), np.empty(6, dtype=object)
    texts[:], binaries[:] = ["", "b", "é", "ddd", "e,", 'f"'], [b"", b"1", b"22", b"\0", b"4", b"5"]
    arrays = {
        TIME: np.arange(6.0),
        "a.real": np.linspace(0, 1, 6),
        "a.whole": np.arange(6),
        "a.truth": np.arange(6) % 2 == 0,
        "a.text": texts,
        "a.bytes": binaries,
    }
    plain = dv.Result.of(np.arange(200.0), {"x": np.sin(np.arange(200.0))}, {"x": "V"})
    made = dv.simulate(problems.two_mass_system(), stop=0.1, step=0.01, quiet=True)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"r{suffix}"
        found = []
        for table in (ArrayTable(kinds, arrays, {"system": "s"}), plain.table, made.table):
            write(table, path)
            found.append(path.read_bytes())
    return found


@cache
def _left() -> tuple[bytes, bytes]:
    """The stream and the tail of a run that was ended."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "r.parquet"
        recorder = dv.File(path)
        session = dv.Session(
            problems.sampled_masses_system(), stop=0.4, recorder=recorder, quiet=True
        )
        with session:
            for _ in session:
                if 0.15 < session.time < 0.25:
                    session.checkpoint(Path(folder) / "c")  # the rows so far go to the stream
                if session.time > 0.3:
                    break
            files = [path.with_name(f"r.parquet.{end}") for end in ("rows", "tail")]
            return files[0].read_bytes(), files[1].read_bytes()


def streams() -> list[bytes]:
    """What a run leaves that was ended."""
    return [_left()[0]]


def tails() -> list[bytes]:
    """The rows behind it."""
    return [_left()[1]]


RUNS = {
    "fixed": (problems.two_mass_system, dv.GaussSeidel(), dv.FixedStep(0.05)),
    "iterated": (problems.two_mass_system, dv.GaussSeidel(20, inputs="ramp"), dv.FixedStep(0.05)),
    "doubling": (problems.two_mass_system, dv.Jacobi(), dv.StepDoubling(rtol=1e-3)),
    "defect": (problems.two_mass_system, dv.GaussSeidel(), dv.Defect(rtol=1e-3, atol=1e-3)),
    "sampled": (problems.sampled_masses_system, dv.GaussSeidel(), dv.FixedStep(0.05)),
    "newton": (problems.two_mass_system, dv.Newton(inputs="hermite"), dv.FixedStep(0.1)),
}


@cache
def checkpoint(name: str) -> bytes:
    """A checkpoint of one of these runs."""
    draw, algorithm, controller = RUNS[name]
    options = {"algorithm": algorithm, "controller": controller, "quiet": True}
    with TemporaryDirectory() as folder, dv.Session(draw(), stop=0.5, **options) as session:
        path = Path(folder) / name
        for step in session:
            if step.time >= 0.25:
                break
        session.checkpoint(path)
        return path.read_bytes()
