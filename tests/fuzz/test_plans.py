"""A damaged plan is refused with a sentence, or can be run: nothing is read out of bounds.

The kernel's reader is compiled with sanitizers here, with members that look at all they are given.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from random import Random

import pytest

from dovetail.runplan.layout import HEADER
from dovetail.runplan.writing import sealed
from fuzz.plans import blocks, damaged_plan

HERE = Path(__file__).parent
FLAGS = (
    *("-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w", "-ffp-contract=off", "-pthread"),
    *("-fsanitize=address,undefined", "-fno-sanitize=float-divide-by-zero"),
    *("-fno-sanitize-recover=all", "-fno-omit-frame-pointer"),
)
COUNT = 3000
VALUES = -(2**31), -1, 1, 2, 6, 11, 12, 40, 2**24, 2**31 - 1


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that reads and runs plans."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    made = tmp_path_factory.mktemp("plans") / "harness"
    native = HERE.parents[1] / "native"
    command = ["cc", *FLAGS, f"-I{native}", "-o", made, HERE / "plan_harness.c", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "sanitize" in done.stderr + done.stdout:
        pytest.skip("the C compiler has no sanitizers")
    assert done.returncode == 0, done.stderr
    return made


def told(harness: Path, plans: list[bytes], members: int = 6) -> str:
    """What the program says of these plans; it must end well."""
    file = harness.with_name("plans.bin")
    file.write_bytes(b"".join(struct.pack("<II", members, len(p)) + p for p in plans))
    environment = {"ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1"}
    done = subprocess.run(
        [harness, file], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.strip()


def test_whole_plans_are_taken_and_run(harness):
    assert told(harness, blocks()) == f"{len(blocks())} taken, 0 refused"


def test_another_count_of_members_is_refused(harness):
    assert told(harness, blocks(), 5) == f"0 taken, {len(blocks())} refused"
    assert told(harness, blocks(), 7) == f"0 taken, {len(blocks())} refused"


def test_damaged_plans_are_refused_or_can_be_run(harness):
    chance, whole = Random("plans"), blocks()
    damaged = [damaged_plan(chance, chance.choice(whole), whole) for _ in range(COUNT)]
    taken, refused = (int(word) for word in told(harness, damaged).split() if word.isdigit())
    assert taken + refused == COUNT
    assert taken > COUNT / 100  # numbers that mean something else, but something
    assert refused > COUNT / 2


def test_any_number_of_a_plan_may_be_another(harness):
    damaged = []
    for block in (blocks()[-1], blocks()[4], blocks()[1]):  # Newton, sweeps, extrapolation
        for place in range(HEADER.size, len(block), 4):
            for value in VALUES:
                number = (value % 2**32).to_bytes(4, "little")
                damaged.append(sealed(block[:place] + number + block[place + 4 :]))
    taken, refused = (int(word) for word in told(harness, damaged).split() if word.isdigit())
    assert taken + refused == len(damaged)


def test_a_plan_that_is_cut_anywhere_is_refused(harness):
    for block in blocks()[-1:]:
        cut = [block[:k] for k in range(0, len(block), 3)]
        assert told(harness, cut) == f"0 taken, {len(cut)} refused"
