"""FMUs in hosts, stepped by native code there: the bits and the counts of one process."""

from __future__ import annotations

import ctypes as c
import sys
import time

import pytest
from conformance.conftest import called_by
from conformance.fleet import ring, same
from conformance.test_curves import knotted
from conformance.test_native_windows import NATIVE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")

DOUBLING = dv.StepDoubling(1e-4, 1e-4, first_size=0.5, max_size=0.6)
CONTROLLERS = [
    dv.FixedStep(0.1),
    DOUBLING,
    dv.InputDefect(),
    dv.Adaptive(0.05),
    dv.ErrorCheck(0.05, 1e-4, 1e-4),
]
TOGETHER = {"*": dv.LocalHost()}
EACH = {"*": dv.Isolated()}
MIXED = {"p0": None, "p*": dv.LocalHost()}
HALVES = {"p0": dv.LocalHost("a"), "p2": dv.LocalHost("a"), "p*": dv.LocalHost("b")}


def run(system, placement, **options):
    options = {"stop": 2.04, "algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), **options}
    with dv.Session(system, placement=placement, quiet=True, **options) as session:
        return session.run()


def runs_like_here(system, placement, **options):
    """The same rows, work and verdict as in one process, and as many windows in native code."""
    hosted, here = run(system, placement, **options), run(system, {"*": None}, **options)
    assert hosted.statistics.native_windows == here.statistics.native_windows
    assert same(hosted, here)
    return hosted


@pytest.mark.parametrize("placement", [TOGETHER, EACH, MIXED, HALVES], ids="1nmh")
@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_run_in_hosts_is_native_and_has_the_bits_of_one_process(fmu, version, placement):
    for algorithm in (dv.Jacobi(), dv.GaussSeidel()):
        found = runs_like_here(ring(fmu("linear", version)), placement, algorithm=algorithm)
        assert found.statistics.native_windows == found.statistics.windows == 21


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(20), dv.GaussSeidel(20), dv.Newton()], ids=repr)
def test_iterations_roll_back_in_hosts(fmu, version, algorithm):
    found = runs_like_here(ring(fmu("linear", version)), HALVES, algorithm=algorithm)
    assert found.statistics.native_windows == 21


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
def test_curves_and_ramps_reach_hosts(fmu, algorithm):
    model = fmu("linear", 2, input_derivatives=3)
    where = {"a": dv.LocalHost("one"), "c": dv.LocalHost("two"), "*": None}
    assert runs_like_here(knotted(model), where, algorithm=algorithm).statistics.native_windows


@pytest.mark.parametrize("controller", CONTROLLERS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.Jacobi(20)], ids=repr)
def test_sizes_are_chosen_as_in_one_process(fmu, algorithm, controller):
    iterates, by_it = algorithm.repeats, isinstance(controller, dv.Adaptive)
    if by_it != iterates and (by_it or isinstance(controller, dv.InputDefect)):
        controller = dv.StepDoubling(1e-5, 1e-5, first_size=0.2, min_size=0.02)
    ways = {"algorithm": algorithm, "controller": controller}
    found = runs_like_here(ring(fmu("linear", 2)), MIXED, **ways)
    assert found.statistics.native_windows > 0


step = st.tuples(st.sampled_from(["advance", "python", "mark", "set", "run"]), st.integers(1, 4))


@given(steps=st.lists(step, max_size=6))
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_however_native_and_other_calls_are_mixed_the_bits_are_the_same(fmu, steps):
    """What waits for the next step reaches the host before anything else that is asked of it."""

    def walked(placement):
        ways = {"algorithm": dv.GaussSeidel(20), "controller": dv.FixedStep(0.1), "quiet": True}
        with dv.Session(ring(fmu("linear", 2)), stop=3.0, placement=placement, **ways) as session:
            for what, amount in steps:
                if session.finished:
                    break
                fused = session._loop._fused
                if what == "set":
                    session.set("p1.a", -0.1 * amount)
                elif what == "mark":
                    assembly = session.assembly
                    assembly.restore(assembly.mark())
                elif what == "python":
                    session._loop._fused = None
                for _ in range(amount if what != "mark" else 0):
                    if not session.finished:
                        session.advance()
                session._loop._fused = fused
            return session.run() if not session.finished else session.result

    with called_by("native"):
        assert same(walked(HALVES), walked({"*": None}))


def questions(session):
    """How often each host was asked through shared memory."""
    hosts = session.assembly.batch._hosted._hosts
    blocks = {host.name: members._block for host, members in hosts.items()}
    return {name: c.c_uint32.from_address(b.address).value for name, b in blocks.items()}


@pytest.mark.parametrize(
    ("algorithm", "placement", "each"),
    [
        (dv.Jacobi(), TOGETHER, {"host": 1}),
        (dv.Jacobi(), EACH, {"p0": 1, "p1": 1, "p2": 1}),
        (dv.Jacobi(), MIXED, {"host": 1}),
        (dv.Jacobi(extrapolation=1), TOGETHER, {"host": 1}),
        (dv.GaussSeidel(), TOGETHER, {"host": 1}),
        (dv.GaussSeidel(), MIXED, {"host": 1}),
        (dv.GaussSeidel(), HALVES, {"a": 2, "b": 1}),
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, dv.Jacobi | dv.GaussSeidel) else "",
)
def test_a_window_is_as_few_messages_as_its_order_allows(fmu, algorithm, placement, each):
    ways = {"algorithm": algorithm, "controller": dv.FixedStep(0.01), "quiet": True}
    with dv.Session(ring(fmu("linear", 2)), stop=2.0, placement=placement, **ways) as session:
        session.advance()
        before = questions(session)
        for _ in range(20):
            session.advance()
        after = questions(session)
    wanted = {name: 20 * messages for name, messages in each.items()}
    assert {name: after[name] - before[name] for name in after} == wanted


def test_what_is_saved_and_brought_back_takes_no_message_of_its_own(fmu):
    """One for each iteration, whatever has to be rolled back for it; all hosts alike."""
    ways = {"algorithm": dv.Jacobi(20), "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(ring(fmu("linear", 2)), stop=2.0, placement=HALVES, **ways) as session:
        session.advance()
        before, iterations = questions(session), session.counts.iterations
        for _ in range(5):
            session.advance()
        after, iterations = questions(session), session.counts.iterations - iterations
    assert {after[name] - before[name] for name in after} == {iterations}


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(20)], ids=repr)
def test_gains_inside_a_host_are_those_of_wires(fmu, algorithm):
    system = dv.System("chain")
    for k in range(4):
        system.add(f"p{k}", fmu("linear", 2), x=1.0 + 0.3 * k, a=-1.0 - 0.1 * k, b=0.5, u=0.7)
    system.connect("p0.y", "p1.u", gain=0.3, offset=0.1)
    system.connect("p1.y", "p2.u", gain=-1.7)
    system.connect("p3.y", "p0.u", gain=0.9, offset=-0.2)
    where = {"p3": None, "*": dv.LocalHost()}
    ways = {"algorithm": algorithm, "record": ["*", "p*.u"]}
    runs_like_here(system, where, **ways)
    runs_like_here(system, TOGETHER, **ways)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.Jacobi(2, on_limit="accept")], ids=repr)
def test_hosts_step_at_the_same_time(archive, algorithm):
    """Steps that sleep for 0.2 s: three hosts take little more than one, iteration by iteration."""
    system = dv.System("sleepers")
    for k in range(3):
        system.add(f"p{k}", dv.load(archive("slows", 2)), at=0.1)
    for k in range(3):
        system.connect(f"p{k}.y", f"p{(k + 1) % 3}.u", gain=0.0)  # one iteration is enough
    ways = {"algorithm": algorithm, "controller": dv.FixedStep(0.1), "quiet": True}
    took = []
    with dv.Session(system, stop=0.6, placement=EACH, **ways) as session:
        session.advance()
        for _ in range(3):
            begin = time.monotonic()
            session.advance()
            took.append(time.monotonic() - begin)
        assert session.statistics.native_windows == 4
    assert 0.2 <= min(took) < 0.55  # 0.6 one after another; a busy machine may stall one of them


def told(system, placement):
    """What a session is told, and what a check says before it."""
    ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(system, stop=0.3, placement=placement, **ways) as session:
        session.run()
        assert (session.statistics.native_windows > 0) == (session.native.level == "windows")
        return str(session.native)


def test_the_decision_says_what_of_a_host_is_native(fmu):
    assert told(ring(fmu("linear", 2)), EACH) == "runs natively"
    again = told(ring(fmu("linear", 2)), dv.LocalHost(restart=1))
    assert "part 'p0' (and 2 more) lives in a host that may be started again" in again
    system = dv.System("s")
    system.add("part", fmu("vanderpol", 2, co_simulation=False))
    solved = told(system, EACH)
    assert "part 'part' lives in a host, and its equations are solved there" in solved
