"""The test FMUs of ours: that they are FMUs, and do what their tables and equations say.

Loaded with nothing but ctypes, so that what is tested with them later is tested against something
that was checked by other means.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from fmus.build import LIES, build, build_all, platform_folder, suffix
from fmus.models import MODELS
from scipy.linalg import expm

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
EVERY = [(name, version) for name, model in MODELS.items() for version in model.versions]
GOOD = ("linear", "body", "spring", "prey", "predator", "feedthrough", "derivatives", "grumpy")
FMI2_LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p)
FMI3_LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
UPDATE = ctypes.CFUNCTYPE(
    None, c_void_p, c_double, *[c_bool] * 4, POINTER(c_bool), POINTER(c_double)
)


class Callbacks(ctypes.Structure):
    _fields_ = (
        ("logger", FMI2_LOGGER),
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("finished", c_void_p),
        ("environment", c_void_p),
    )


FMI1_CALLBACKS = type("FMI1", (ctypes.Structure,), {"_fields_": Callbacks._fields_[:4]})
NUMBERS = {
    "Real": c_double,
    "Integer": c_int,
    "Boolean": c_int,
    "String": c_char_p,
    "Float64": c_double,
    "Float32": ctypes.c_float,
    **{f"Int{n}": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"UInt{n}": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}
FORM2 = {"Enumeration": "Integer"}
FORM3 = {"Enumeration": "Int64"}
CALLS = {
    1: "FreeSlaveInstance InitializeSlave TerminateSlave ResetSlave DoStep CancelStep GetStatus",
    2: "Instantiate FreeInstance SetupExperiment EnterInitializationMode ExitInitializationMode "
    "Terminate Reset GetReal SetReal GetInteger SetInteger GetBoolean SetBoolean GetString "
    "SetString GetFMUstate SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate "
    "DeSerializeFMUstate GetDirectionalDerivative SetRealInputDerivatives GetStringStatus "
    "GetRealOutputDerivatives DoStep CancelStep GetStatus GetRealStatus GetIntegerStatus "
    "GetBooleanStatus SetDebugLogging GetVersion GetTypesPlatform",
    3: "InstantiateCoSimulation InstantiateModelExchange InstantiateScheduledExecution GetVersion "
    "FreeInstance EnterInitializationMode ExitInitializationMode EnterEventMode Terminate Reset "
    "GetFloat64 SetFloat64 GetBinary SetBinary GetClock SetClock GetFMUState SetFMUState "
    "FreeFMUState SerializedFMUStateSize SerializeFMUState DeserializeFMUState SetDebugLogging "
    "GetDirectionalDerivative GetAdjointDerivative EnterConfigurationMode ExitConfigurationMode "
    "GetIntervalDecimal GetIntervalFraction GetShiftDecimal GetShiftFraction SetIntervalDecimal "
    "SetIntervalFraction SetShiftDecimal SetShiftFraction EvaluateDiscreteStates EnterStepMode "
    "UpdateDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime DoStep "
    "SetContinuousStates GetContinuousStateDerivatives GetEventIndicators GetContinuousStates "
    "GetNominalsOfContinuousStates GetNumberOfEventIndicators GetNumberOfContinuousStates "
    "GetOutputDerivatives ActivateModelPartition GetNumberOfVariableDependencies "
    "GetVariableDependencies",
}


class Fmu:
    """One instance of one FMU: as little as will do. A status that is not expected raises."""

    def __init__(self, path: Path, folder: Path, **how: Any) -> None:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / path.stem)
        root = ElementTree.parse(folder / path.stem / "modelDescription.xml").getroot()
        self.version = int(root.get("fmiVersion", "0")[0])
        self.token = root.get("instantiationToken") or root.get("guid") or ""
        self.variables: dict[str, tuple[str, int]] = {}
        for element in next(e for e in root if e.tag == "ModelVariables"):
            kind = element.tag if self.version == 3 else element[0].tag
            form = (FORM3 if self.version == 3 else FORM2).get(kind, kind)
            self.variables[element.get("name")] = form, int(element.get("valueReference"))
        binaries = folder / path.stem / "binaries" / platform_folder(self.version)
        (file,) = binaries.iterdir()
        self.library = ctypes.CDLL(str(file))
        self.prefix = f"{root.get('modelIdentifier')}_fmi" if self.version == 1 else ""
        self.prefix = self.prefix or f"fmi{self.version}"
        self.log: list[tuple[int, str, str]] = []
        self.update: Callable[..., None] | None = how.pop("update", None)
        self.instance = self._instantiate(**how)
        self.time = 0.0

    def _instantiate(
        self,
        name: bytes = b"one",
        token: str | None = None,
        model_exchange: bool = False,
        event_mode: bool = False,
        early: bool = False,
        resources: bytes | None = b"file:///tmp",
        memory: bool = False,
        logging: bool = True,
    ) -> c_void_p:
        guid = (self.token if token is None else token).encode()
        keep: list[tuple[int, str, str]] = self.log
        if self.version < 3:
            self.logger = FMI2_LOGGER(
                lambda _, __, status, category, text: keep.append(
                    (status, category.decode(), text.decode())
                )
            )
            own = ctypes.CDLL(None)
            functions = [
                ctypes.cast(getattr(own, f), c_void_p) if memory else None
                for f in ("calloc", "free")
            ]
            self.callbacks = (
                FMI1_CALLBACKS(self.logger, *functions, None)
                if self.version == 1
                else Callbacks(self.logger, *functions, None, None)
            )
        if self.version == 1:
            make = self.function("InstantiateSlave", c_void_p)
            make.argtypes = [c_char_p] * 4 + [c_double] + [ctypes.c_char] * 2
            make.argtypes += [FMI1_CALLBACKS, ctypes.c_char]
            return c_void_p(
                make(name, guid, b"", b"", 0.0, b"\0", b"\0", self.callbacks, bytes([logging]))
            )
        if self.version == 2:
            make = self.function("Instantiate", c_void_p)
            kind = 0 if model_exchange else 1
            return c_void_p(
                make(name, kind, guid, resources, byref(self.callbacks), 0, int(logging))
            )
        self.logger3 = FMI3_LOGGER(
            lambda _, status, category, text: keep.append(
                (status, category.decode(), text.decode())
            )
        )
        if model_exchange:
            make = self.function("InstantiateModelExchange", c_void_p)
            flags = [c_bool(False), c_bool(logging)]
            return c_void_p(make(name, guid, None, *flags, None, self.logger3))
        make = self.function("InstantiateCoSimulation", c_void_p)
        required = [r for n, (k, r) in self.variables.items() if n in "uyw" and k == "Float64"]
        required = required if self.update else []
        self.updater = UPDATE(self.update) if self.update else None
        flags = [c_bool(f) for f in (False, logging, event_mode, early)]
        array = (c_uint * len(required))(*required)
        last = [c_size_t(len(required)), None, self.logger3, self.updater]
        return c_void_p(make(name, guid, None, *flags, array, *last))

    def function(self, name: str, result: Any = c_int) -> Any:
        found = self.library[f"{self.prefix}{name}"]
        found.restype = result
        return found

    def call(self, name: str, *arguments: Any, expect: int = OK) -> None:
        status = self.function(name)(self.instance, *arguments)
        assert status == expect, (name, status, self.log[-1:])

    def count(self, what: str) -> int:
        self.library.dovetail_count.restype = ctypes.c_long
        return int(self.library.dovetail_count(what.encode()))

    def begin(
        self, start: float = 0.0, stop: float | None = None, expect: int = OK, **values: Any
    ) -> Fmu:
        """Everything up to the first step; `values` are set as soon as they may be."""
        parts = c_double(start), c_bool(stop is not None), c_double(stop or 0.0)
        if self.version == 1:
            for name, value in values.items():
                self.set(name, value)
            self.call("InitializeSlave", *parts)
            return self
        before = [0, c_double(0.0)]
        if self.version == 2:
            self.call("SetupExperiment", *before, parts[0], int(stop is not None), parts[2])
            before = []
        else:
            before = [c_bool(False), c_double(0.0), *parts]
        self.call("EnterInitializationMode", *before)
        for name, value in values.items():
            self.set(name, value)
        self.call("ExitInitializationMode", expect=expect)
        self.time = start
        return self

    def set(self, name: str, value: Any, expect: int = OK) -> None:
        kind, reference = self.variables[name]
        values = value if isinstance(value, list) else [value]
        more = [c_size_t(len(values))] if self.version == 3 else []
        if kind == "Binary":
            sizes = (c_size_t * len(values))(*map(len, values))
            array = (c_char_p * len(values))(*values)
            more = [sizes, array, *more]
            self.call("SetBinary", byref(c_uint(reference)), c_size_t(1), *more, expect=expect)
            return
        array = (self._number(kind) * len(values))(*values)
        self.call(f"Set{kind}", byref(c_uint(reference)), c_size_t(1), array, *more, expect=expect)

    def get(self, name: str, size: int | None = None, expect: int = OK) -> Any:
        kind, reference = self.variables[name]
        more = [c_size_t(size or 1)] if self.version == 3 else []
        if kind == "Binary":
            length, pointer = c_size_t(), POINTER(ctypes.c_ubyte)()
            self.call(
                "GetBinary", byref(c_uint(reference)), c_size_t(1), byref(length), byref(pointer),
                *more, expect=expect,
            )  # fmt: skip
            return bytes(pointer[: length.value])
        array = (self._number(kind) * (size or 1))()
        self.call(f"Get{kind}", byref(c_uint(reference)), c_size_t(1), array, *more, expect=expect)
        return array[0] if size is None else list(array)

    def _number(self, kind: str) -> Any:
        return c_bool if kind == "Boolean" and self.version == 3 else NUMBERS[kind]

    def step(self, size: float, expect: int = OK, **inputs: Any) -> tuple[bool, bool, float]:
        """One step from where it is: (event needed, returned early, time reached)."""
        for name, value in inputs.items():
            self.set(name, value)
        now = [c_double(self.time), c_double(size)]
        reached = c_double(self.time + size)
        event, end, early = c_bool(), c_bool(), c_bool()
        flags = {1: [b"\1"], 2: [0], 3: [c_bool(False)]}[self.version]
        if self.version == 1:
            flags = [ctypes.c_char(b"\1")]
        if self.version == 3:
            flags += [byref(event), byref(end), byref(early), byref(reached)]
        self.call("DoStep", *now, *flags, expect=expect)
        self.ends = end.value
        if expect in (OK, WARNING, PENDING):
            self.time = reached.value
        return event.value, early.value, reached.value

    def state_name(self, what: str) -> str:
        return what.replace("State", "state") if self.version == 2 else what

    def save(self) -> c_void_p:
        state = c_void_p()
        self.call(self.state_name("GetFMUState"), byref(state))
        return state

    def restore(self, state: c_void_p, time: float) -> None:
        self.call(self.state_name("SetFMUState"), state)
        self.time = time

    def partials(self, unknowns: str, knowns: str, seed: list[float], adjoint: bool = False) -> Any:
        rows = [self.variables[n][1] for n in unknowns.split()]
        columns = [self.variables[n][1] for n in knowns.split()]
        result = (c_double * (len(columns) if adjoint else len(rows)))()
        seeds = (c_double * len(seed))(*seed)
        counts = [c_size_t(len(seed))], [c_size_t(len(result))]
        extra = counts if self.version == 3 else ([], [])
        self.call(
            "GetAdjointDerivative" if adjoint else "GetDirectionalDerivative",
            (c_uint * len(rows))(*rows), c_size_t(len(rows)),
            (c_uint * len(columns))(*columns), c_size_t(len(columns)),
            seeds, *extra[0], result, *extra[1],
        )  # fmt: skip
        return list(result)

    def slope(self, name: str, order: int) -> float:
        value, reference = c_double(), c_uint(self.variables[name][1])
        function = "GetOutputDerivatives" if self.version == 3 else "GetRealOutputDerivatives"
        more = [c_size_t(1)] if self.version == 3 else []
        self.call(function, byref(reference), c_size_t(1), byref(c_int(order)), byref(value), *more)
        return value.value

    def end(self) -> None:
        self.call("TerminateSlave" if self.version == 1 else "Terminate")
        self.free()

    def free(self) -> None:
        self.function("FreeSlaveInstance" if self.version == 1 else "FreeInstance", None)(
            self.instance
        )


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Fmu]:
    def make(which: str, version: int, chosen: dict[str, Any] | None = None, **how: Any) -> Fmu:
        path = build(which, version, tmp_path, **(chosen or {}))
        return Fmu(path, tmp_path / f"{len(list(tmp_path.iterdir()))}", **how)

    return make


Load = Callable[..., Fmu]


@pytest.mark.parametrize(("name", "version"), EVERY)
def test_every_fmu_has_all_functions_and_all_variables_it_describes(
    load: Load, name: str, version: int
) -> None:
    clocked = {"event_mode": True} if name in ("counter", "clocks", "metronome") else {}
    fmu = load(name, version, **clocked)
    for function in CALLS[version].split():
        assert fmu.function(function), function
    unborn = "stillborn", "dazed"  # do not come to the end of their initialization
    if name in (*unborn, "liar", "counter", "clocks", "metronome", "arrays") or MODELS[
        name
    ].defaults.get("strict"):
        return
    fmu.begin(expect=WARNING if name == "warning" else OK)
    for variable in fmu.variables:
        fmu.get(variable)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_linear_steps_exactly(load: Load, version: int) -> None:
    fmu = load("linear", version).begin(a=-2.0, b=3.0, drive=0.5, x=0.25)
    x = 0.25
    for size, u in ((0.1, 1.0), (0.25, -2.0), (0.25, 0.0), (3.0, 4.0)):
        fmu.step(size, u=u)
        rest = (3.0 * u + 0.5) / 2.0
        x = rest + (x - rest) * math.exp(-2.0 * size)
        assert fmu.get("y") == pytest.approx(x, rel=1e-14)
    assert fmu.slope("y", 1) == pytest.approx(-2 * x + 12.5, rel=1e-12)
    assert fmu.slope("y", 2) == pytest.approx(4 * x - 25, rel=1e-12)
    fmu.end()


def test_a_ring_of_linear_ones_comes_to_rest_away_from_zero(load: Load) -> None:
    first = load("linear", 2).begin()
    for _ in range(300):
        first.step(0.1, u=first.get("y"))
    assert first.get("y") == pytest.approx(2.0, rel=1e-6)


def test_linear_takes_derivatives_of_its_input(load: Load) -> None:
    fmu = load("linear", 2, {"input_derivatives": 2, "feedthrough": True}).begin(x=0.0, drive=0.0)
    coefficients, h = (0.7, -0.3, 0.9), 0.4
    fmu.set("u", coefficients[0])
    for order in (1, 2):
        reference = c_uint(fmu.variables["u"][1])
        value = byref(c_double(coefficients[order]))
        fmu.call(
            "SetRealInputDerivatives", byref(reference), c_size_t(1), byref(c_int(order)), value
        )
    fmu.step(h)
    chain = np.diag([1.0, 1.0, 1.0], 1)  # x, u, u', u''
    chain[0, :2] = -1.0, 0.5
    x, u, *_ = expm(chain * h) @ (0.0, *coefficients)
    assert fmu.get("x") == pytest.approx(x, rel=1e-13)
    assert fmu.get("y") == pytest.approx(x + u, rel=1e-13)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_body_and_spring_step_exactly(load: Load, version: int) -> None:
    left, right = load("body", version).begin(), load("spring", version).begin()
    a_left = np.array([[0, 1, 0], [-0.1, -0.1, -1e-4], [0, 0, 0]])
    a_right = np.array([[0, 1, 0, 0], [-0.2, -0.1, 0.1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    x, z, h = np.array([1.0, 0.0]), np.array([0.0, 0.0]), 0.2
    for _ in range(20):
        force, ends = right.get("force"), (left.get("position"), left.get("velocity"))
        left.step(h, force=force)
        right.step(h, position=ends[0], velocity=ends[1])
        x, z = (expm(a_left * h) @ [*x, force])[:2], (expm(a_right * h) @ [*z, *ends])[:2]
        assert (left.get("position"), left.get("velocity")) == pytest.approx(tuple(x), rel=1e-12)
        assert right.get("force") == pytest.approx(1000 * (ends[0] - z[0]), rel=1e-12)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("name", "rate", "gain"), [("prey", 0.1, -0.02), ("predator", -0.4, 0.02)])
def test_prey_and_predator_grow_exactly(
    load: Load, version: int, name: str, rate: float, gain: float
) -> None:
    fmu = load(name, version).begin()
    fmu.step(0.5, u=7.0)
    fmu.step(0.25, u=9.0)
    expected = 10 * math.exp(0.75 * rate + gain * (0.5 * 7 + 0.25 * 9))
    assert fmu.get("x") == pytest.approx(expected, rel=1e-14)
    assert fmu.slope("x", 1) == pytest.approx((rate + 9 * gain) * expected, rel=1e-12)
    assert fmu.partials("der(x)", "x u", [1.0, 0.0]) == pytest.approx([rate + 9 * gain])
    assert fmu.partials("der(x) x", "u", [2.0]) == pytest.approx([2 * gain * expected, 0.0])


@pytest.mark.parametrize("version", [2, 3])
def test_partial_derivatives_of_linear(load: Load, version: int) -> None:
    fmu = load("linear", version, {"feedthrough": True}).begin(a=-3.0, b=2.0, c=5.0, d=7.0)
    fmu.step(0.1, u=1.0)
    assert fmu.partials("der(x) y", "x u", [1.0, 0.0]) == pytest.approx([-3.0, 5.0], abs=1e-12)
    assert fmu.partials("der(x) y", "x u", [0.0, 1.0]) == pytest.approx([2.0, 7.0], abs=1e-12)
    if version == 3:
        transposed = fmu.partials("der(x) y", "x u", [1.0, 10.0], adjoint=True)
        assert transposed == pytest.approx([47.0, 72.0], abs=1e-11)
        x = fmu.get("x")
        assert fmu.partials("der(x) y", "a c", [1.0, 1.0]) == pytest.approx([x, x], rel=1e-9)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", GOOD)
def test_states_are_saved_restored_and_serialized(load: Load, name: str, version: int) -> None:
    fmu = load(name, version).begin()
    outputs = [n for n, (k, _) in fmu.variables.items() if k in ("Real", "Float64")]

    def values() -> list[float]:
        return [fmu.get(n) for n in outputs]

    fmu.step(0.1)
    state, before = fmu.save(), values()
    fmu.step(0.1)
    after = values()
    fmu.restore(state, 0.1)
    assert values() == before
    size = c_size_t()
    fmu.call(fmu.state_name("SerializedFMUStateSize"), state, byref(size))
    room = ctypes.create_string_buffer(size.value)
    fmu.call(fmu.state_name("SerializeFMUState"), state, room, size)
    fmu.call(fmu.state_name("FreeFMUState"), byref(state))
    assert not state
    copy = c_void_p()
    name_ = "DeSerializeFMUstate" if version == 2 else "DeserializeFMUState"
    fmu.call(name_, room, size, byref(copy))
    fmu.restore(copy, 0.1)
    fmu.step(0.1)
    assert values() == after
    assert fmu.count("states") == 1
    fmu.call(fmu.state_name("FreeFMUState"), byref(copy))
    fmu.end()
    assert (fmu.count("states"), fmu.count("violations"), fmu.count("untidy")) == (0, 0, 0)


def test_fmi1_takes_back_one_step(load: Load) -> None:
    fmu = load("linear", 1).begin()
    fmu.step(0.5, u=3.0)
    once = fmu.get("y")
    fmu.step(0.5, u=100.0)
    fmu.set("u", 3.0)
    fmu.call("DoStep", c_double(0.5), c_double(0.25), ctypes.c_char(b"\0"))
    rest = 2.5
    assert fmu.get("y") == pytest.approx(rest + (once - rest) * math.exp(-0.25), rel=1e-14)


INTEGERS = [(f"{u}Int{n}", n, bool(u)) for n in (8, 16, 32, 64) for u in ("", "U")]


@pytest.mark.parametrize("version", [2, 3])
def test_every_type_is_echoed(load: Load, version: int) -> None:
    fmu = load("types", version).begin(float64_offset=0.5, int32_offset=-7, string_offset=b"a ")
    fmu.step(0.1, float64_in=1.5, int32_in=3, boolean_in=1, enumeration_in=3)
    fmu.step(0.1, string_in="größer".encode())
    assert (fmu.get("float64_out"), fmu.get("int32_out")) == (2.0, -4)
    assert (fmu.get("boolean_out"), fmu.get("enumeration_out")) == (1, 3)
    assert fmu.get("string_out") == "a größer".encode()
    if version == 2:
        return
    fmu.step(0.1, float32_in=0.25, binary_in=b"\0\1\xff")
    assert (fmu.get("float32_out"), fmu.get("binary_out")) == (0.25, b"\0\1\xff")
    for kind, bits, unsigned in INTEGERS:
        largest = 2 ** (bits - (not unsigned)) - 1
        fmu.step(0.1, **{f"{kind.lower()}_in": largest})
        assert fmu.get(f"{kind.lower()}_out") == (largest - 7 if kind == "Int32" else largest)


@pytest.mark.parametrize("version", [2, 3])
def test_a_string_lives_until_the_next_call(load: Load, version: int) -> None:
    fmu = load("types", version).begin(string_in=b"here")
    _, reference = fmu.variables["string_out"]
    array = (POINTER(ctypes.c_char) * 1)()
    more = [c_size_t(1)] if version == 3 else []
    fmu.call("GetString", byref(c_uint(reference)), c_size_t(1), array, *more)
    assert array[0][:5] == b"here\0"
    fmu.get("float64_out")
    assert array[0][:5] == b"?????"


def test_arrays_take_the_size_of_the_structural_parameter(load: Load) -> None:
    fmu = load("arrays", 3)
    fmu.call("EnterConfigurationMode")
    fmu.set("n", 4)
    fmu.call("ExitConfigurationMode")
    fmu.begin(u=[1.0, 2.0, 3.0, 4.0])
    fmu.step(0.5)
    assert fmu.get("y", 4) == [1.0, 4.0, 9.0, 16.0]
    assert fmu.get("pair", 8) == [1.0, 0.5, 4.0, 1.0, 9.0, 1.5, 16.0, 2.0]
    sensitivity, seed = (c_double * 8)(), (c_double * 4)(0.0, 1.0, 0.0, 0.0)
    one = [byref(c_uint(fmu.variables[n][1])) for n in ("pair", "u")]
    args = [one[0], c_size_t(1), one[1], c_size_t(1), seed, c_size_t(4), sensitivity, c_size_t(8)]
    fmu.call("GetDirectionalDerivative", *args)
    assert list(sensitivity) == [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    fmu.get("y", 3, expect=ERROR)
    assert "3 values do not fit" in fmu.log[-1][2]


@pytest.mark.parametrize("version", [2, 3])
def test_feedthrough_is_at_once_and_declared(load: Load, version: int) -> None:
    fmu = load("feedthrough", version).begin(u1=3.0)
    assert fmu.get("y1") == 6.0
    fmu.step(0.5, u1=4.0, u2=2.0)
    assert (fmu.get("y1"), fmu.get("y2")) == (8.0, 1.0)
    assert fmu.partials("y1 y2", "u1 u2", [1.0, 1.0]) == [2.0, 0.0]


@pytest.mark.parametrize("version", [2, 3])
def test_varying_refuses_another_step_size(load: Load, version: int) -> None:
    fmu = load("varying", version).begin()
    fmu.step(0.1)
    fmu.step(0.1)
    assert (fmu.get("count"), fmu.get("size")) == (2, 0.1)
    fmu.step(0.05, expect=ERROR)
    assert "0.05" in fmu.log[-1][2]
    discards = load("varying", version, {"refusal": "discard"}).begin()
    discards.step(0.1)
    discards.step(0.05, expect=DISCARD)
    free = load("varying", version, {"variable_step": True}).begin()
    free.step(0.1)
    free.step(0.05)


def test_fmi2_takes_and_gives_derivatives(load: Load) -> None:
    fmu, h = load("derivatives", 2).begin(), 0.5
    fmu.set("u", 1.0)
    references = (c_uint * 3)(*[fmu.variables["u"][1]] * 3)
    orders, values = (c_int * 3)(1, 2, 3), (c_double * 3)(2.0, -4.0, 6.0)
    fmu.call("SetRealInputDerivatives", references, c_size_t(3), orders, values)
    fmu.step(h)
    assert fmu.get("y") == pytest.approx(h + h**2 - 4 * h**3 / 6 + 6 * h**4 / 24)
    assert fmu.slope("y", 1) == pytest.approx(1 + 2 * h - 2 * h**2 + h**3)
    assert fmu.slope("w", 1) == pytest.approx(2 * (2 - 4 * h + 3 * h**2))
    assert fmu.slope("y", 2) == pytest.approx(2 - 4 * h + 3 * h**2)


def test_fmi3_asks_for_its_input_within_a_step(load: Load) -> None:
    seen: list[tuple[float, bool, bool, float]] = []

    def update(_: Any, time: float, wanted: bool, allowed: bool, done: bool, *__: Any) -> None:
        seen.append((time, wanted, done, fmu.get("y") if allowed else math.nan))
        if wanted:
            fmu.set("u", 1 + time**3)

    fmu = load("derivatives", 3, {"strict": True}, update=update).begin(u=1.0)
    fmu.step(0.8)
    assert fmu.get("y") == pytest.approx(0.8 + 0.8**4 / 4, rel=1e-14)
    assert [round(t, 9) for t, wanted, *_ in seen if wanted] == [0.2, 0.4, 0.6, 0.8]
    assert seen[2][3] == pytest.approx(0.4 + 0.4**4 / 4)
    assert fmu.slope("y", 1) == pytest.approx(1 + 0.8**3)
    fmu.end()
    assert fmu.count("violations") == 0


def test_fmi3_returns_early_when_asked_in_an_update(load: Load) -> None:
    def update(*facts: Any) -> None:
        if facts[5]:  # it can
            facts[6][0], facts[7][0] = True, facts[1]

    fmu = load("derivatives", 3, update=update, early=True).begin(u=1.0)
    assert fmu.step(0.8) == (False, True, 0.4)
    assert fmu.get("y") == pytest.approx(0.4)


@pytest.mark.parametrize("version", [2, 3])
def test_discard(load: Load, version: int) -> None:
    fmu = load("discard", version).begin(at=0.25, limit=0.125, ends=True)
    state = fmu.save()
    fmu.step(0.5, expect=DISCARD)
    if version == 2:
        reached, ends = c_double(), c_int()
        fmu.call("GetRealStatus", 2, byref(reached))
        fmu.call("GetBooleanStatus", 3, byref(ends))
        assert (reached.value, ends.value, fmu.get("y")) == (0.25, 1, 0.25)
        fmu.restore(state, 0.0)
    else:
        assert (fmu.get("y"), fmu.ends) == (0.0, True)
    assert fmu.log[-1][:2] == (DISCARD, "logStatusDiscard")
    for size in (0.25, 0.5):
        fmu.step(size)
    fmu.restore(state, 0.0)
    for size in (0.2, 0.125, 0.5):
        fmu.step(size)


@pytest.mark.parametrize("version", [2, 3])
def test_error_once(load: Load, version: int) -> None:
    fmu = load("error", version).begin(at=0.5)
    fmu.step(0.5)
    state = fmu.save()
    fmu.step(0.5, expect=ERROR)
    message = "100 %% sure: the ##1 valve is stuck at 0.5"
    said = message if version == 2 else message.replace("%%", "%")
    assert fmu.log == [*fmu.log[:-1], (ERROR, "logStatusError", said)]
    fmu.restore(state, 0.5)
    fmu.step(0.5)
    assert fmu.get("y") == 1.0


@pytest.mark.parametrize("version", [2, 3])
def test_fatal_nan_and_warning(load: Load, version: int) -> None:
    fatal = load("fatal", version).begin(at=0.5)
    fatal.step(0.5)
    fatal.step(0.5, expect=FATAL)
    assert fatal.count("calls after fatal") == 0
    fatal.get("y", expect=FATAL)
    assert fatal.count("calls after fatal") == 1
    nan = load("nan", version).begin(at=0.5)
    nan.step(0.5)
    assert nan.get("y") == 0.5
    nan.step(0.5)
    assert math.isnan(nan.get("y"))
    warning = load("warning", version).begin(expect=WARNING)
    warning.log.clear()
    warning.step(0.5)
    warning.step(0.5, expect=WARNING)
    categories = [category for _, category, _ in warning.log]
    assert {"logSteps", "logStatusWarning", "logEvents"} == set(categories)
    assert any(text.startswith("#r1#" if version == 2 else "#1#") for _, _, text in warning.log)


def test_pending(load: Load) -> None:
    fmu = load("pending", 2).begin(delay=0.02)
    fmu.step(0.25, expect=PENDING)
    status, asked = c_int(PENDING), 0
    while status.value == PENDING:
        fmu.call("GetStatus", 0, byref(status))
        asked += 1
    assert (status.value, fmu.get("y")) == (OK, 0.25)
    assert asked > 1
    fmu.step(0.25, expect=PENDING)
    fmu.call("CancelStep")
    fmu.free()
    assert (fmu.count("violations"), fmu.count("instances")) == (0, 0)
    hasty = load("pending", 2).begin(delay=0.02)
    hasty.step(0.25, expect=PENDING)
    hasty.get("y", expect=ERROR)
    assert "a step in progress" in hasty.log[-1][2]
    hasty.free()  # which waits for the step


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(("name", "code"), [("crash", -11), ("hang", None)])
def test_crash_and_hang(tmp_path: Path, name: str, code: int | None, version: int) -> None:
    script = (
        "import importlib.util, pathlib, sys\n"
        "tests, this, fmu, folder = sys.argv[1:]\n"
        "sys.path.insert(0, tests)\n"
        "spec = importlib.util.spec_from_file_location('this', this)\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "sys.modules['this'] = module\n"
        "spec.loader.exec_module(module)\n"
        "fmu = module.Fmu(pathlib.Path(fmu), pathlib.Path(folder)).begin(at=0.5)\n"
        "fmu.step(0.5); print('half', flush=True); fmu.step(0.5)\n"
    )
    paths = (Path(__file__).parents[1], __file__, build(name, version, tmp_path), tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, paths)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        try:
            assert process.wait(0.3 if code is None else 30) == code
        except subprocess.TimeoutExpired:
            assert code is None
            process.kill()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("lie", LIES)
def test_lies(load: Load, tmp_path: Path, lie: str, version: int) -> None:
    fmu = load("liar", version, {"lie": lie})
    if lie == "token":
        assert not fmu.instance
        return
    fmu.begin()
    name = fmu.state_name("GetFMUState")
    if lie == "state":
        fmu.call(name, byref(c_void_p()), expect=ERROR)
    elif lie == "symbols":
        assert not hasattr(fmu.library, f"fmi{version}{name}")
    elif lie == "size":
        size, state = c_size_t(), fmu.save()
        fmu.call(fmu.state_name("SerializedFMUStateSize"), state, byref(size))
        room = ctypes.create_string_buffer(size.value)
        fmu.call(fmu.state_name("SerializeFMUState"), state, room, size, expect=ERROR)
    elif lie == "derivatives":
        with pytest.raises(AssertionError):
            fmu.partials("y", "u", [1.0])
    elif lie == "reference":
        fmu.get("z", expect=ERROR)
    elif lie in ("environment", "states", "indicators"):  # the last two lie at events
        assert fmu.function("GetVersion", c_char_p)() == f"{version}.0".encode()
    else:
        assert fmu.function("GetVersion", c_char_p)() != f"{version}.0".encode()


@pytest.mark.parametrize("version", [2, 3])
def test_leak_counts_what_is_alive(load: Load, version: int) -> None:
    fmu = load("leak", version)
    assert fmu.count("instances") == 1
    fmu.begin()
    states = [fmu.save(), fmu.save()]
    assert fmu.count("states") == 2
    for state in states:
        fmu.call(fmu.state_name("FreeFMUState"), byref(state))
    fmu.end()
    assert (fmu.count("instances"), fmu.count("states")) == (0, 0)


# ---- grumpy ----------------------------------------------------------------------------------


def _initializing(fmu: Fmu) -> Fmu:
    if fmu.version == 2:
        fmu.call("SetupExperiment", 0, c_double(0.0), c_double(0.0), 0, c_double(0.0))
        fmu.call("EnterInitializationMode")
    else:
        numbers = c_bool(False), c_double(0.0), c_double(0.0), c_bool(False), c_double(0.0)
        fmu.call("EnterInitializationMode", *numbers)
    return fmu


def _do(fmu: Fmu, time: float, size: float, no_way_back: bool = False, expect: int = OK) -> None:
    results = [byref(c_bool()) for _ in range(3)] if fmu.version == 3 else []
    last = [byref(c_double())] if fmu.version == 3 else []
    flag = c_bool(no_way_back) if fmu.version == 3 else c_int(no_way_back)
    fmu.call("DoStep", c_double(time), c_double(size), flag, *results, *last, expect=expect)


def _back_too_far(fmu: Fmu) -> None:
    fmu.begin()
    state = fmu.save()
    _do(fmu, 0.0, 0.1)
    _do(fmu, 0.1, 0.1, no_way_back=True)
    fmu.call(fmu.state_name("SetFMUState"), state, expect=ERROR)


def _freed_twice(fmu: Fmu) -> None:
    state = fmu.begin().save()
    again = c_void_p(state.value)
    fmu.call(fmu.state_name("FreeFMUState"), byref(state))
    fmu.call(fmu.state_name("FreeFMUState"), byref(again), expect=ERROR)


def _after_error(fmu: Fmu) -> None:
    fmu.begin().set("p", 1.0, expect=ERROR)
    fmu.call("Terminate", expect=ERROR)


def _after_end(fmu: Fmu) -> None:
    fmu.begin().call("Terminate")
    assert fmu.get("y") == 1.0
    fmu.set("u", 1.0, expect=ERROR)


ILLEGAL: dict[str, tuple[Callable[[Fmu], Any], str]] = {
    "a step before initialization": (lambda f: _do(f, 0.0, 0.1, expect=ERROR), "not allowed in"),
    "a step while initializing": (
        lambda f: _do(_initializing(f), 0.0, 0.1, expect=ERROR),
        "initialization mode",
    ),
    "initialization left before it was entered": (
        lambda f: f.call("ExitInitializationMode", expect=ERROR),
        "'instantiated'",
    ),
    "no experiment set up": (
        lambda f: f.call("EnterInitializationMode", expect=ERROR),
        "fmi2SetupExperiment must be called before",
    ),
    "an input set too early": (lambda f: f.set("u", 1.0, expect=ERROR), "'u' must not be set"),
    "a parameter read while initializing": (
        lambda f: _initializing(f).get("p", expect=ERROR),
        "'p' must not be read",
    ),
    "a parameter set in step mode": (
        lambda f: f.begin().set("p", 1.0, expect=ERROR),
        "'p' must not be set in step mode, only inputs and tunable parameters",
    ),
    "a state set in step mode": (lambda f: f.begin().set("x", 1.0, expect=ERROR), "'x' must not"),
    "an output set": (lambda f: _initializing(f).set("y", 1.0, expect=ERROR), "'y' must not"),
    "a constant set": (lambda f: f.set("two", 3.0, expect=ERROR), "'two' must not"),
    "time set": (lambda f: f.set("time", 3.0, expect=ERROR), "'time' must not"),
    "an output read after an input was set": (
        lambda f: (f.begin().set("u", 1.0), f.get("y", expect=ERROR)),
        "after a variable was set and before the next step",
    ),
    "an integer read after a string was set": (
        lambda f: (f.begin().set("label", b"a"), f.get("count_out", expect=ERROR)),
        "after a variable was set and before the next step",
    ),
    "a step of no size": (lambda f: _do(f.begin(), 0.0, 0.0, expect=ERROR), "longer than 0"),
    "a step backwards": (lambda f: _do(f.begin(), 0.0, -0.1, expect=ERROR), "longer than 0"),
    "a step from elsewhere": (
        lambda f: (_do(f.begin(), 0.0, 0.1), _do(f, 0.2, 0.1, expect=ERROR)),
        "the step begins at",
    ),
    "a first step not at the start": (
        lambda f: _do(f.begin(1.0), 0.0, 0.1, expect=ERROR),
        "the step begins at",
    ),
    "a step beyond the stop time": (
        lambda f: (_do(f.begin(stop=0.1), 0.0, 0.1), _do(f, 0.1, 0.1, expect=ERROR)),
        "beyond the stop time",
    ),
    "an end without a beginning": (lambda f: f.call("Terminate", expect=ERROR), "not allowed in"),
    "two ends": (
        lambda f: (f.begin().call("Terminate"), f.call("Terminate", expect=ERROR)),
        "'terminated'",
    ),
    "an input set after the end": (_after_end, "'terminated'"),
    "an end after an error": (_after_error, "not allowed in"),
    "a state set back before what was promised": (_back_too_far, "promised not to go back"),
    "a state freed twice": (_freed_twice, "not a state of this instance"),
    "a variable that is not there": (
        lambda f: (f.variables.update(no=("Real" if f.version == 2 else "Float64", 77)),
                   f.begin().get("no", expect=ERROR)),
        "value reference 77",
    ),
    "a log category that is not there": (
        lambda f: f.call(
            "SetDebugLogging",
            *([1] if f.version == 2 else [c_bool(True)]),
            c_size_t(1), (c_char_p * 1)(b"logNothing"), expect=ERROR,
        ),
        "no log category 'logNothing'",
    ),
}  # fmt: skip


ONLY_IN_FMI2 = (
    "no experiment set up",
    "an input set too early",
    "a parameter read while initializing",
)


@pytest.mark.parametrize(
    ("what", "version"),
    [(w, v) for w in ILLEGAL for v in (2, 3) if v == 2 or w not in ONLY_IN_FMI2],
)
def test_grumpy_refuses(load: Load, what: str, version: int) -> None:
    do, message = ILLEGAL[what]
    fmu = load("grumpy", version)
    do(fmu)
    assert fmu.count("violations") == 1 + ("after an error" in what)
    status, category, text = next(entry for entry in fmu.log if entry[0] == ERROR)
    if "after an error" not in what:
        assert message in text
    assert text.startswith(f"fmi{version}")
    assert (status, category) == (ERROR, "logStatusError")


@pytest.mark.parametrize("version", [2, 3])
def test_grumpy_is_content_with_a_correct_run(load: Load, version: int) -> None:
    fmu = load("grumpy", version)
    fmu.set("p", 0.5)
    fmu.set("x", 2.0)
    _initializing(fmu)
    fmu.set("u", 1.0)
    assert fmu.get("y") == 2.0
    assert fmu.get("der(x)") == -0.5
    fmu.set("p", 0.0)
    assert fmu.get("der(x)") == -1.0
    fmu.call("ExitInitializationMode")
    assert fmu.get("y") == 2.0
    state = fmu.save()
    for u in (1.0, 3.0):
        fmu.restore(state, 0.0)
        fmu.step(0.5, u=u, k=0.5, count=4, on=True, label=b"now")
        x = 0.5 * u + (2.0 - 0.5 * u) * math.exp(-0.5)
        assert fmu.get("y") == pytest.approx(x, rel=1e-14)
        assert (fmu.get("count_out"), fmu.get("on_out"), fmu.get("label_out")) == (5, 1, b"now")
        assert fmu.partials("der(x) y", "x u", [1.0, 0.0]) == pytest.approx([-1.0, 1.0])
    fmu.call(fmu.state_name("FreeFMUState"), byref(state))
    fmu.call("Terminate")
    assert fmu.get("w") == pytest.approx(2 * x)
    fmu.free()
    assert (fmu.count("violations"), fmu.count("untidy"), fmu.count("instances")) == (0, 0, 0)


@pytest.mark.parametrize("version", [2, 3])
def test_grumpy_notices_what_is_left_behind(load: Load, version: int) -> None:
    fmu = load("grumpy", version).begin()
    fmu.save()
    fmu.free()
    assert (fmu.count("violations"), fmu.count("untidy")) == (0, 2)
    assert [text.split(": ")[1] for status, _, text in fmu.log if status == WARNING] == [
        "freed without having been terminated",
        "freed before the states taken from it",
    ]


def test_grumpy_wants_a_name_its_own_token_and_a_folder(load: Load) -> None:
    assert not load("grumpy", 2, name=b"  ").instance
    assert not load("grumpy", 2, resources=b"/tmp").instance
    assert not load("grumpy", 3, token="{another}").instance
    assert not load("grumpy", 3, event_mode=True).instance


def test_fmi3_says_nothing_unless_asked(load: Load) -> None:
    silent, told = load("grumpy", 3, logging=False), load("grumpy", 2, logging=False)
    for fmu in (silent, told):
        fmu.begin().set("p", 1.0, expect=ERROR)
    assert (silent.log, len(told.log)) == ([], 1)


# ---- options ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [2, 3])
def test_capabilities_can_be_switched_off(load: Load, version: int) -> None:
    off = {"state_saving": False, "directional_derivatives": False}
    fmu = load("linear", version, off).begin()
    fmu.call(fmu.state_name("GetFMUState"), byref(c_void_p()), expect=ERROR)
    with pytest.raises(AssertionError):
        fmu.partials("y", "x", [1.0])
    bare = load("linear", version, off | {"minimal": True}).begin()
    for name in (fmu.state_name("GetFMUState"), "GetDirectionalDerivative"):
        assert not hasattr(bare.library, f"fmi{version}{name}")
    bare.step(0.1)


def test_memory_comes_from_the_importer_where_asked(load: Load) -> None:
    for version in (1, 2):
        assert load("linear", version, {"memory_callbacks": True}, memory=True).instance
        assert not load("linear", version, {"memory_callbacks": True}).instance


def test_variants_of_the_description_share_a_library(tmp_path: Path) -> None:
    paths = [
        build("linear", 2, tmp_path),
        build("linear", 2, tmp_path, exposed_states=False),
        build("linear", 2, tmp_path, library="other"),
        build("linear", 2, tmp_path, edit=lambda xml: xml.replace("linear", "winding")),
    ]
    contents = []
    for path in paths:
        with zipfile.ZipFile(path) as archive:
            (binary,) = [n for n in archive.namelist() if n.startswith("binaries/")]
            contents.append((binary, archive.read(binary), archive.read("modelDescription.xml")))
    assert len({data for _, data, _ in contents}) == 1
    assert contents[2][0].endswith(f"/other{suffix()}")
    assert len({xml for _, _, xml in contents}) == 3
    assert paths[0].read_bytes() == build("linear", 2, tmp_path / "again").read_bytes()


@pytest.mark.parametrize("version", [2, 3])
def test_sources_can_be_compiled_by_whoever_unpacks_them(tmp_path: Path, version: int) -> None:
    path = build("prey", version, tmp_path, source_only=True)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    assert not (tmp_path / "binaries").exists()
    sources = tmp_path / "sources"
    command = ["cc", "-shared", "-fPIC", "-o", str(tmp_path / "it.so")]
    subprocess.run([*command, str(sources / "fmu_prey.c"), "-lm"], check=True)
    assert ctypes.CDLL(str(tmp_path / "it.so"))[f"fmi{version}DoStep"]


def test_all_are_built_at_once(tmp_path: Path) -> None:
    made = build_all(tmp_path)
    assert sorted(made) == sorted(EVERY)
    assert {path.name for path in made.values()} == {f"{n}-fmi{v}.fmu" for n, v in EVERY}
    assert all(zipfile.is_zipfile(path) for path in made.values())


def test_wrong_names_are_refused(tmp_path: Path) -> None:
    for name, version, chosen in (
        ("linaer", 2, {}),
        ("arrays", 2, {}),
        ("linear", 2, {"state": 1}),
        ("liar", 2, {"lie": "age"}),
    ):
        with pytest.raises(ValueError, match=r"no test model|no such option|one of"):
            build(name, version, tmp_path, **chosen)


# ---- events and model exchange ---------------------------------------------------------------


def _exchange(fmu: Fmu) -> None:
    """Leaves event mode, where model exchange begins."""
    fmu.begin()
    _new_states(fmu)
    fmu.call("EnterContinuousTimeMode")


def _new_states(fmu: Fmu) -> tuple[bool, bool, float | None]:
    """(once more, states changed, next event)."""
    if fmu.version == 2:
        info = type("Info", (ctypes.Structure,), {
            "_fields_": [(n, c_int) for n in ("again", "end", "nominals", "states", "defined")]
            + [("next", c_double)]})()  # fmt: skip
        fmu.call("NewDiscreteStates", byref(info))
        return bool(info.again), bool(info.states), info.next if info.defined else None
    flags, time = [c_bool() for _ in range(5)], c_double()
    fmu.call("UpdateDiscreteStates", *map(byref, flags), byref(time))
    again, _, _, states, defined = (f.value for f in flags)
    return again, states, time.value if defined else None


def _vector(fmu: Fmu, function: str, n: int) -> list[float]:
    values = (c_double * n)()
    fmu.call(function, values, c_size_t(n))
    return list(values)


@pytest.mark.parametrize("version", [2, 3])
def test_model_exchange_of_van_der_pol(load: Load, version: int) -> None:
    fmu = load("vanderpol", version, model_exchange=True)
    _exchange(fmu)
    fmu.call("SetTime", c_double(0.5))
    fmu.call("SetContinuousStates", (c_double * 2)(0.5, -1.0), c_size_t(2))
    name = "GetDerivatives" if version == 2 else "GetContinuousStateDerivatives"
    assert _vector(fmu, name, 2) == [-1.0, -1.25]
    assert fmu.partials("x2 der(x2)", "x1", [1.0]) == pytest.approx([0.0, 0.0], abs=1e-14)
    assert fmu.partials("x2 der(x2)", "x2", [1.0]) == pytest.approx([1.0, 0.75])
    none = {"directional_derivatives": False}
    with pytest.raises(AssertionError):
        fmu = load("vanderpol", version, none, model_exchange=True)
        _exchange(fmu)
        fmu.partials("der(x2)", "x1", [1.0])


@pytest.mark.parametrize("version", [2, 3])
def test_van_der_pol_integrates_itself_in_co_simulation(load: Load, version: int) -> None:
    fmu = load("vanderpol", version).begin()
    for _ in range(100):
        fmu.step(0.1)
    assert fmu.get("x1") == pytest.approx(-2.00834078, abs=1e-8)  # by RK45 at 1e-12


@pytest.mark.parametrize("version", [2, 3])
def test_ball_bounces_in_model_exchange(load: Load, version: int) -> None:
    fmu = load("ball", version, model_exchange=True)
    _exchange(fmu)
    (above,) = _vector(fmu, "GetEventIndicators", 1)
    assert above == 1.0
    fmu.call("SetTime", c_double(0.452))
    fmu.call("SetContinuousStates", (c_double * 2)(-1e-10, -4.0), c_size_t(2))
    (above,) = _vector(fmu, "GetEventIndicators", 1)
    assert above < 0
    fmu.call("EnterEventMode")
    assert _new_states(fmu) == (False, True, None)
    assert _vector(fmu, "GetContinuousStates", 2) == [sys.float_info.min, 2.8]


def test_ball_stops_at_its_events_in_co_simulation(load: Load) -> None:
    hit = math.sqrt(2 / 9.81)
    fmu = load("ball", 3, {"strict": True}, event_mode=True, early=True).begin()
    _new_states(fmu)
    fmu.call("EnterStepMode")
    event, early, reached = fmu.step(1.0)
    assert (event, early, reached) == (True, True, pytest.approx(hit))
    assert fmu.get("v") == pytest.approx(-9.81 * hit)
    fmu.call("EnterEventMode")
    _new_states(fmu)
    fmu.call("EnterStepMode")
    assert fmu.get("v") == pytest.approx(0.7 * 9.81 * hit)
    assert fmu.step(0.1) == (False, False, pytest.approx(hit + 0.1))
    assert fmu.count("violations") == 0
    alone = load("ball", 2).begin()
    alone.step(1.0)
    assert (alone.get("bounces"), alone.time) == (1, 1.0)
    for _ in range(20):
        alone.step(0.1)
    assert (alone.get("h"), alone.get("v")) == (0.0, 0.0)


@pytest.mark.parametrize("version", [2, 3])
def test_relay_and_stair(load: Load, version: int) -> None:
    relay = load("relay", version).begin()
    outputs = []
    for u in (0.5, 1.5, 0.0, -1.5, 0.5):
        relay.step(0.1, u=u)
        outputs.append(relay.get("y"))
    assert outputs == [-1.0, 1.0, 1.0, -1.0, -1.0]
    stair = load("stair", version, model_exchange=True).begin()
    assert _new_states(stair) == (False, False, 1.0)
    stair.call("EnterContinuousTimeMode")
    stair.call("SetTime", c_double(1.0))
    stair.call("EnterEventMode")
    assert _new_states(stair) == (False, False, 2.0)
    assert stair.get("y") == 1.0


@pytest.mark.parametrize("version", [2, 3])
def test_events_that_do_not_end(load: Load, version: int) -> None:
    for name, wanted in (("stuck", (True, False, None)), ("endless", (False, False, 0.5))):
        fmu = load(name, version, model_exchange=True).begin()
        assert _new_states(fmu) == (False, False, 0.5)
        fmu.call("EnterContinuousTimeMode")
        fmu.call("SetTime", c_double(0.5))
        fmu.call("EnterEventMode")
        for _ in range(5):
            assert _new_states(fmu) == wanted
        alone = load(name, version).begin()
        alone.step(0.25)
        alone.step(0.5, expect=ERROR)
        assert "do not end" in alone.log[-1][2]


def test_counter_counts_ticks(load: Load) -> None:
    fmu = load("counter", 3, event_mode=True).begin(stride=5)
    counts, tens = [], []
    for i in range(4):
        if i:
            fmu.call("EnterEventMode")
        on = byref(c_bool(True))
        reference = byref(c_uint(fmu.variables["tick"][1]))
        fmu.call("SetClock", reference, c_size_t(1), on)
        ten = c_bool()
        reference = byref(c_uint(fmu.variables["ten"][1]))
        fmu.call("GetClock", reference, c_size_t(1), byref(ten))
        counts.append(fmu.get("count"))
        tens.append(ten.value)
        _new_states(fmu)
        fmu.call("EnterStepMode")
        fmu.step(0.1)
    assert (counts, tens) == ([5, 10, 15, 20], [False, True, False, True])
    assert not load("counter", 3).instance
