"""A run that goes on from a file, to the last bit."""

import subprocess
import sys
import textwrap
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import problems
import pytest
from catalogue import algorithms, brief, controllers, driven, models, pair, suited

import dovetail as dv
from dovetail.core import codec
from dovetail.core.signals import Signals
from dovetail.drawing.fingerprint import digest
from dovetail.run.checkpoint import FORMAT, Checkpoint
from dovetail.run.identity import identity, is_same, shown


def run(system, stop, algorithm, controller, **more):
    options = {"algorithm": algorithm, "controller": controller, "quiet": True, **more}
    return dv.Session(system, stop=stop, **options)


def resumed(draw, stop, algorithm, controller, path, after, **more):
    """Half a run, then the other half in another session."""
    with run(draw(), stop, algorithm, controller, **more) as first:
        for step in first:
            if step.time >= after:
                first.checkpoint(path)
                break
    with run(draw(), stop, algorithm, controller, resume=path, **more) as second:
        assert second.time == first.time
        return second.run()


def same(result, whole):
    assert np.array_equal(result.time, whole.time)
    assert result.names == whole.names
    for name in whole:
        assert np.array_equal(result[name], whole[name]), name
    a, b = result.statistics, whole.statistics
    for figure in ("windows", "evaluations", "iterations", "events", "evaluations_by_part"):
        assert getattr(a, figure) == getattr(b, figure), figure
    for figure in ("rejected_by_error", "rejected_by_convergence", "iteration_limit_reached"):
        assert getattr(a, figure) == getattr(b, figure), figure
    assert result.verdict == whole.verdict
    assert result.finished


PAIRS = [  # every algorithm with fixed and adaptive windows, every controller with one that suits
    *((a, c) for a in algorithms for c in controllers[:3]),
    *((suited(c), c) for c in controllers[3:]),
]


@pytest.mark.parametrize(
    ("algorithm", "controller"), [pytest.param(*p, id="-".join(map(brief, p))) for p in PAIRS]
)
def test_a_resumed_run_is_the_whole_run(algorithm, controller, tmp_path):
    """Two masses, and a sampled loop with a jump: with and without events."""
    for draw, stop in (
        (problems.two_mass_system, 0.5),
        (problems.sampled_masses_system, 0.5),
    ):
        with run(draw(), stop, algorithm, controller) as session:
            whole = session.run()
        same(resumed(draw, stop, algorithm, controller, tmp_path / "c", 0.25), whole)


@pytest.mark.parametrize("after", [0.25, 0.33])
@pytest.mark.parametrize("sample", models, ids=brief)
def test_every_kind_of_model_goes_on_where_it_was(sample, after, tmp_path):
    options = (0.7, dv.GaussSeidel(inputs="ramp"), dv.FixedStep(0.05))
    with run(driven(sample)(), *options) as session:
        whole = session.run()
    same(resumed(driven(sample), *options, tmp_path / "c", after), whole)


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrow"])
def test_a_file_recorder_goes_on_in_its_file(suffix, tmp_path):
    draw = problems.control_loop_system
    options = (0.8, dv.GaussSeidel(), dv.FixedStep(0.05))
    with run(draw(), *options) as session:
        whole = session.run()
    recorder = dv.File(tmp_path / f"run.{suffix}")
    found = resumed(draw, *options, tmp_path / "c", 0.4, recorder=recorder)
    same(found, whole)
    read = dv.read(tmp_path / f"run.{suffix}")
    assert np.array_equal(read.time, whole.time)
    assert np.array_equal(read["plant.y"], whole["plant.y"])


def test_a_run_may_go_on_beyond_its_first_stop(tmp_path):
    draw, algorithm, controller = problems.prey_predator_system, dv.GaussSeidel(), dv.FixedStep(0.1)
    with run(draw(), 0.5, algorithm, controller) as first:
        first.run()
    with run(draw(), 0.5, algorithm, controller) as first:
        list(first)
        first.checkpoint(tmp_path / "c")
    with run(draw(), 1.0, algorithm, controller, resume=tmp_path / "c") as second:
        found = second.run()
    with run(draw(), 1.0, algorithm, controller) as session:
        whole = session.run()
    assert np.array_equal(found["prey.x"], whole["prey.x"])


def test_many_checkpoints_of_one_run_are_all_good(tmp_path):
    options = (0.5, dv.GaussSeidel(5), dv.FixedStep(0.1))
    with run(problems.prey_predator_system(), *options) as session:
        for k, _ in enumerate(session):
            session.checkpoint(tmp_path / str(k))
        whole = session.result
    for k in range(5):
        again = run(problems.prey_predator_system(), *options, resume=tmp_path / str(k)).run()
        assert np.array_equal(again["prey.x"], whole["prey.x"])


def test_a_checkpoint_before_the_first_window(tmp_path):
    options = (0.5, dv.GaussSeidel(), dv.FixedStep(0.1))
    with run(problems.prey_predator_system(), *options) as session:
        session.checkpoint(tmp_path / "c")
        whole = session.run()
    same(run(problems.prey_predator_system(), *options, resume=tmp_path / "c").run(), whole)


# Another run --------------------------------------------------------------------------------


def written(tmp_path, **more):
    options = {"algorithm": dv.GaussSeidel(), "controller": dv.FixedStep(0.1), **more}
    with dv.Session(problems.prey_predator_system(), stop=1.0, **options) as session:
        session.advance()
        session.checkpoint(tmp_path / "c")
    return tmp_path / "c"


def refused(path, match, system=None, **more):
    options = {
        "stop": 1.0,
        "algorithm": dv.GaussSeidel(),
        "controller": dv.FixedStep(0.1),
        "resume": path,
        **more,
    }
    with pytest.raises(dv.OptionError, match=match):
        dv.Session(system or problems.prey_predator_system(), **options)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = written(tmp_path)
    refused(path, "another drawing", problems.two_mass_system())
    refused(path, r"made with GaussSeidel\(max_iterations=1", algorithm=dv.GaussSeidel(2))
    refused(path, r"made with GaussSeidel\(.*rtol=1e-05", rtol=1e-7)
    refused(path, r"made with FixedStep\(size=0\.1", controller=dv.FixedStep(0.2))
    refused(path, "started at 0 s", start=-1.0)
    refused(path, "records other variables", record="prey.x")
    refused(path, "behind the stop at 0.05 s", stop=0.05)


def changed(**how):
    system = dv.System("predation")
    x0 = how.pop("x0", None)
    system.add("prey", problems.Species(2 / 3, how.pop("gain", -4 / 3), 1.0))
    system.add("predator", problems.Species(-1.0, 1.0, 1.0), **({"x0": x0} if x0 else {}))
    system.connect("prey.x", "predator.u", **how)
    system.connect("predator.x", "prey.u")
    return system


@pytest.mark.parametrize(
    "how", [{"gain": -4.1 / 3}, {"offset": 0.1}, {"x0": 2.0}], ids=["parameter", "wire", "start"]
)
def test_a_drawing_that_differs_in_one_number_is_another_one(how, tmp_path):
    assert changed().fingerprint() == problems.prey_predator_system().fingerprint()
    refused(written(tmp_path), "another drawing", changed(**how))


def one(function):
    system = dv.System("one")
    system.add("it", dv.Source(outputs=["y"], function=function))
    return system.fingerprint()


def test_functions_count_by_what_they_do():
    def made(k):
        return lambda t, p: [k * t]

    assert one(lambda t, p: [2 * t]) == one(lambda t, p: [2 * t])
    assert one(lambda t, p: [2 * t]) != one(lambda t, p: [3 * t])
    assert one(made(2)) == one(made(2))
    assert one(made(2)) != one(made(3))
    assert one(lambda t, p, k=2: [k * t]) != one(lambda t, p, k=3: [k * t])


def scaled(t, p, k=1.0):
    return [k * t]


class Scaled:
    def __init__(self, k):
        self.k = k

    def __call__(self, t, p):
        return [self.k * t]

    def method(self, t, p):
        return [self.k * t]


@pytest.mark.parametrize(
    "make",
    [
        lambda k: partial(scaled, k=k),
        lambda k: Scaled(k).method,
        Scaled,
        lambda k: dict(enumerate(_keyword_only(k)))[0],
    ],
    ids=["partial", "method", "callable", "keyword default"],
)
def test_other_callables_count_by_what_they_do(make):
    assert one(make(2.0)) != one(make(3.0))


def _keyword_only(value):
    def function(t, p, *, k=value):
        return [k * t]

    return [function]


def test_states_in_another_order_are_another_drawing():
    def fingerprint(states):
        system = dv.System("order")
        model = dv.Dynamic(states=states, outputs=["x"], derivatives=lambda t, x, u, p: [1.0, 2.0])
        system.add("it", model)
        return system.fingerprint()

    assert fingerprint({"x": 0.0, "v": 0.0}) != fingerprint({"v": 0.0, "x": 0.0})


def test_the_fingerprint_is_the_same_in_another_process():
    """Also where a function holds a set, whose order is another one each time."""
    script = textwrap.dedent(
        """
        import dovetail as dv
        system = dv.System("s")
        source = dv.Source(
            outputs=["y"],
            parameters={"mode": "a"},
            function=lambda t, p: [1.0 if p.mode in {"a", "b", "c", "d"} else 0.0],
        )
        system.add("it", source)
        print(system.fingerprint())
        """
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(found) == 1


# Files --------------------------------------------------------------------------------------


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(dv.FileError, match="nowhere: there is no such file"):
        Checkpoint.read(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("1", r"written by Dovetail 0\.1, .*; go on with Dovetail 0\.1, or begin anew$"),
        ("2", r"written by Dovetail 0\.1, .*; go on with Dovetail 0\.1, or begin anew$"),
        (str(FORMAT + 1), "written by a later version of Dovetail; update Dovetail, or begin anew"),
        ("9" * 5000, "written by a later version of Dovetail; update Dovetail, or begin anew"),
        ("0", "damaged: its first line names no format"),
        ("-3", "damaged: its first line names no format"),
        ("three", "damaged: its first line names no format"),
        ("", "damaged: its first line names no format"),
    ],
)
def test_a_checkpoint_of_another_version_is_refused(line, match, tmp_path):
    (tmp_path / "c").write_bytes(f"dovetail checkpoint {line}\n".encode() + b"whatever it held")
    with pytest.raises(dv.FileError, match=match):
        Checkpoint.read(tmp_path / "c")


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path):
    (tmp_path / "c").write_text("hello")
    with pytest.raises(dv.FileError, match="it is not a checkpoint of Dovetail"):
        Checkpoint.read(tmp_path / "c")


def test_a_damaged_file_is_refused_wherever_it_is_cut_or_bitten(tmp_path):
    path = written(tmp_path)
    data = path.read_bytes()
    for cut in (30, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(dv.FileError, match="the checkpoint is damaged"):
            Checkpoint.read(path)
    for place in range(25, len(data), 37):
        bitten = bytearray(data)
        bitten[place] ^= 0xFF
        path.write_bytes(bytes(bitten))
        with pytest.raises(dv.FileError):
            Checkpoint.read(path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    session = run(problems.prey_predator_system(), 1.0, dv.GaussSeidel(), dv.FixedStep(0.1))
    with session, pytest.raises(dv.FileError, match="cannot be written: No such file"):
        session.checkpoint(tmp_path / "nowhere" / "c")


def test_a_checkpoint_replaces_the_one_before_or_leaves_it(tmp_path):
    path = written(tmp_path)
    before = path.read_bytes()
    with run(problems.prey_predator_system(), 1.0, dv.GaussSeidel(), dv.FixedStep(0.1)) as session:
        session.advance()
        session.advance()
        session.checkpoint(path)
    assert path.read_bytes() != before
    assert [p.name for p in tmp_path.iterdir()] == ["c"]


def test_parts_that_cannot_be_written_down_are_named_up_front(tmp_path):
    system = problems.prey_predator_system(problems.Blind)
    with run(system, 1.0, dv.GaussSeidel(), dv.FixedStep(0.1)) as session:
        session.advance()
        with pytest.raises(dv.CapabilityError) as caught:
            session.checkpoint(tmp_path / "c")
        assert [s.subsystem for s in caught.value.shortfalls] == ["prey", "predator"]
        assert not (tmp_path / "c").exists()
        session.run()


def test_a_checkpoint_needs_the_recorder_of_its_run(tmp_path):
    path = written(tmp_path)
    refused(path, "knows nothing of", recorder=dv.File(tmp_path / "other.parquet"))
    path = written(tmp_path, recorder=dv.File(tmp_path / "run.parquet"))
    refused(path, "resume with the recorder that the run had")


def test_nested_systems_are_part_of_the_drawing(tmp_path):
    def draw(k):
        inner, outer = pair(), dv.System("outer")
        outer.add("in", dv.Nested(inner), values={"left.k": k})
        return outer

    assert draw(1.0).fingerprint() == draw(1.0).fingerprint()
    assert draw(1.0).fingerprint() != draw(1.5).fingerprint()


# What is the same run ------------------------------------------------------------------------


@dataclass(frozen=True)
class Before:
    depth: int = 5
    solver: Any = dv.rootfinders.Aitken()


Before.__name__ = "After"


@dataclass(frozen=True)
class After:
    depth: int = 5
    solver: Any = dv.rootfinders.Aitken()
    newer: float = 1.0
    made: list = field(default_factory=list)


def test_an_option_that_is_newer_than_the_checkpoint_must_be_as_usual():
    """Later versions may add options, and still go on with what was written before."""
    written = codec.decode(codec.encode(identity(Before())))
    assert is_same(written, Before())
    assert is_same(written, After())
    assert not is_same(written, After(newer=2.0))
    assert not is_same(written, After(made=[1]))
    assert not is_same(written, After(depth=4))
    assert not is_same(written, After(solver=dv.rootfinders.Aitken(max_evaluations=7)))
    assert not is_same(written, After(solver=dv.rootfinders.Anderson()))
    assert not is_same(identity(After()), Before()), "an option that is gone"
    assert shown(written) == repr(Before()).replace("Before(", "After(")


@pytest.mark.parametrize("found", [None, 3, "x", [], ["After"], ["After", 3], [3, {}], {"a": 1}])
def test_what_names_no_algorithm_is_another_one(found):
    assert not is_same(found, After())
    assert isinstance(shown(found), str)


def test_a_field_that_is_as_usual_does_not_count_in_fingerprints():
    """Later versions may add fields to models, and the drawing stays the same."""
    assert digest(After()) == digest(replace(After(), newer=1.0))
    assert digest(After()) != digest(After(newer=2.0))
    Before.__qualname__ = "After"
    assert digest(Before()) == digest(After())
    assert digest(Before(depth=4)) != digest(After())


def test_numbers_of_another_system_go_nowhere(tmp_path):
    """Whoever edits a checkpoint cannot make the kernel write beyond its arrays."""
    found = Checkpoint.read(written(tmp_path))
    one = np.zeros(1)
    for wrong in (
        replace(found, parts=found.parts[:1]),
        replace(found, position=replace(found.position, outputs=Signals(one))),
        replace(found, position=replace(found.position, outputs=Signals(np.zeros((2, 1))))),
        replace(found, position=replace(found.position, outputs=Signals(np.zeros(2), one))),
        replace(found, position=replace(found.position, outputs=Signals(np.zeros(2), None, (1,)))),
    ):
        wrong.write(tmp_path / "wrong")
        refused(tmp_path / "wrong", "of another number of parts or outputs; leave resume= out")
    replace(found, witness=(np.zeros(3), *found.witness[1:])).write(tmp_path / "wrong")
    with pytest.raises(dv.OptionError, match="does not fit this run: its values are not as they"):
        run(
            problems.prey_predator_system(),
            1.0,
            dv.GaussSeidel(),
            dv.FixedStep(0.1),
            resume=tmp_path / "wrong",
        )


@pytest.mark.parametrize("sample", models, ids=brief)
def test_a_part_that_is_given_somebody_elses_state_says_so(sample, tmp_path):
    """Whatever stands in the place of its state: a failure of that part, or a run."""
    options = (0.2, dv.GaussSeidel(inputs="ramp"), dv.FixedStep(0.05))
    with run(driven(sample)(), *options) as session:
        session.advance()
        session.checkpoint(tmp_path / "c")
    found = Checkpoint.read(tmp_path / "c")
    for state in (b"", b"{}", b"[" * 10_000, *map(codec.encode, (None, 3, (), (1, 2), "x"))):
        (time, _, learned), *others = found.parts
        replace(found, parts=[(time, state, learned), *others]).write(tmp_path / "wrong")
        try:
            run(driven(sample)(), *options, resume=tmp_path / "wrong").run()
        except dv.DovetailError as error:
            assert "'it' failed while reading its state" in str(error)
