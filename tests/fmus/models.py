"""The test models as tables: what their variables are. The equations are in the C files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One variable; `kind` is a type of FMI 3 (Float64 is Real in FMI 2, Int32 is Integer)."""

    name: str
    kind: str = "Float64"
    causality: str = "local"
    variability: str = "continuous"
    initial: str = "calculated"
    start: Any = None
    unit: str | None = None
    derivative_of: str | None = None
    is_state: bool = False
    is_indicator: bool = False
    depends: tuple[str, ...] = ()
    shape: tuple[int | str, ...] = ()  # a name: the structural parameter with the size
    minimum: float | None = None
    maximum: float | None = None
    interval: float | None = None  # of a clock that has one in its description
    ticks: str = ""  # intervalVariability of a clock, if it is not plain from the interval
    priority: int | None = None  # of a clock, for scheduled execution
    has_fraction: bool = False  # a clock that tells its interval as a fraction
    is_early: bool = False  # a clocked variable that has a value before its clock ticks
    clock: str | None = None  # that a clocked variable belongs to
    previous: str | None = None
    description: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether its start value may be given before a run (and it is no input)."""
        return self.initial == "exact" and self.causality not in ("input", "structuralParameter")

    @property
    def is_initial_unknown(self) -> bool:
        return (
            self.initial == "calculated"
            and (self.clock is None or self.is_early)
            and (
                self.causality in ("output", "calculatedParameter")
                or self.derivative_of is not None
            )
        )

    @property
    def c_name(self) -> str:
        return self.name.translate(str.maketrans("([.", "___", ")]"))


def _kind(kind: str) -> dict[str, str]:
    return {"kind": kind, "variability": "continuous" if kind.startswith("Float") else "discrete"}


def given(name: str, start: Any = 0.0, kind: str = "Float64", **more: Any) -> Variable:
    """An input."""
    causality = {"causality": "input", "initial": "exact"}
    return Variable(name=name, start=start, **causality, **(_kind(kind) | more))


def output(name: str, *depends: str, kind: str = "Float64", **more: Any) -> Variable:
    return Variable(name=name, causality="output", depends=depends, **(_kind(kind) | more))


def parameter(name: str, start: Any, kind: str = "Float64", **more: Any) -> Variable:
    causality = {"causality": "parameter", "initial": "exact", "variability": "fixed"}
    return Variable(name=name, start=start, kind=kind, **(causality | more))


def state(name: str, start: float, **more: Any) -> Variable:
    """A continuous state; where it is also an output or a derivative, that is itself."""
    exact = {"initial": "exact", "is_state": True, "depends": (name,)}
    return Variable(name=name, start=start, **exact, **more)


def derivative(name: str, of: str, *depends: str, **more: Any) -> Variable:
    return Variable(name=name, derivative_of=of, depends=depends, **more)


def remembered(name: str, start: Any, kind: str, **more: Any) -> Variable:
    """A discrete state."""
    return Variable(
        name=name, start=start, kind=kind, variability="discrete", initial="exact", **more
    )


TIME = Variable(name="time", causality="independent", unit="s", description="Simulation time")


@dataclass(frozen=True)
class Model:
    """One test model. `variables` may depend on the version of FMI and on the options."""

    name: str
    description: str
    variables: Callable[[int, Any], list[Variable]]
    source: str = ""  # the C file, where it is not named after the model
    versions: tuple[int, ...] = (2, 3)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    defaults3: Mapping[str, Any] = field(default_factory=dict)  # where FMI 3 differs
    stop: float = 10.0
    step: float = 0.1
    is_fast: bool = False  # compiled for speed; the others for a short build

    @property
    def file(self) -> str:
        return f"{self.source or self.name}.c"


def _linear(version: int, options: Any) -> list[Variable]:
    through = options.feedthrough
    fixed = {} if through else {"causality": "local", "variability": "constant"}
    return [
        given("u"),
        output("y", "x", "c", *(("u", "d") if through else ())),
        state("x", 1.0),
        derivative("der(x)", "x", "x", "u", "a", "b", "drive"),
        parameter("a", -1.0, **({} if version == 1 else {"variability": "tunable"})),
        parameter("b", 0.5),
        parameter("c", 1.0),
        parameter("d", 1.0 if through else 0.0, **fixed),
        parameter("drive", 1.0),
    ]


def _wide(version: int, options: Any) -> list[Variable]:
    inputs = [f"u{k}" for k in range(1, 11)]
    return [
        *(given(u) for u in inputs),
        output("y", "x"),
        state("x", 1.0),
        derivative("der(x)", "x", "x", *inputs, "a", "drive"),
        parameter("a", -1.0),
        parameter("drive", 1.0),
    ]


def _body(version: int, options: Any) -> list[Variable]:
    constants = ("mass", "stiffness", "damping")
    return [
        given("force", unit="N"),
        state("position", 1.0, causality="output", unit="m"),
        state("velocity", 0.0, causality="output", unit="m/s", derivative_of="position"),
        derivative(
            "acceleration", "velocity", "position", "velocity", "force", *constants, unit="m/s2"
        ),
        parameter("mass", 1e4, unit="kg", minimum=0.0),
        parameter("stiffness", 1000.0, unit="N/m"),
        parameter("damping", 1000.0, unit="N.s/m"),
    ]


def _spring(version: int, options: Any) -> list[Variable]:
    ends = ("position", "velocity", "x", "v", "stiffness", "damping")
    return [
        given("position", 1.0, unit="m"),
        given("velocity", unit="m/s"),
        output("force", *ends, "time", "switch_time", unit="N"),
        state("x", 0.0, unit="m", description="Position of the right body"),
        state("v", 0.0, unit="m/s", derivative_of="x"),
        derivative("a", "v", *ends, "mass", "wall_stiffness", "wall_damping", unit="m/s2"),
        parameter("mass", 1e4, unit="kg", minimum=0.0),
        parameter("stiffness", 1000.0, unit="N/m"),
        parameter("damping", 0.0, unit="N.s/m"),
        parameter("wall_stiffness", 1000.0, unit="N/m"),
        parameter("wall_damping", 1000.0, unit="N.s/m"),
        parameter("switch_time", 1e30, unit="s"),
    ]


def _growth(rate: float, gain: float) -> Callable[[int, Any], list[Variable]]:
    return lambda version, options: [
        given("u", 10.0),
        state("x", 10.0, causality="output"),
        derivative("der(x)", "x", "x", "u", "rate", "gain"),
        parameter("rate", rate),
        parameter("gain", gain),
    ]


INTEGERS = ("Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")
OFFSETS = {"String": "", "Binary": b"", "Boolean": False, "Enumeration": 1}


def _tunable(version: int, options: Any) -> list[Variable]:
    """The same with parameters that may change during a run, and one that may not."""
    variables = [
        replace(v, variability="tunable") if v.causality == "parameter" else v
        for v in _types(version, options)
    ]
    return [*variables, parameter("fixed", 0.0)]


def _types(version: int, options: Any) -> list[Variable]:
    numbers = ("Float64", "Float32", *INTEGERS) if version == 3 else ("Float64", "Int32")
    others = ("Boolean", "String", "Enumeration", *(("Binary",) if version == 3 else ()))
    table = []
    for kind in (*numbers, *others):
        name = kind.lower()
        zero = OFFSETS.get(kind, 0.0 if kind.startswith("Float") else 0)
        table.append(given(f"{name}_in", zero, kind))
        table.append(output(f"{name}_out", f"{name}_in", f"{name}_offset", kind=kind))
        table.append(parameter(f"{name}_offset", zero, kind))
    return table


def _gates(version: int, options: Any) -> list[Variable]:
    whole = "Int64" if version == 3 else "Int32"
    return [
        given("open", True, "Boolean"),
        given("add", 1, "Int16" if version == 3 else "Int32"),
        given("mode", 1, "Enumeration"),
        given("label", "", "String"),
        given("u"),
        state("level", 0.0, causality="output"),
        derivative("der(level)", "level", "rate"),
        output("count", kind=whole),
        output("small", "count", kind="UInt8" if version == 3 else "Int32"),
        output("shut", "count", "limit", kind="Boolean"),
        output("mode_out", "mode", kind="Enumeration"),
        output("label_out", "label", kind="String"),
        remembered("rate", 0.0, "Float64"),
        parameter("limit", 5, whole),
    ]


LARGEST = 10  # that the size of `arrays` may be


def _arrays(version: int, options: Any) -> list[Variable]:
    each: dict[str, Any] = {"shape": ("n",)}
    return [
        parameter("n", 3, "UInt64", causality="structuralParameter", minimum=1, maximum=LARGEST),
        given("u", 0.0, **each),
        output("y", "u", "gain", **each),
        output("pair", "u", "gain", "x", shape=("n", 2)),
        state("x", 0.0, **each),
        derivative("der(x)", "x", "u", **each),
        parameter("gain", [float(i + 1) for i in range(LARGEST)], variability="tunable", **each),
    ]


VOLUMES = 10  # of each row of `exchanger`


def _exchanger(version: int, options: Any) -> list[Variable]:
    def near(row: str, i: int) -> list[str]:
        """What the temperature of a volume depends on."""
        wall, other = f"Tw[{i}]", VOLUMES + 1 - i
        match row:
            case "Ta":
                return [f"Ta[{i - 1}]" if i > 1 else "inlet_a", f"Ta[{i}]", wall]
            case "Tw":
                return [f"Ta[{i}]", wall, f"Tb[{other}]"]
        return [f"Tb[{i - 1}]" if i > 1 else "inlet_b", f"Tb[{i}]", f"Tw[{other}]"]

    places = [(row, i) for row in ("Ta", "Tw", "Tb") for i in range(1, VOLUMES + 1)]
    masses = {"Ma": 0.1, "Mw": 10.0, "Mb": 1.0}
    heats = {"ca": 4200.0, "cw": 500.0, "cb": 3500.0}
    return [
        given("inlet_a", 323.15, unit="K"),
        given("inlet_b", 288.15, unit="K"),
        *(state(f"{r}[{i}]", 293.15, causality="output", unit="K") for r, i in places),
        *(derivative(f"der({r}[{i}])", f"{r}[{i}]", *near(r, i), unit="K/s") for r, i in places),
        *(parameter(name, mass, unit="kg") for name, mass in masses.items()),
        *(parameter(name, heat, unit="J/(kg.K)") for name, heat in heats.items()),
        *(parameter(name, 8000.0, unit="W/K") for name in ("Ga", "Gb")),
        *(parameter(name, 1.0, unit="kg/s") for name in ("wa", "wb")),
    ]


def _feedthrough(version: int, options: Any) -> list[Variable]:
    return [
        given("u1"),
        given("u2"),
        output("y1", "u1"),
        state("y2", 0.0, causality="output"),
        derivative("der(y2)", "y2", "u2"),
    ]


def _varying(version: int, options: Any) -> list[Variable]:
    return [
        given("u"),
        output("y", "x"),
        output("size", unit="s", variability="discrete"),
        output("count", kind="Int32"),
        state("x", 1.0),
        derivative("der(x)", "x", "u", "x"),
    ]


def _busy(version: int, options: Any) -> list[Variable]:
    return [
        given("u"),
        output("y", "x"),
        state("x", 1.0),
        derivative("der(x)", "x", "u", "x"),
        parameter("work", 0.0),
    ]


def _derivatives(version: int, options: Any) -> list[Variable]:
    return [
        given("u"),
        output("y", "x"),
        output("w", "u"),
        state("x", 0.0),
        derivative("der(x)", "x", "u"),
    ]


def _misbehaving(*more: Variable, at: float = 0.5) -> Callable[[int, Any], list[Variable]]:
    return lambda version, options: [
        given("u"),
        output("y", "x"),
        state("x", 0.0),
        derivative("der(x)", "x", "u"),
        parameter("at", at, unit="s"),
        *more,
    ]


def _grumpy(version: int, options: Any) -> list[Variable]:
    return [
        given("u"),
        output("y", "x"),
        state("x", 1.0),
        derivative("der(x)", "x", "x", "u", "k", "p"),
        Variable(name="w", depends=("x",)),
        parameter("p", 0.0),
        parameter("k", 1.0, variability="tunable"),
        Variable(
            name="twice", causality="calculatedParameter", variability="tunable", depends=("k",)
        ),
        parameter("two", 2.0, causality="local", variability="constant"),
        given("count", 0, "Int32"),
        output("count_out", "count", kind="Int32"),
        remembered("steps", 0, "Int32"),
        given("on", False, "Boolean"),
        output("on_out", "on", kind="Boolean"),
        given("label", "", "String"),
        output("label_out", "label", kind="String"),
    ]


def _ball(version: int, options: Any) -> list[Variable]:
    return [
        state("h", 1.0, causality="output", unit="m"),
        state("v", 0.0, causality="output", unit="m/s", derivative_of="h"),
        derivative("der(v)", "v", "g", unit="m/s2"),
        Variable(name="above", is_indicator=True, depends=("h",)),
        parameter("g", 9.81, unit="m/s2"),
        parameter("e", 0.7),
        parameter("v_min", 0.1, unit="m/s"),
        remembered("resting", False, "Boolean"),
        remembered("bounces", 0, "Int32", causality="output"),
    ]


def _relay(version: int, options: Any) -> list[Variable]:
    return [
        given("u"),
        output("y", variability="discrete"),
        Variable(name="margin", is_indicator=True, depends=("u", "low", "high")),
        parameter("low", -1.0),
        parameter("high", 1.0),
        remembered("on", False, "Boolean", causality="output"),
    ]


def _thermostat(version: int, options: Any) -> list[Variable]:
    return [
        given("outside", 5.0),
        state("x", 15.0, causality="output"),
        derivative("der(x)", "x", "x", "outside", "power", "tau"),
        output("felt", "x", "outside", "share"),
        Variable(
            name="margin", is_indicator=True, depends=("x", "outside", "low", "high", "share")
        ),
        parameter("low", 19.0),
        parameter("high", 21.0),
        parameter("share", 0.01),
        parameter("night", 1e300, unit="s"),
        remembered("power", 25.0, "Float64"),
        parameter("tau", 1.0, unit="s"),
        remembered("saving", False, "Boolean"),
        remembered("on", True, "Boolean"),
        remembered("switched", 0, "Int32", causality="output"),
    ]


def _stair(version: int, options: Any) -> list[Variable]:
    return [
        output("y", "rise", variability="discrete"),
        remembered("level", 0, "Int32"),
        parameter("period", 1.0, unit="s"),
        parameter("rise", 1.0),
    ]


def _counter(version: int, options: Any) -> list[Variable]:
    return [
        given("tick", None, "Clock", interval=0.1),
        output("ten", "tick", kind="Clock", clock="tick"),
        output("count", "tick", "stride", kind="Int32", clock="tick", previous="previous_count"),
        remembered("previous_count", 0, "Int32", clock="tick"),
        parameter("stride", 1, "Int32"),
    ]


def _clocks(version: int, options: Any) -> list[Variable]:
    kinds = {"steady": "fixed", "paced": "tunable", "changing": "changing",
             "countdown": "countdown", "go": "triggered"}  # fmt: skip
    clocks = [
        given(
            name,
            None,
            "Clock",
            ticks=kind,
            interval=0.25 if kind == "fixed" else None,
            priority=k if options.scheduled else None,
        )
        for k, (name, kind) in enumerate(kinds.items())
    ]
    return [
        *clocks,
        output("done", "countdown", kind="Clock", clock=None if options.scheduled else "countdown"),
        *(output(f"n_{name}", name, kind="Int32", clock=name) for name in kinds),
        given("sample", 0.0, clock="go", variability="discrete"),
        output("taken", "sample", "go", clock="go", variability="discrete"),
        parameter("pace", 0.4, unit="s", variability="tunable"),
        parameter("delay", 0.15, unit="s"),
    ]


def _metronome(version: int, options: Any) -> list[Variable]:
    urgency = (0, 1) if options.scheduled else (None, None)
    counted: dict[str, Any] = {"kind": "Int32"}
    return [
        given("beat", None, "Clock", ticks="fixed", has_fraction=True, priority=urgency[0]),
        given("pause", None, "Clock", ticks="countdown", priority=urgency[1]),
        output("beats", "beat", "first", clock="beat", is_early=True, **counted),
        output("pauses", "pause", clock="pause", **counted),
        parameter("first", 7, "Int32"),
        parameter("per_second", 3, "Int32"),
        parameter("rest", 1.0, unit="s"),
    ]


def _vanderpol(version: int, options: Any) -> list[Variable]:
    return [
        state("x1", 2.0, causality="output"),
        state("x2", 0.0, causality="output", derivative_of="x1"),
        derivative("der(x2)", "x2", "x1", "x2", "mu"),
        parameter("mu", 1.0),
    ]


def _endless(version: int, options: Any) -> list[Variable]:
    return [
        output("y", "x"),
        state("x", 0.0),
        derivative("der(x)", "x"),
        parameter("at", 0.5, unit="s"),
    ]


_EVENTS = {
    "model_exchange": True,
    "directional_derivatives": False,
    "adjoint_derivatives": False,
    "output_derivatives": 0,
}
_EVENTS3 = {"event_mode": True, "early_return": True}


def _bad(name: str, what: str, *more: Variable, at: float = 0.5, **rest: Any) -> Model:
    variables = _misbehaving(*more, at=at)
    return Model(name, f"x' = 1 + u, y = x; {what}", variables, "misbehaving", stop=1.0, **rest)


MODELS: Mapping[str, Model] = {
    model.name: model
    for model in (
        Model(
            "linear",
            "x' = a x + b u + drive, y = c x + d u",
            _linear,
            versions=(1, 2, 3),
            is_fast=True,
        ),
        Model(
            "wide",
            "x' = a x + drive + 0.05 (u1 + ... + u10), y = x",
            _wide,
            defaults={"input_derivatives": 0, "output_derivatives": 0},
            is_fast=True,
        ),
        Model("body", "The left body of a two-mass oscillator", _body, versions=(1, 2, 3)),
        Model("spring", "Its right body, and the spring between", _spring, versions=(1, 2, 3)),
        Model(
            "prey",
            "x' = (rate + gain u) x",
            _growth(0.1, -0.02),
            "growth",
            defaults={"output_derivatives": 1},
        ),
        Model(
            "predator",
            "x' = (rate + gain u) x",
            _growth(-0.4, 0.02),
            "growth",
            defaults={"output_derivatives": 1},
        ),
        Model(
            "types",
            "One input, output and parameter of every type",
            _types,
            versions=(1, 2, 3),
            defaults={"output_derivatives": 0},
        ),
        Model(
            "tunable",
            "The same with tunable parameters",
            _tunable,
            "types",
            defaults={"output_derivatives": 0, "strict": True},
        ),
        Model(
            "reporter",
            "Writes into a folder of its own",
            lambda version, options: [
                parameter("ResultsRootDir", "", "String"),
                parameter("ReferenceTimeStamp", "", "String"),
                output("folder", "ResultsRootDir", kind="String"),
                output("date", "ReferenceTimeStamp", kind="String"),
            ],
            versions=(2,),
            defaults={"output_derivatives": 0},
        ),
        Model(
            "gates",
            "Counts while it is open; inputs and outputs of many types",
            _gates,
            versions=(1, 2, 3),
            defaults={"output_derivatives": 0, "directional_derivatives": False},
        ),
        Model("arrays", "Arrays with a structural parameter", _arrays, versions=(3,)),
        Model(
            "exchanger",
            "A counterflow heat exchanger",
            _exchanger,
            defaults={"model_exchange": True},
            stop=5.0,
            step=0.04,
        ),
        Model("feedthrough", "y1 = 2 u1, y2' = u2", _feedthrough),
        Model(
            "varying",
            "x' = u - x; all steps must be equal",
            _varying,
            defaults={"variable_step": False},
        ),
        Model("busy", "x' = u - x; a step takes `work` rounds", _busy, is_fast=True),
        Model(
            "derivatives",
            "x' = u, y = x, w = 2 u",
            _derivatives,
            defaults={"input_derivatives": 3},
            defaults3={
                "input_derivatives": 0,
                "output_derivatives": 1,
                "intermediate_update": True,
            },
        ),
        Model("grumpy", "Insists on the calling sequence", _grumpy, defaults={"strict": True}),
        _bad("crash", "crashes at the time `at`"),
        _bad("quits", "calls exit() at the time `at`"),
        _bad("truncates", "truncates the file 'run.csv.tail' at the time `at`", versions=(2,)),
        _bad("stillborn", "crashes when its initialization ends", versions=(2,)),
        _bad("dazed", "never comes to the end of its initialization", versions=(2,)),
        _bad("killed", "ends the process at the time `at`, as kill -9 does", versions=(2,)),
        _bad("slows", "steps last 200 ms from the time `at` on", versions=(2,)),
        _bad("late", "talks from the time `at` on, though it is gone"),
        _bad("negative", "returns what is no status at the time `at`"),
        _bad("wanders", "changes the working directory at the time `at`", versions=(2,)),
        _bad("garbled", "says nonsense at the time `at`", versions=(2,)),
        _bad("hang", "never returns from the step at the time `at`"),
        _bad(
            "discard",
            "discards a step across `at` longer than `limit`",
            parameter("limit", 0.01, unit="s"),
            parameter("ends", False, "Boolean"),
            parameter("boast", 0.0, unit="s"),
            at=0.55,
        ),
        _bad("error", "fails once, at the time `at`", versions=(1, 2, 3)),
        _bad("fatal", "breaks down at the time `at`", versions=(1, 2, 3)),
        _bad("nan", "y is no number after the time `at`"),
        _bad("warning", "warns from the time `at` on"),
        _bad(
            "pending",
            "steps asynchronously from the time `at` on",
            parameter("delay", 0.01, unit="s"),
            at=0.0,
            versions=(2,),
            defaults={"asynchronous": True, "strict": True},
        ),
        _bad("liar", "is not what it says", defaults={"lie": "state"}),
        _bad("shy", "tells y only when initialization is over"),
        _bad("leak", "has large instances and states"),
        Model(
            "ball",
            "A bouncing ball",
            _ball,
            versions=(1, 2, 3),
            defaults=_EVENTS,
            defaults3=_EVENTS3,
            stop=3.0,
        ),
        Model(
            "relay",
            "A relay with hysteresis",
            _relay,
            versions=(1, 2, 3),
            defaults=_EVENTS,
            defaults3=_EVENTS3,
        ),
        Model(
            "thermostat",
            "A heated room with hysteresis, which feels the outside",
            _thermostat,
            versions=(1, 2, 3),
            defaults=_EVENTS,
            defaults3=_EVENTS3,
        ),
        Model(
            "stair",
            "A stepped source",
            _stair,
            versions=(1, 2, 3),
            defaults=_EVENTS,
            defaults3=_EVENTS3,
        ),
        Model(
            "counter",
            "Counts the ticks of a clock",
            _counter,
            versions=(3,),
            defaults=_EVENTS | _EVENTS3 | {"model_exchange": False, "early_return": False},
        ),
        Model(
            "clocks",
            "An input clock of each kind",
            _clocks,
            versions=(3,),
            defaults=_EVENTS | _EVENTS3 | {"model_exchange": False, "early_return": False},
        ),
        Model(
            "metronome",
            "Beats at fractions of a second, and rests after the fourth beat",
            _metronome,
            versions=(3,),
            defaults=_EVENTS,
            defaults3=_EVENTS3,
        ),
        Model(
            "vanderpol",
            "The van der Pol oscillator",
            _vanderpol,
            versions=(1, 2, 3),
            defaults={"model_exchange": True, "output_derivatives": 1},
        ),
        Model(
            "stuck",
            "Never leaves event mode",
            _endless,
            "endless",
            defaults=_EVENTS,
            defaults3=_EVENTS3,
            stop=1.0,
        ),
        Model(
            "endless",
            "Event after event at one time",
            _endless,
            defaults=_EVENTS,
            defaults3=_EVENTS3,
            stop=1.0,
        ),
    )
}


def table(model: Model, version: int, options: Any) -> list[Variable]:
    """All its variables, time first."""
    return [TIME, *model.variables(version, options)]
