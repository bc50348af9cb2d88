"""The fixed list of classes that checkpoints hold."""

import json
import subprocess
import sys
import zlib
from base64 import b64decode
from dataclasses import is_dataclass

import junction_problems
import problems
import pytest
from catalogue import algorithms, controllers, driven, estimators, models, pair, suited

import dovetail as dv
from dovetail.core import codec
from dovetail.core.stored import STORED, class_of, fields_of, name_of
from dovetail.core.typed import is_of

# Stored by nobody of ours: values that algorithms and parts of users may keep.
FOR_USERS = {"window", "tolerance", "reached"}


@pytest.mark.parametrize("name", STORED)
def test_every_entry_is_a_dataclass_that_can_be_made_from_its_fields(name):
    cls = class_of(name)
    assert isinstance(cls, type) and is_dataclass(cls)
    assert name_of(cls) == name
    for field, hint in fields_of(name).values():
        assert field.init
        is_of(object(), hint)  # a type that is understood


def test_no_class_is_listed_twice():
    assert len(set(STORED.values())) == len(STORED)


@pytest.mark.parametrize("cls", [dv.GaussSeidel, dv.FixedStep, dv.Session, int, codec.__class__])
def test_other_classes_have_no_name(cls):
    assert name_of(cls) is None


def test_a_class_of_the_same_name_elsewhere_has_none():
    class Window: ...

    Window.__module__, Window.__qualname__ = "elsewhere.core.window", "Window"
    assert name_of(Window) is None


def test_decoding_finds_classes_that_were_not_loaded_before():
    code = """
        import sys
        from dovetail.core import codec
        text = b'{"$":"class","name":"miss","fields":{"error":1.0,"order":2,"place":0}}'
        assert "dovetail.controllers" not in sys.modules
        print(codec.decode(text))
        """
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Miss(error=1.0")


def names_in(plain):
    """Names of classes in a tree of JSON, also inside the bytes that parts wrote."""
    if isinstance(plain, list):
        return {name for inner in plain for name in names_in(inner)}
    if not isinstance(plain, dict):
        return set()
    found = {plain["name"]} if plain.get("$") == "class" else set()
    if plain.get("$") == "bytes":
        inside = b64decode(plain["data"])
        found |= names_in(json.loads(inside)) if inside.startswith((b"{", b"[")) else set()
    return found | {name for inner in plain.values() for name in names_in(inner)}


def stored_by(system, algorithm, controller, path, monkeypatch, **more):
    """The classes in checkpoints of every window of a run."""
    seen, plain = set(), codec.encode

    def encode(value):
        data = plain(value)
        seen.update(names_in(json.loads(data)))
        return data

    options = {"algorithm": algorithm, "controller": controller, "quiet": True, **more}
    with monkeypatch.context() as patched, dv.Session(system, stop=0.4, **options) as session:
        patched.setattr(codec, "encode", encode)
        for k, _ in enumerate(session):
            if k % 3 == 1:
                session.checkpoint(path)
        session.checkpoint(path)
    return seen


def test_the_list_is_what_checkpoints_of_the_whole_catalogue_hold(tmp_path, monkeypatch):
    """Nothing is missing, or a run would be refused; and nothing is listed for nothing."""
    path, seen = tmp_path / "c", set()

    def run(system, algorithm, controller, **more):
        seen.update(stored_by(system, algorithm, controller, path, monkeypatch, **more))

    for algorithm in algorithms:
        run(problems.two_mass_system(), algorithm, controllers[0])
    for controller in controllers:
        run(problems.sampled_masses_system(), suited(controller), controller)
    for estimator in estimators:
        both = {"left": estimator, "right": estimator}
        algorithm = dv.GaussSeidel(20 if estimator.repeatable else 1, inputs="ramp")
        run(problems.two_mass_system(), algorithm, controllers[0], estimators=both)
    for sample in models:
        run(driven(sample)(), dv.GaussSeidel(inputs="ramp"), controllers[0])
    run(junction_problems.two_capacitors(), dv.Newton(inputs="ramp"), dv.FixedStep(0.01))
    run(problems.two_mass_system(), dv.GaussSeidel(), dv.StepDoubling(1e-3, scale="range"))
    few = dv.GaussSeidel(3, rtol=1e-9, atol=1e-9)  # windows are cut until three sweeps are enough
    run(problems.two_mass_system(), few, dv.FixedStep(0.1))
    run(problems.unannounced_system(), dv.GaussSeidel(), dv.StepDoubling(1e-3))
    tight = dv.Defect(rtol=1e-6, atol=1e-6, first_size=0.1, min_size=0.05)
    run(problems.two_mass_system(), dv.GaussSeidel(), tight)
    with dv.Session(pair(), stop=1.0, controller=dv.FixedStep(0.1), quiet=True) as session:
        session.set("left.k", 2.0)
        session.advance()
        session.checkpoint(path)
    data = zlib.decompress(path.read_bytes().partition(b"\n")[2])
    seen |= names_in(json.loads(data))
    assert set(STORED) - seen - FOR_USERS == set()
