"""What native code is told: one block of bytes, made in one place, read in one place.

PYTHONPATH=tests python -m conformance.test_plan      writes the plans that are kept
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fuzz.plans import ALGORITHMS, blocks

import dovetail as dv
from dovetail.cli.native_plan import block_of
from dovetail.drawing.run_settings import RunSettings
from dovetail.fmi.kernel import NativeMember, kernel
from dovetail.fmi.native.kernel_batch import batch_of
from dovetail.runplan.layout import HEADER, SECTION, SKIPPABLE
from dovetail.runplan.plan import Calls, ControllerKind, RunPlan, SolverKind
from dovetail.runplan.printing import lines
from dovetail.runplan.reading import read
from dovetail.runplan.writing import digest, sealed, write

from .fleet import ring

KEPT = Path(__file__).parents[1] / "data" / "plans"
NEWTON = ALGORITHMS.index(dv.Newton())


def refusal(plan: RunPlan | bytes, members: int = 6) -> str:
    """What the kernel says against a plan; nothing if it takes it."""
    block = plan if isinstance(plan, bytes) else write(plan)
    library = kernel()
    if library is None:
        pytest.skip("the native kernel is not built")
    try:
        batch = batch_of(library, block, (NativeMember * members)())
    except dv.InputError as error:
        return str(error)
    library.dt_batch_free(batch)
    return ""


def changed(section: str, name: str, place: int, value: float, which: int = NEWTON) -> RunPlan:
    """A plan with another number somewhere."""
    plan = read(blocks()[which])
    old = getattr(plan, section)
    if isinstance(found := getattr(old, name), np.ndarray):
        found = found.copy()
        found[place] = value
    else:
        found = type(found)(value)
    return replace(plan, **{section: replace(old, **{name: found})})


# ---- the same bytes ---------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
def test_a_run_is_told_what_check_shows(fmu, algorithm):
    system = ring(fmu("linear", 2, input_derivatives=3))
    system.run_settings = RunSettings(
        stop=1.0, algorithm=algorithm, controller=dv.FixedStep(0.1), record="p1.*"
    )
    with dv.Session(system, quiet=True) as session:
        assert session.native.level == "windows"
        told = write(session.assembly.batch.plan)
        assert session.run().statistics.native_windows == 10
    assert told == block_of(system)


BY_PYTHON = dv.StepDoubling(extrapolate=True)


def test_so_is_a_run_whose_controller_sizes_windows(fmu):
    system = ring(fmu("linear", 2))
    sized = dv.StepDoubling(rtol=1e-3, max_size=0.5)
    system.run_settings = RunSettings(stop=1.0, algorithm=dv.Jacobi(), controller=sized)
    with dv.Session(system, quiet=True) as session:
        assert session.native.level == "windows"
        told = session.assembly.batch.plan
    assert told.controller.kind == ControllerKind.DOUBLING
    assert (told.controller.rtol, told.controller.max_size, told.controller.rejects) == (
        1e-3,
        0.5,
        1,
    )
    assert write(told) == block_of(system)


def test_so_is_a_run_whose_windows_python_makes(fmu):
    system = ring(fmu("linear", 2))
    system.run_settings = RunSettings(stop=1.0, algorithm=dv.Jacobi(), controller=BY_PYTHON)
    with dv.Session(system, quiet=True) as session:
        assert session.native.level == "steps"
        told = session.assembly.batch.plan
    assert not told.is_run
    assert all(told.members.calls & Calls.ROLLBACK)
    assert write(told) == block_of(system)


def test_the_same_drawing_gives_the_same_bytes_in_every_process():
    script = "from fuzz.plans import *; from dovetail.runplan.writing import digest\n"
    script += "print(*map(digest, blocks()))"
    found = set()
    for seed in ("0", "7"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        environment["PYTHONPATH"] = str(Path(__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.add(done.stdout.strip())
    assert found == {" ".join(map(digest, blocks()))}


@pytest.mark.parametrize("number", range(len(ALGORITHMS)))
def test_and_the_bytes_that_are_kept(number):
    """Whatever the machine: whoever changes a byte of these changes the version as well."""
    assert (KEPT / f"{number}.plan").read_bytes() == blocks()[number]


# ---- the kernel's reader ----------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(ALGORITHMS)))
def test_the_kernel_takes_every_kind(number):
    assert refusal(blocks()[number]) == ""


REFUSED = (
    ("signals", "outputs", 0, -1, "section SIGN of the plan: 'outputs' is -1, not within"),
    ("members", "kind", 1, 9, "section MEMB of the plan: 'kind' [1] is 9, not within 1 to 2"),
    ("members", "kind", 1, 2, "member 1 is of another kind than what is bound to it"),
    ("members", "version", 0, 4, "'version' [0] is 4"),
    ("members", "calls", 1, 4, "member 1 has calls that its version has not"),
    ("members", "in_at", 2, 3, "inputs of member 2 lie where there are none"),
    ("members", "n_out", 5, 2, "outputs of member 5 lie where there are none"),
    ("members", "n_in_refs", 2, 2, "'in_refs' has 10 elements, not 11"),
    ("wires", "target", 1, 0, "'target' [1] is 0: they ascend, up to 11"),
    ("wires", "source", 0, 6, "'source' [0] is 6, not within 0 to 5"),
    ("scheme", "order", 1, 0, "'order' has member 0 twice"),
    ("scheme", "columns", 0, 3, "'columns' is 3"),
    ("recorded", "places", 2, 18, "'places' [2] is 18, not within 0 to 17"),
    ("grid", "size", 0, float("nan"), "section GRID of the plan: 'size' is no such number"),
    ("controller", "kind", 0, 7, "section CTRL of the plan: 'kind' is 7"),
    ("controller", "rtol", 0, -1.0, "section CTRL of the plan: 'rtol' is no such number"),
    ("controller", "max_size", 0, float("nan"), "'max_size' is no such number"),
    ("solver", "limit", 0, 0, "'limit' is 0"),
    ("convergence", "rtol", 0, -1.0, "'rtol' is no such number"),
    ("cycles", "n_members", 0, 9, "its groups have more members than there are"),
    ("cycles", "moves", 0, 2, "section CYCL of the plan: group 0 moves"),
    ("cycles", "places", 0, 2, "'places' of group 0 has 2, not within 0 to 1"),
    ("cycles", "diagonal", 0, 99, "'diagonal' of group 0 has 99"),
    ("cycles", "term_change", 0, 99, "'term_change' of group 0 has 99"),
    ("cycles", "backward", 1, -1, "'backward' of group 0 has -1"),
)


REFUSED_FINDERS = (
    ("finder", "relaxation", 0, float("nan"), "section FIND of the plan: 'relaxation' is no such"),
    ("finder", "depth", 0, -1, "'depth' is -1"),
    ("finder", "reused", 0, 2**30, "'reused' is 1073741824"),
    ("finder", "closing", 1, 2, "'closing' is neither 0 nor 1"),
    ("solver", "kind", 0, 6, "'kind' is 6, not within 0 to 5"),
    ("solver", "kind", 0, 0, "'closing' is for root finders that ask one part after another"),
)


@pytest.mark.parametrize(("section", "name", "place", "value", "said"), REFUSED_FINDERS)
def test_and_of_root_finders(section, name, place, value, said):
    which = len(ALGORITHMS) - 1
    assert said in refusal(changed(section, name, place, value, which))


def test_a_root_finder_belongs_to_what_it_solves():
    plan, newton = read(blocks()[-1]), read(blocks()[NEWTON])
    assert refusal(replace(plan, finder=None)) == (
        "the plan has no section FIND, which its solver needs"
    )
    short = replace(plan.finder, closing=plan.finder.closing[:1])
    assert "'closing' has not one element for each target" in refusal(replace(plan, finder=short))
    alone = replace(newton, solver=None, convergence=None, cycles=None, finder=plan.finder)
    assert "a root finder, and nothing that it solves" in refusal(alone)


@pytest.mark.parametrize(("section", "name", "place", "value", "said"), REFUSED)
def test_the_kernel_says_what_does_not_fit(section, name, place, value, said):
    assert said in refusal(changed(section, name, place, value))


def test_sections_belong_together():
    newton, curves = read(blocks()[NEWTON]), read(blocks()[1])
    assert refusal(replace(newton, solver=None)) == "the plan has no section SOLV"
    assert refusal(replace(newton, grid=None)) == "the plan has no section GRID"
    both = replace(newton, extrapolation=curves.extrapolation)
    assert "iterates and extrapolates" in refusal(both)
    lines_too = replace(curves, scheme=replace(curves.scheme, columns=2))
    assert "extrapolates along straight lines" in refusal(lines_too)
    asked = replace(curves, grid=None, scheme=None, recorded=None, controller=None)
    assert refusal(replace(asked, extrapolation=None)) == ""  # who is asked from outside
    sweeps = replace(newton, solver=replace(newton.solver, kind=int(SolverKind.SWEEPS)))
    assert "group 0 does not say which inputs are moved" in refusal(sweeps)


def with_section(block: bytes, tag: bytes, flags: int) -> bytes:
    more = block + SECTION.pack(tag, flags, 8) + bytes(8)
    count = int.from_bytes(more[12:16], "little") + 1
    head = more[:12] + count.to_bytes(4, "little") + len(more).to_bytes(8, "little")
    return sealed(head + more[24:])


def test_a_section_of_later_days_is_left_out_if_it_may_be():
    block = blocks()[NEWTON]
    later = with_section(block, b"LATE", SKIPPABLE)
    assert refusal(later) == ""
    assert read(later) == read(block)
    assert "  a section that is not known: 8 bytes" in lines(later)
    needed = with_section(block, b"LATE", 0)
    assert refusal(needed) == "the plan has a section LATE, which is not known"
    with pytest.raises(dv.InputError, match="a section LATE, which is not known"):
        read(needed)
    twice = with_section(block, b"WIRE", 0)
    assert refusal(twice) == "the plan has two sections WIRE"
    with pytest.raises(dv.InputError, match="two sections WIRE"):
        read(twice)


def test_both_readers_look_at_the_header():
    block = blocks()[0]
    wrong = {
        "this is no plan of Dovetail": b"FMUs" + block[4:],
        "the plan is of version 2, and 1 is known": block[:8] + b"\2\0\0\0" + block[12:],
        "the plan says it has": block + bytes(8),
        "the plan is damaged: its checksum is another": block[:-1] + b"\1",
        "it does not begin as one": block[: HEADER.size - 1],
    }
    for said, damaged in wrong.items():
        assert said in refusal(damaged)
        with pytest.raises(dv.InputError, match=said):
            read(damaged)


# ---- for people -------------------------------------------------------------------------------


def test_people_can_read_it():
    text = "\n".join(lines(blocks()[NEWTON]))
    for said in (
        "Plan: version 1, ",
        "for whole windows",
        digest(blocks()[NEWTON]),
        "1 'r0p1': FMI 2 co-simulation; inputs 2 to 3 by reference 2, 5; outputs 1 by reference",
        "output 0 'column 0' to input 2, times 0.5 plus 0.0",
        "windows of 0.1 s from 0.0 s to 1.0 s",
        "newton, at most ",
        "once: 2 'r1p0'",
        "until it converges: 0 'r0p0', 1 'r0p1'; 2 inputs are unknown",
    ):
        assert said in text, said


if __name__ == "__main__":
    for number, block in enumerate(blocks()):
        (KEPT / f"{number}.plan").write_bytes(block)
