"""CVODE in native code and CVODE by way of scikit-sundae: the same to the last bit."""

from __future__ import annotations

import ctypes as c
import gc
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from time import perf_counter

import numpy as np
import pytest
from conformance.fleet import alone, is_clean, oscillator, run, same
from conformance.test_model_exchange import ONLY, derivatives, live, without_step_notes

import dovetail as dv
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.fmi.calls.access import Channel
from dovetail.fmi.kernel import kernel
from dovetail.fmi.parts import flow
from dovetail.integrators import Cvode, cvode

every_version = pytest.mark.parametrize("version", [1, 2, 3])
ME = {"model_exchange": True, **ONLY}
AT = 0.5


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None or flow.sundials() is None:
        pytest.skip("there is no native path here")


@pytest.fixture
def both(monkeypatch):
    """What a function gives on both ways; each is made sure to be the one that was used."""

    @contextmanager
    def way(native):
        used = []
        with monkeypatch.context() as patch:
            for name in ("Compiled", "Interpreted"):
                patch.setattr(cvode, name, spied(getattr(cvode, name), name, used))
            if not native:
                patch.setattr(flow, "sundials", lambda: None)
            yield used

    def outcome(function, native, taken):
        with way(native) as used:
            try:
                found = function()
            except dv.RunError as error:
                found = error
        assert set(used) == {taken}, str(found)
        return found

    def outcomes(function, native="Compiled"):
        found = outcome(function, True, native), outcome(function, False, "Interpreted")
        assert type(found[0]) is type(found[1]), found
        return found

    return outcomes


def spied(cls, name, used):
    def made(*arguments, **options):
        used.append(name)
        return cls(*arguments, **options)

    return made


def agree(found):
    for result in found:
        if isinstance(result, dv.RunError):
            raise result
    return same(*found)


def fail_alike(found, what):
    """Both with the same words, among them these, and with the same rows up to there."""
    a, b = found
    assert what in str(a)
    assert str(a) == str(b)
    return same(a.result, b.result)


def wave(function, unit):
    return dv.Source(outputs=["y"], function=lambda t, p: [function(t)], units={"y": unit})


# what comes out -------------------------------------------------------------------------------


@every_version
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize(("mu", "stop", "windows"), [(1.0, 5.0, 40), (1000.0, 2000.0, 3)])
def test_no_events(fmu, both, version, given, mu, stop, windows):
    model = fmu("vanderpol", version, strict=True, **derivatives(given), **ME)
    options = {"stop": stop, "controller": dv.FixedStep(stop / windows)}
    assert agree(both(lambda: run(alone(model, mu=mu), **options)))
    assert is_clean(model)


@pytest.mark.parametrize("method", ["BDF", "Adams"])
def test_both_methods_and_short_steps(fmu, both, method):
    model = fmu("vanderpol", 2, load={"solver": Cvode(method=method, max_size=0.03)}, **ME)
    assert agree(both(lambda: run(alone(model), 3.0)))


@every_version
def test_state_events(fmu, both, version):
    model = fmu("ball", version, strict=True, **ME)
    results = both(lambda: run(alone(model), 3.0, controller=dv.FixedStep(0.05)))
    assert agree(results)
    assert results[0]["part.bounces"][-1] > 5
    assert is_clean(model)


def test_nominal_values_that_change_at_events(fmu, both):
    model = fmu("ball", 3, new_nominals=True, **ME)
    assert agree(both(lambda: run(alone(model), 2.0)))


@every_version
def test_time_events_and_inputs_that_jump(fmu, both, version):
    stair, plant = fmu("stair", version, **ME), fmu("linear", version, **ME)
    system = dv.System("stepped")
    system.add("stair", stair, period=0.37)
    system.add("plant", plant)
    system.connect("stair.y", "plant.u")
    assert agree(both(lambda: run(system, 2.0)))


@pytest.mark.parametrize(
    ("version", "algorithm"),
    [
        *product((1, 2, 3), (dv.Jacobi(), dv.Jacobi(extrapolation=2))),
        *product(  # FMI 1 cannot roll back, and has no slopes
            (2, 3),
            (
                dv.GaussSeidel(),
                dv.GaussSeidel(inputs="ramp"),
                dv.GaussSeidel(4, inputs="hermite"),
                dv.Ifosmondi(),
            ),
        ),
    ],
    ids=repr,
)
def test_inputs_that_are_held_and_inputs_that_move(fmu, both, version, algorithm):
    body, spring = (fmu(name, version, strict=True, **ME) for name in ("body", "spring"))
    system = oscillator(body, spring)
    options = {"algorithm": algorithm, "controller": dv.FixedStep(0.1)}
    assert agree(both(lambda: run(system, 1.5, **options)))
    assert is_clean(body, spring)


@pytest.mark.parametrize("version", [2, 3])
def test_windows_that_are_taken_back(fmu, both, version):
    body, spring = (fmu(name, version, strict=True, **ME) for name in ("body", "spring"))
    controller = dv.StepDoubling(1e-2, 1e-3, first_size=0.5, max_size=0.5)
    results = both(lambda: run(oscillator(body, spring), 1.0, controller=controller))
    assert agree(results)
    assert results[0].statistics.rejected_by_error > 0


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("given", [True, False])
def test_many_states_by_colour(fmu, both, version, given):
    model = fmu("exchanger", version, **derivatives(given), **ONLY)
    system = dv.System("driven")
    system.add("part", model)
    system.add("wave", wave(lambda t: 300.0 + 20.0 * np.sin(t), unit="K"))
    system.connect("wave.y", "part.inlet_a")
    assert agree(both(lambda: run(system, 2.0, algorithm=dv.GaussSeidel(inputs="ramp"))))


def test_rows_by_adjoint_derivatives(fmu, both):
    model = fmu("exchanger", 3, directional_derivatives=False, **ONLY)
    assert agree(both(lambda: run(alone(model), 2.0)))


@pytest.mark.parametrize("given", [True, False])
def test_a_sparse_matrix(fmu, both, monkeypatch, given):
    model = fmu("exchanger", 3, **derivatives(given), **ONLY)
    monkeypatch.setattr(cvode, "_MANY", 20)
    monkeypatch.setattr("dovetail.fmi.parts.jacobian._FEW", 20)
    monkeypatch.setattr(flow, "_FEW", 20)
    assert agree(both(lambda: run(alone(model), 1.0)))
    dense = cvode.sparse_solver()
    used = []
    monkeypatch.setattr(
        "dovetail.integrators.sundials_objects.sparse_solver", lambda: used.append(1) or dense
    )
    run(alone(model), 0.2)
    assert used


def test_without_superlu_it_is_full_and_native(fmu, both, monkeypatch):
    model = fmu("exchanger", 3, **ONLY)
    monkeypatch.setattr(cvode, "_MANY", 20)
    monkeypatch.setattr(cvode, "can_factor_sparse", lambda: False)
    assert agree(both(lambda: run(alone(model), 1.0)))


@pytest.mark.parametrize("given", [True, False])
def test_a_full_matrix_of_many_states(fmu, both, monkeypatch, given):
    model = fmu("exchanger", 3, **derivatives(given), **ONLY)
    for place in ("dovetail.fmi.parts.jacobian._FEW", "dovetail.fmi.parts.flow._FEW"):
        monkeypatch.setattr(place, 20)
    assert agree(both(lambda: run(alone(model), 2.0)))


def test_clocks(fmu, both):
    clocked, plant = fmu("clocks", 3, **ME), fmu("linear", 3, **ME)
    system = dv.System("clocked")
    system.add("clocked", clocked)
    system.add("plant", plant)
    assert agree(both(lambda: run(system, 2.0)))


@pytest.mark.parametrize("version", [2, 3])
def test_checkpoints_of_one_way_go_on_in_the_other(fmu, both, version, tmp_path):
    model = fmu("ball", version, **ME)
    options = {"stop": 2.0, "controller": dv.FixedStep(0.05), "quiet": True}

    def half():
        with dv.Session(alone(model), **options) as session:
            for _ in range(20):
                session.advance()
            session.checkpoint(tmp_path / "half")
            return session.result

    def rest():
        with dv.Session(alone(model), resume=tmp_path / "half", **options) as session:
            return session.run()

    assert agree(both(half))  # what scikit-sundae has left
    assert agree(both(rest))


@pytest.mark.parametrize("version", [2, 3])
def test_a_part_that_is_restored(fmu, both, version):
    notes = {} if version == 3 else {"edit": without_step_notes}
    model = fmu("prey", version, **ME, **notes)

    def again():
        part, found = live(model), []
        curve = Waveform(np.array([[3.0, 1.0, -0.5]]))
        part.event(Signals(np.array([3.0])))
        while part.update():
            pass
        mark = part.snapshot()
        for wave in (curve, Waveform.hold(Signals(np.array([3.0]))), curve):
            part.restore(mark)
            for k in range(3):
                window = Window.between(0.5 * k, 0.5 * (k + 1))
                found.append(part.advance(window, wave.restarted(0.5 * k)).outputs.reals.tolist())
        part.close()
        return found

    a, b = both(again)
    assert a == b


# what goes wrong ------------------------------------------------------------------------------


class Meddler:
    """Functions of a library that do something else at a certain time."""

    def __init__(self, model, version, patch):
        self.model, self.patch = model, patch
        self.prefix = {1: "fmi", 2: "fmi2", 3: "fmi3"}[version]
        self.time, self.calls = 0.0, []
        self.instead("SetTime", self._note)

    def _note(self, usual, pointer, time):
        self.time = time
        self.calls.append(time)
        return usual(pointer, time)

    def instead(self, word, what):
        """Have `what(usual, *arguments)` called."""
        functions, name = self.model.library._functions, self.prefix + word
        usual = functions[name]
        kind = c.CFUNCTYPE(usual.restype, *usual.argtypes)
        self.patch.setitem(functions, name, kind(lambda *given: what(usual, *given)))

    def answers(self, word, status, says=b""):
        """Have it answer with this status after a time."""

        def late(usual, *given):
            found = usual(*given)
            if self.time <= AT:
                return found
            if says:
                kernel().dt_logger2(None, b"part", status, b"logStatusError", says)
            return status

        self.instead(word, late)


@pytest.fixture
def meddled(fmu, monkeypatch):
    """A model, and somebody who meddles with its library."""

    def made(name, version, **options):
        model = fmu(name, version, **ME, **options)
        return model, Meddler(model, version, monkeypatch)

    return made


RATES = {1: "GetDerivatives", 2: "GetDerivatives", 3: "GetContinuousStateDerivatives"}


@every_version
def test_calls_are_the_same_one_by_one(meddled, both, version):
    model, meddler = meddled("vanderpol", version)

    def calls():
        meddler.calls.clear()
        run(alone(model, mu=5.0), 2.0)
        return list(meddler.calls)

    a, b = both(calls)
    assert a == b
    assert max(a) == 2.0


def test_negated_aliases_and_single_precision(meddled, both):
    """What is handed over where a description turns inputs round, or has them of half the size."""
    model, meddler = meddled("spring", 3)
    library, heard = model.library, []

    def listening(usual, pointer, references, n, values, size):
        kind = c.c_float * size
        heard.append(list(kind.from_address(values)))
        return usual(pointer, references, 0, values, 0)

    meddler.instead("SetFloat32", listening)

    def told():
        heard.clear()
        part = live(model)
        refs, places = part._smooth_inputs[0].references, part._smooth_inputs[0].places
        part._smooth_inputs = [
            Channel(library, 3, "Float64", refs[:1], places[:1], [True]),
            Channel(library, 3, "Float32", refs[1:], places[1:], [True]),
        ]
        wave = Waveform(np.array([[0.1, 0.7, 0.3], [1 / 3, 0.2, -0.1]]))
        found = part.advance(Window.between(0.0, 1.0), wave).outputs.reals.tolist()
        part.close()
        return found, list(heard)

    a, b = both(told)
    assert a == b
    assert a[1][0] == [-np.float32(1 / 3)]


def test_a_float_that_an_input_outgrows_is_refused_by_name(meddled, both):
    model, meddler = meddled("spring", 3)
    meddler.instead("SetFloat32", lambda usual, pointer, refs, n, values, size: 0)

    def told():
        part = live(model)
        first = part._smooth_inputs[0]
        where, names = (first.references, first.places), [v.name for v in model.inputs]
        part._smooth_inputs = [Channel(model.library, 3, "Float32", *where, [False] * 2, names)]
        wave = Waveform(np.array([[0.0, 1e39], [0.0, 0.0]]))
        with pytest.raises(dv.PartFailed, match="as it is of type Float32") as refused:
            part.advance(Window.between(0.0, 1.0), wave)
        part.close()
        return str(refused.value)

    a, b = both(told)
    assert a == b
    assert f"its variable '{model.inputs[0].name}' cannot be" in a


def test_nothing_is_asked_beyond_the_stop(meddled, both):
    model, meddler = meddled("ball", 3)

    def latest():
        meddler.calls.clear()
        run(alone(model), 0.3)
        return max(meddler.calls)

    ahead = 1e-6 * 0.1  # a look at where indicators go, when the window is over
    assert max(both(latest)) <= 0.3 + ahead


@every_version
@pytest.mark.parametrize("status", [2, 3, -1])
@pytest.mark.parametrize(
    "word", ["rates", "SetContinuousStates", "GetEventIndicators", "CompletedIntegratorStep"]
)
def test_functions_that_fail(meddled, both, version, word, status):
    said = b"the valve is stuck" if version == 2 else b""
    notes = {"edit": with_step_notes} if version == 3 and word.startswith("Completed") else {}
    model, meddler = meddled("ball", version, **notes)
    meddler.answers(RATES[version] if word == "rates" else word, status, said)
    found = both(lambda: run(alone(model), 2.0))
    assert fail_alike(found, said.decode() if status == 3 else "")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("status", [2, 3, -1])
def test_derivatives_that_fail(meddled, both, version, status):
    model, meddler = meddled("vanderpol", version, adjoint_derivatives=False)
    meddler.answers("GetDirectionalDerivative", status)
    found = both(lambda: run(alone(model, mu=1000.0), 2000.0, controller=dv.FixedStep(2000.0)))
    assert fail_alike(found, "GetDirectionalDerivative")


@every_version
def test_inputs_that_cannot_be_set(meddled, both, version):
    model, meddler = meddled("linear", version)
    system = dv.System("driven")
    system.add("part", model)
    system.add("wave", wave(np.sin, unit="1"))
    system.connect("wave.y", "part.u")
    meddler.answers("SetReal" if version < 3 else "SetFloat64", 3)

    def tried():
        meddler.time = 0.0
        return run(system, 2.0, algorithm=dv.GaussSeidel(inputs="ramp"))

    found = both(tried)
    assert fail_alike(found, "SetReal" if version < 3 else "SetFloat64")


@every_version
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rates_that_are_no_numbers(meddled, both, version, value):
    model, meddler = meddled("vanderpol", version)

    def spoilt(usual, pointer, into, n):
        found = usual(pointer, into, n)
        if meddler.time > AT:
            c.c_double.from_address(into).value = value
        return found

    meddler.instead(RATES[version], spoilt)
    found = both(lambda: run(alone(model), 2.0))
    assert fail_alike(found, "not finite")


def test_forbidden_ground_that_shorter_steps_avoid(meddled, both):
    model, meddler = meddled("vanderpol", 2)
    asked = []

    def narrow(usual, pointer, into, n):
        found = usual(pointer, into, n)
        asked.append(meddler.time)
        if len(asked) % 17 == 0 and meddler.time > AT:
            return 2  # Discard, now and then
        return found

    meddler.instead(RATES[2], narrow)

    def tried():
        asked.clear()
        return run(alone(model), 2.0, controller=dv.FixedStep(2.0))

    assert agree(both(tried))


@every_version
def test_indicators_that_are_no_numbers(meddled, both, version):
    model, meddler = meddled("ball", version)

    def spoilt(usual, pointer, into, n):
        found = usual(pointer, into, n)
        if meddler.time > AT:
            c.c_double.from_address(into).value = np.nan
        return found

    meddler.instead("GetEventIndicators", spoilt)
    found = both(lambda: run(alone(model), 2.0))
    assert fail_alike(found, "zero crossing 0 is not a number")


@pytest.mark.parametrize(
    ("version", "wish"),
    [(1, "event"), *product((2, 3), ("event", "end"))],  # FMI 1 ends a run at events only
)
@pytest.mark.parametrize("name", ["vanderpol", "ball"])
def test_wishes_at_the_end_of_a_step(meddled, both, version, name, wish):
    step_notes = {"edit": with_step_notes} if version == 3 else {}
    model, meddler = meddled(name, version, **step_notes)
    kind, told = {1: c.c_char, 2: c.c_int, 3: c.c_bool}[version], []

    def wishing(usual, *given):
        found = usual(*given)
        if meddler.time > AT + 0.3 * len(told):
            told.append(meddler.time)
            place = given[-1 if wish == "end" or version == 1 else -2]
            c.cast(place, c.POINTER(kind))[0] = b"\1" if version == 1 else 1
        return found

    meddler.instead("CompletedIntegratorStep", wishing)

    def wished():
        told.clear()
        return run(alone(model), 1.5)

    found = both(wished)
    assert agree(found)
    assert found[0].statistics.events > 2 if wish == "event" else found[0].time[-1] < 1.5


@pytest.mark.parametrize("version", [2, 3])
def test_a_wish_to_end_in_a_window_that_was_taken_back_counts_no_more(meddled, both, version):
    step_notes = {"edit": with_step_notes} if version == 3 else {}
    model, meddler = meddled("vanderpol", version, **step_notes)

    def wishing(usual, *given):
        found = usual(*given)
        if meddler.time > AT:
            c.cast(given[-1], c.POINTER({2: c.c_int, 3: c.c_bool}[version]))[0] = 1
        return found

    meddler.instead("CompletedIntegratorStep", wishing)
    controller = dv.StepDoubling(1e-6, 1e-8, first_size=1.0)
    for result in both(lambda: run(alone(model), 1.5, controller=controller)):
        assert result.statistics.rejected_by_error > 0
        assert AT < result.time[-1] < 1.0


@pytest.mark.parametrize("as_bytes", [False, True])
def test_nominal_values_go_back_with_the_part(fmu, as_bytes):
    """They change at an event, and tolerances with them."""
    model = fmu("ball", 3, new_nominals=True, **ME)

    def begun():
        part = model.instantiate("ball")
        part.initialize(0.0, {})
        part.begin()
        while part.update():
            pass
        return part

    part, nothing = begun(), Signals(np.zeros(0))
    before = part.dump() if as_bytes else part.snapshot()
    assert part.nominal is None
    assert part.advance(Window.between(0.0, 10.0), Waveform.hold(nothing)).event
    part.event(nothing)
    while part.update():
        pass
    assert part.nominal.tolist() == [1000.0, 1000.0]
    if as_bytes:
        other = begun()
        other.load(part.dump())
        assert other.nominal.tolist() == [1000.0, 1000.0]
        other.close()
    else:
        part.restore(before)
        assert part.nominal is None
    part.close()


def with_step_notes(xml):
    changed = xml.replace("<ModelExchange ", '<ModelExchange needsCompletedIntegratorStep="true" ')
    assert changed != xml
    return changed


@pytest.mark.parametrize("name", ["vanderpol", "ball"])
def test_too_many_steps(fmu, both, name):
    model = fmu(name, 2, load={"solver": Cvode(rtol=1e-10, atol=1e-14, max_steps=20)}, **ME)
    found = both(lambda: run(alone(model), 5.0, controller=dv.FixedStep(5.0)))
    assert fail_alike(found, "gave up after 20 steps")


def test_ctrl_c_comes_through_in_the_middle_of_a_window(fmu):
    endless = Cvode(rtol=1e-12, atol=1e-14, max_steps=10**9)
    model = fmu("vanderpol", 3, load={"solver": endless}, **ME)
    pressed = perf_counter() + 0.3
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(alone(model, mu=1000.0), 1e9, controller=dv.FixedStep(1e9))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert perf_counter() - pressed < 5.0  # of a run of an hour


PAIRS = {
    "SUNContext_Create": "SUNContext_Free",
    "N_VNew_Serial": "N_VDestroy",
    "SUNDenseMatrix": "SUNMatDestroy",
    "SUNLinSol_Dense": "SUNLinSolFree",
    "CVodeCreate": "CVodeFree",
}


class Counted:
    """A library that counts what it makes and what it takes back."""

    def __init__(self, library):
        self._library, self.calls = library, []

    def __getattr__(self, name):
        function = getattr(self._library, name)
        if name not in PAIRS and name not in PAIRS.values():
            return function

        def called(*arguments):
            self.calls.append(name)
            return function(*arguments)

        return called

    def is_even(self):
        for made, freed in PAIRS.items():
            assert self.calls.count(made) == self.calls.count(freed) > 0, (made, freed)
        return True


def test_what_was_made_is_given_back(fmu, monkeypatch):
    """After runs that end well and runs that do not, with a CVODE for held and one for moving."""
    library = Counted(flow.sundials())
    monkeypatch.setattr(cvode, "sundials", lambda: library)
    ball = fmu("ball", 3, new_nominals=True, **ME)
    body, spring = (fmu(name, 2, **ME) for name in ("body", "spring"))
    few = fmu("vanderpol", 2, load={"solver": Cvode(max_steps=20)}, **ME)
    for _ in range(3):
        run(alone(ball), 1.0)
        run(oscillator(body, spring), 0.5, algorithm=dv.GaussSeidel(inputs="ramp"))
        with pytest.raises(dv.PartFailed, match="gave up"):
            run(alone(few), 50.0, controller=dv.FixedStep(50.0))
    gc.collect()
    assert library.is_even()
    assert library.calls.count("CVodeCreate") >= 12


def test_parts_in_threads_do_not_meet(fmu):
    """Each has a CVODE of its own, and none of them holds Python back."""
    model = fmu("vanderpol", 3, **ME)
    alike = [run(alone(model, mu=5.0), 5.0)["part.x1"] for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: run(alone(model, mu=5.0), 5.0)["part.x1"], range(8)))
    for x in (*alike, *found):
        assert np.array_equal(x, alike[0])
