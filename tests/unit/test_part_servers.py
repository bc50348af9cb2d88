"""Parts that a server offers: the same bits as here, and no more than what is published."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from machines import SECRET, mass, offered, oscillator, run, serving, soon, spring

import dovetail as dv
from dovetail.core import codec
from dovetail.core.signals import Signals, Waveform
from dovetail.core.window import Window
from dovetail.hosts.answers import value_of
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.asked_link import AskedLink
from dovetail.machines.dialling import dialled
from dovetail.machines.greeting import Hello
from dovetail.machines.publication import Shown
from dovetail.machines.requests import FrameKind, call_bytes, start_bytes
from dovetail.machines.sealed import Seal
from dovetail.machines.unreachable import Unreachable
from dovetail.serving import offers_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")


def load(place, name="part", **options):
    return dv.load(f"{place}/{name}", **options)


# The same bits --------------------------------------------------------------------------------


def test_bits_are_those_of_one_process():
    body = mass()
    whole = offered(body, linearization=True)
    ways = [
        {"algorithm": dv.Jacobi()},
        {"algorithm": dv.GaussSeidel(5)},
        {"algorithm": dv.Newton()},
        {"algorithm": dv.Ifosmondi()},
        {"algorithm": dv.Newton(), "estimators": {"mass": dv.Costarica()}},
        {"controller": dv.StepDoubling(rtol=1e-3), "step": None},
    ]
    with serving(whole, offered(spring(), "spring")) as (place, _):
        there = oscillator(load(place), load(place, "spring"))
        for way in ways:
            here, found = (run(s, stop=0.3, **way) for s in (oscillator(body), there))
            assert np.array_equal(here.time, found.time), way
            assert np.array_equal(here["mass.x"], found["mass.x"]), way
            assert here.statistics.evaluations == found.statistics.evaluations


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_rolls_back_and_is_linearized_there(archive, version):
    path = archive("linear", version)
    model = dv.load(path)

    def ring(model):
        system = dv.System("ring")
        for k in range(2):
            system.add(f"p{k}", model, x=1.0 + 0.3 * k, a=-1.0, b=0.5, drive=1.0)
        for k in range(2):
            system.connect(f"p{k}.y", f"p{1 - k}.u")
        return system

    with serving(offered(model, linearization=True)) as (place, said):
        there = load(place)
        can = replace(model.description.capabilities, can_serialize=False)
        assert there.description.capabilities == can
        for way in ({"algorithm": dv.Newton()}, {"algorithm": dv.GaussSeidel(5)}):
            here, found = (run(ring(m), stop=0.4, **way) for m in (model, there))
            for name in ("p0.y", "p1.y"):
                assert np.array_equal(here[name], found[name]), way
        assert soon(lambda: sum("has used" in line for line in said) >= 4), said


def test_events_happen_there_when_they_happen_here():
    ball = dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, x, u, p: [x.v, -9.81],
        output=lambda t, x, u, p: [x.h, x.v],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.7 * x.v},
    )
    system, there = dv.System("s"), dv.System("s")
    system.add("ball", ball)
    with serving(offered(ball)) as (place, _):
        there.add("ball", load(place))
        here, found = run(system), run(there)
    assert here.statistics.events == found.statistics.events > 0
    assert np.array_equal(here.time, found.time) and np.array_equal(here["ball.h"], found["ball.h"])


def test_several_servers_and_a_system_that_is_served():
    body = mass()
    with serving(offered(body)) as (one, _), serving(offered(spring(), "spring")) as (other, _):
        there = oscillator(load(one), load(other, "spring"))
        here, found = (run(s, stop=0.3) for s in (oscillator(body), there))
        assert np.array_equal(here["mass.x"], found["mass.x"])
        inner = dv.Nested(oscillator(body), controller=dv.FixedStep(0.01))
        outer, far = dv.System("outer"), dv.System("outer")
        outer.add("inner", inner)
        with serving(offered(inner, "inner")) as (third, _):
            far.add("inner", load(third, "inner"))
            here, found = run(outer, stop=0.3), run(far, stop=0.3)
            assert np.array_equal(here["inner.mass.x"], found["inner.mass.x"])


def test_discrete_values_of_every_kind_travel(archive):
    model = dv.load(archive("types", 3))
    system, there = dv.System("s"), dv.System("s")
    system.add("part", model)
    with serving(offered(model)) as (place, _):
        assert load(place).description.outputs == model.description.outputs
        there.add("part", load(place))
        here, found = run(system), run(there)
    assert here.names == found.names
    for name in here.names:
        assert list(here[name]) == list(found[name]), name


# What is published ----------------------------------------------------------------------------


def hidden():
    """A model with a secret in the names of what is not published, and in what it says."""

    def rates(t, x, u, p):
        if t > 0.5:
            raise RuntimeError(f"{SECRET} is too narrow")
        return [u["u"] - x[SECRET]]

    return dv.Dynamic(
        states={SECRET: 1.0},
        inputs={"u": 0.0, f"{SECRET}-in": 2.0},
        outputs=["y", SECRET],
        parameters={"k": 1.0, f"{SECRET}-k": 3.0},
        derivatives=lambda t, x, u, p: (
            _narrow() if t > 0.5 else [u["u"] + u[f"{SECRET}-in"] - x[SECRET] * p["k"]]
        ),
        output=lambda t, x, u, p: [x[SECRET] * p[f"{SECRET}-k"], x[SECRET]],
    )


def _narrow():
    raise RuntimeError(f"{SECRET} is too narrow")


def veiled(**more):
    shown = {
        "inputs": (("u", Shown("u", "what drives it")),),
        "outputs": (("flow", Shown("y")),),
        "parameters": (("gain", Shown("k", default=2.0)),),
        "values": {f"{SECRET}-in": 4.0},
        "messages": False,
    }
    return offered(hidden(), **{**shown, **more})


def test_only_what_is_published_is_there():
    with serving(veiled()) as (place, _):
        d = load(place).description
        assert [v.name for v in (*d.inputs, *d.outputs, *d.parameters)] == ["u", "flow", "gain"]
        assert d.inputs[0].description == "what drives it" and d.parameters[0].start == 2.0
        assert SECRET not in repr(d)
        there, here = dv.System("s"), dv.System("s")
        there.add("it", load(place))
        here.add("it", hidden(), values={"k": 2.0, f"{SECRET}-in": 4.0})
        found, known = run(there, stop=0.4), run(here, stop=0.4)
        assert found.names == ["it.flow"]
        assert np.array_equal(found["it.flow"], known["it.y"])
        with pytest.raises(dv.DrawingError, match="is not a parameter, start value or input"):
            there.set(f"it.{SECRET}-k", 1.0)


def test_what_it_says_when_it_fails_is_withheld_unless_it_is_published():
    with serving(veiled()) as (place, said):
        system = dv.System("s")
        system.add("it", load(place))
        with pytest.raises(dv.PartFailed, match="part 'it' failed while advancing") as caught:
            run(system)
        assert "is not published" in str(caught.value) and SECRET not in str(caught.value)
        assert SECRET not in repr(vars(caught.value)) and SECRET not in "".join(said)
        assert caught.value.result.time[-1] == pytest.approx(0.5)
    with serving(veiled(messages=True)) as (place, _):
        system.replace("it", load(place))
        with pytest.raises(dv.PartFailed, match=f"{SECRET} is too narrow"):
            run(system)


class Tapped(AskedLink):
    """Keeps every byte that is answered."""

    heard = b""

    def ask(self, kind, payload):
        answered, data = super().ask(kind, payload)
        self.heard += data
        return answered, data


def asked(place):
    return Tapped(dialled(Address.parse(place), Access(), Hello("user")), 30.0)


def test_no_request_gets_at_what_is_not_published():
    """As one would who speaks the protocol, and knows the names."""
    with serving(veiled(linearization=False, derivatives=False)) as (place, said):
        talk = asked(place)
        talk.plain(FrameKind.LIST, {})
        opened = talk.plain(FrameKind.OPEN, {"part": "part"})
        assert "linearize" not in opened["members"] and "dump" not in opened["members"]
        start = codec.encode({f"{SECRET}-k": 5.0})
        requests = [
            (FrameKind.START, b"\0" * 8 + b"\0" * 8 + start),
            (FrameKind.START, start_bytes([], 0.0, {SECRET: 1.0}, False)),
            (FrameKind.START, start_bytes([], 0.0, {"gain": "no"}, False)),
            (FrameKind.START, start_bytes([], 0.0, {}, True)),
            (FrameKind.BEGIN, b""),
            call_bytes("outputs", (Signals(np.zeros(1)), 1)),
            call_bytes("outputs", (Signals(np.zeros(2)), 0)),
            call_bytes("outputs", (Signals(np.zeros(1)), 0)),
            call_bytes("advance", (Window.between(0.0, 0.1), Waveform(np.zeros((2, 1))))),
            call_bytes("advance", (Window.between(0.0, 0.1), Waveform(np.zeros((1, 1))))),
            call_bytes("tune", ({f"{SECRET}-k": 1.0},)),
            call_bytes("tune", ({"gain": 1.0},)),
        ]
        for method in ("linearize", "dump", "log_messages", "remarks", "reports", "state", "model",
                       "__class__", "_part", "states", "rates", "host", "call"):  # fmt: skip
            requests.append((FrameKind.CALL, codec.encode([method])))
        outcomes = []
        for kind, data in requests:
            answered, found = talk.ask(kind, data)
            try:
                value_of(answered - FrameKind.ANSWER, found)
                outcomes.append(True)
            except Exception:
                outcomes.append(False)
        good = [k for k, fine in enumerate(outcomes) if fine]
        assert good == [3, 4, 7, 9, 11]
        answered, found = talk.ask(
            *call_bytes("advance", (Window.between(0.1, 1.0), Waveform(np.zeros((1, 1)))))
        )
        with pytest.raises(dv.PartFailed, match="is not published"):
            value_of(answered - FrameKind.ANSWER, found)
        talk.ask(FrameKind.CLOSE, b"")
        talk.wire.close()
        assert len(talk.heard) > 500
        for form in (SECRET, SECRET.encode().hex(), SECRET.replace("-", "\\u002d")):
            assert form.encode() not in talk.heard
        assert SECRET not in "".join(said)


def test_capabilities_are_those_that_are_published(tmp_path):
    body = mass()
    with serving(offered(body), offered(body, "open", linearization=True)) as (place, _):
        shut, open_ = (load(place, n).description.capabilities for n in ("part", "open"))
        assert not shut.can_linearize and not shut.can_serialize and shut.can_restore
        assert open_.can_linearize
        with pytest.raises(dv.CapabilityError, match="mass"):
            run(oscillator(load(place)), estimators={"mass": dv.Costarica()})
        with (
            dv.Session(
                oscillator(load(place)), stop=1.0, controller=dv.FixedStep(0.1), quiet=True
            ) as session,
            pytest.raises(dv.CapabilityError, match="cannot serialize its state"),
        ):
            session.checkpoint(tmp_path / "c")


def test_a_state_leaves_encrypted_and_comes_back_to_another_process(tmp_path):
    pytest.importorskip("cryptography")
    key = tmp_path / "key.pem"
    key.write_text("any key, as long as it is the same")
    body, given = mass(), {"controller": dv.FixedStep(0.05), "quiet": True}
    whole = run(oscillator(body))
    with serving(offered(body, seal=Seal(str(key)), state=True)) as (place, _):
        with dv.Session(oscillator(load(place)), stop=0.5, **given) as session:
            session.run(checkpoint=tmp_path / "half")
        talk = asked(place)
        talk.plain(FrameKind.OPEN, {"part": "part"})
        talk.ask(FrameKind.START, start_bytes([], 0.0, {}, False))
        talk.ask(FrameKind.BEGIN, b"")
        answered, data = talk.ask(FrameKind.CALL, codec.encode(["dump"]))
        state = value_of(answered - FrameKind.ANSWER, data)
        assert isinstance(state, bytes) and b"array" not in state
        broken = state[:-1] + bytes([state[-1] ^ 1])
        answered, data = talk.ask(*call_bytes("load", (broken,)))
        with pytest.raises(dv.InputError, match="not one of this part"):
            value_of(answered - FrameKind.ANSWER, data)
        talk.wire.close()
    with serving(offered(body, seal=Seal(str(key)), state=True)) as (place, _):  # started again
        resumed = dv.simulate(
            oscillator(load(place)), stop=1.0, step=0.05, quiet=True, resume=tmp_path / "half"
        )
    assert resumed["mass.x"][-1] == whole["mass.x"][-1]


# A folder -------------------------------------------------------------------------------------

MODELS = """
import dovetail as dv
mass = dv.Dynamic(states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"],
                  parameters={"m": 2.0}, derivatives=lambda t, x, u, p: [x.v, u.force / p.m])
spring = dv.Algebraic(inputs=["x"], outputs=["force"], function=lambda t, u, p: [-8.0 * u.x])
_private = mass
"""
SYSTEM = """
dovetail: 1
parts: {mass: models.py:mass, spring: models.py:spring}
connections: [mass.x -> spring.x, spring.force -> mass.force]
run: {step: 0.01}
"""


@pytest.fixture
def folder(tmp_path, archive):
    place = tmp_path / "parts"
    place.mkdir()
    (place / "models.py").write_text(MODELS)
    (place / "car.yaml").write_text(SYSTEM)
    (place / "broken.fmu").write_bytes(b"no FMU")
    (place / "notes.md").write_text("nothing")
    shutil.copy(archive("linear"), place / "pump.fmu")
    return place


def test_a_folder_offers_its_fmus_models_and_systems(folder):
    noted = []
    found = offers_in(folder, Seal(None), noted.append)
    assert set(found) == {"mass", "spring", "car", "pump"}
    assert len(noted) == 1 and "'broken.fmu' is not offered" in noted[0]
    with serving(*found.values()) as (place, _):
        listed = dv.parts(place)
        assert [p.name for p in listed] == ["car", "mass", "pump", "spring"]
        assert [p.name for p in dv.parts(place, "MP")] == ["pump"]
        pump = listed[2].load().description
        assert pump.outputs == dv.load(folder / "pump.fmu").description.outputs
        system, there = dv.System("s"), dv.System("s")
        system.add("car", dv.Nested(dv.open(folder / "car.yaml"), controller=dv.FixedStep(0.01)))
        there.add("car", load(place, "car"))
        assert np.array_equal(run(system)["car.mass.x"], run(there)["car.mass.x"])


def test_what_is_published_stands_beside_the_models(folder):
    (folder / "publish.yaml").write_text("""
pump.fmu:
  name: feed pump
  description: A pump of 1982
  inputs: [u]
  outputs: {flow: {variable: y, description: what comes out}}
  parameters: {a: How it decays, b: {default: 0.5}}
  values: {drive: 1.0}
  linearization: true
models.py:spring: false
broken.fmu: false
""")
    offers = offers_in(folder, Seal(None), pytest.fail)
    assert set(offers) == {"feed pump", "mass", "car"}
    with serving(*offers.values()) as (place, _):
        pump = dv.parts(place, "1982")[0]
        assert pump.address == f"{place}/feed%20pump"
        model = pump.load()
        assert [v.name for v in model.description.outputs] == ["flow"]
        assert model.description.parameters[0].description == "How it decays"
        assert model.description.capabilities.can_linearize
        system, here = dv.System("s"), dv.System("s")
        system.add("p", model, u=0.3)
        here.add("p", dv.load(folder / "pump.fmu"), b=0.5, drive=1.0, u=0.3)
        assert np.array_equal(run(system)["p.flow"], run(here)["p.y"])


WRONG = {
    "pump.fmu: {nome: x}": "there is no 'nome'. Did you mean 'name'?",
    "pump.fmu: {outputs: [z9]}": "outputs: there is no 'z9' among them.",
    "pump.fmu: {values: {u: high}}": "the value of 'u' must be a real value",
    "pump.fmu: {state: maybe}": "'state' is true or false",
    "pump.fmu: {outputs: {y: {start: 1}}}": "'y' has no 'start'",
    "pump.fmu: {inputs: {y2: {variable: u}}, outputs: {y2: {variable: y}}}": "under one name",
    "pumps.fmu: true": "there is no model 'pumps.fmu' beside it. Did you mean 'pump.fmu'?",
    "pump.fmu: [u]": "is true, false, or a mapping",
    "pump.fmu: {name: mass}": "two models would be offered as 'mass'",
    "broken.fmu: true": "broken.fmu",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_publication_that_is_wrong_is_refused_before_anything_is_served(folder, text):
    (folder / "publish.yaml").write_text(text)
    with pytest.raises(dv.FileError, match=re.escape(WRONG[text])):
        offers_in(folder, Seal(None), lambda line: None)


# Faults ---------------------------------------------------------------------------------------


def after(when, trouble):
    def rates(t, x, u, p):
        if t > when:
            trouble()
        return [x.v, u.force / 2.0]

    return dv.Dynamic(
        states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"], derivatives=rates
    )


def test_a_part_that_dies_there_costs_its_host_and_not_the_server():
    body = after(0.5, lambda: os.kill(os.getpid(), signal.SIGSEGV))
    with serving(offered(body), offered(spring(), "spring")) as (place, _):
        with pytest.raises(dv.PartFailed) as caught:
            run(oscillator(load(place)))
        assert "part 'mass' failed while advancing" in str(caught.value)
        assert "was ended by a segmentation fault (SIGSEGV)" in str(caught.value)
        assert caught.value.result.time[-1] == pytest.approx(0.5)
        assert len(dv.parts(place)) == 2


def test_a_call_that_takes_too_long_is_an_error_by_name():
    body = after(0.5, lambda: time.sleep(60.0))
    with serving(offered(body)) as (place, _):
        begin = time.monotonic()
        with pytest.raises(dv.HostFailed, match="part 'mass' failed while advancing") as caught:
            run(oscillator(load(place, timeout=1.0)))
        assert time.monotonic() - begin < 20.0
        assert f"did not answer within 1 s, at {place}" in str(caught.value)
        assert caught.value.window.start == pytest.approx(0.5)
        assert set(caught.value.inputs) == {"force"}
    said = pytest.raises(dv.PartFailed, match="it did not answer within 1 s")
    with serving(offered(body), timeout=1.0) as (place, _), said:
        run(oscillator(load(place)))


def test_a_server_that_goes_away_ends_the_run_and_keeps_the_result():
    with serving(offered(mass())) as (place, _):
        system = oscillator(load(place))
        session = dv.Session(system, stop=1.0, controller=dv.FixedStep(0.05), quiet=True)
        session.__enter__()
        for _ in range(4):
            session.advance()
    with session, pytest.raises(dv.HostFailed) as caught:
        session.run()
    error = caught.value
    assert str(error).startswith("part 'mass' failed while ")
    assert f" at t = 0.2 s: the connection to it was lost, at {place}, " in str(error)
    assert error.result.time[-1] == pytest.approx(0.2)
    with pytest.raises(Unreachable, match="no server listens there; start one"):
        load(place)


def test_a_part_that_has_changed_is_not_taken_for_the_same():
    with serving(offered(mass())) as (place, _):
        model = load(place)
    from machines import HERE

    from dovetail.machines.server import PartServer

    port = Address.parse(place).port
    other = {"part": offered(spring())}
    said = pytest.raises(Unreachable, match="another one than when it was loaded; load it again")
    with PartServer(Address(HERE.host, port), Access(), other, insecure=True), said:
        run(oscillator(model))


def test_what_is_not_there_is_a_sentence():
    with serving(offered(mass())) as (place, _):
        with pytest.raises(Unreachable, match="no part 'pump' is offered here; there are 'part'"):
            load(place, "pump")
        with pytest.raises(dv.OptionError, match="'tokne' is no option of a part elsewhere"):
            load(place, tokne="x")
        with pytest.raises(dv.OptionError, match="names no part"):
            dv.load(place)
        with pytest.raises(dv.OptionError, match="names a part; leave it out"):
            dv.parts(f"{place}/part")
    for text in ("dovetail://", "dovetail://a b/c", "dovetail://lab:99999/x"):
        with pytest.raises(dv.OptionError, match="is no address; an address is dovetail://HOST"):
            dv.load(text)


def test_a_drawing_keeps_the_address_and_no_token(tmp_path):
    with serving(offered(mass(), "heavy mass")) as (place, _):
        system = oscillator(dv.load(f"{place}/heavy%20mass", timeout=30.0), None)
        system.remove("spring")
        system.save(tmp_path / "s.yaml")
        text = (tmp_path / "s.yaml").read_text()
        assert f"{place}/heavy%20mass" in text and "timeout: 30" in text
        again = dv.open(tmp_path / "s.yaml")
        assert again.fingerprint() == system.fingerprint()
        again.save(tmp_path / "t.yaml")
        assert (tmp_path / "t.yaml").read_text() == text.replace("name: s", "name: s")
    token = "a-token-of-many-letters"
    with serving(offered(mass()), access=Access(token=token)) as (place, _):
        system = dv.System("s")
        system.add("mass", load(place, token=token))
        with pytest.raises(dv.DrawingError, match="token=, which no file should hold"):
            system.save(tmp_path / "u.yaml")
        assert token not in repr(system.parts["mass"])


def test_the_command_lists_parts(capsys):
    from dovetail.cli.main import main

    with serving(offered(mass(), "pump", text="A feed pump")) as (place, _):
        assert main(["parts", place]) == 0
        out = capsys.readouterr().out
        assert "pump: A feed pump" in out and f"{place}/pump" in out
        assert main(["parts", place, "valve", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["parts"] == []


def test_a_pickle_crosses_no_border():
    """What talks to other machines knows of no pickle, in either direction."""
    rooms = Path(dv.__file__).parent
    for path in (rooms / "machines").glob("*.py"):
        assert "pickle" not in path.read_text(), path


@pytest.mark.parametrize("kind", ["ssp", "ssd"])
def test_a_component_of_an_ssp_may_be_at_an_address(kind, tmp_path):
    token = tmp_path / "token.txt"
    token.write_text("a-token-of-many-letters")
    access = Access(token_file=str(token))
    with serving(offered(mass(), "heavy mass"), access=access) as (place, _):
        system = dv.System("s")
        body = dv.load(f"{place}/heavy%20mass", token_file=str(token), timeout=30.0)
        system.add("mass", body, m=3.0)
        system.save(tmp_path / f"s.{kind}")
        again = dv.open(tmp_path / f"s.{kind}")
        assert again.fingerprint() == system.fingerprint()
        assert again.parts["mass"].values["m"] == 3.0
        here = dv.System("s")
        here.add("mass", mass(), m=3.0)
        assert np.array_equal(run(here)["mass.x"], run(again)["mass.x"])
    with pytest.raises(dv.InputError, match="no server listens there; start one"):
        dv.open(tmp_path / f"s.{kind}")


def test_derivatives_for_many_unknowns_of_a_junction_are_one_question(monkeypatch):
    """y^(r-1)(z): parts of a junction on other machines, in hosts and here give the same bits."""
    from dovetail.machines.asked_link import AskedLink

    def tank(level):
        return dv.Dynamic(
            states={"h": level},
            inputs=["m"],
            outputs=["p"],
            derivatives=lambda t, x, u, p: [u.m],
            output=lambda t, x, u, p: [9.81 * x.h],
            output_derivatives=[lambda t, x, u, p: [9.81 * u.m]],
            feedthrough=False,
            ports={"end": dv.Port("fluid", effort="p", flow="m")},
            units={"p": "Pa", "m": "kg/s"},
        )

    def drawing(models):
        system = dv.System("tanks")
        for k, model in enumerate(models):
            system.add(f"t{k}", model)
        law = dv.SlidingMode(time_scale=0.1, moves=3)
        system.join(*(f"t{k}.end" for k in range(len(models))), coordinator=law)
        return system

    asked = []
    tell = AskedLink.tell
    monkeypatch.setattr(
        AskedLink, "tell", lambda self, *given: asked.append(given) or tell(self, *given)
    )
    models, ways = [tank(1.0), tank(2.0), tank(4.0)], {"algorithm": dv.GaussSeidel(), "stop": 0.2}
    here = run(drawing(models), **ways)
    hosts = {"*": dv.Isolated()}
    assert np.array_equal(here["t0.p"], run(drawing(models), placement=hosts, **ways)["t0.p"])
    with serving(*(offered(m, f"t{k}") for k, m in enumerate(models))) as (place, _):
        there = run(drawing([load(place, f"t{k}") for k in range(3)]), **ways)
    assert all(np.array_equal(here[name], there[name]) for name in here.names)
    many = [given for given in asked if b"outputs_at" in given[1]]
    assert many, "differences for all unknowns at once"
