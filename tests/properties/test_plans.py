"""Plans as bytes: what is written is what is read, whatever is in it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from fuzz.plans import ALGORITHMS, blocks, plan_for
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.runplan.layout import SECTIONS
from dovetail.runplan.plan import RunPlan
from dovetail.runplan.reading import read
from dovetail.runplan.writing import digest, sealed, write

REALS = st.floats(width=64)
VALUES = {
    "<i8": st.integers(-(2**63), 2**63 - 1),
    "<f8": REALS,
    "text": st.lists(st.text(st.characters(exclude_characters="\0"), max_size=9), max_size=4),
}
ARRAYS = {
    "<i4": (np.int32, st.integers(-(2**31), 2**31 - 1)),
    "<u4": (np.uint32, st.integers(0, 2**32 - 1)),
    "<f8": (np.float64, REALS),
}


def value_of(form: str, is_array: bool) -> st.SearchStrategy[Any]:
    if form == "text":
        return VALUES[form].map(tuple)
    if not is_array:
        return VALUES[form]
    dtype, element = ARRAYS[form]
    return st.lists(element, max_size=7).map(lambda found: np.array(found, dtype=dtype))


@st.composite
def plans(draw: Any) -> RunPlan:
    """Any plan, whether it makes sense or not."""
    made = {}
    for layout in SECTIONS:
        if layout.required or draw(st.booleans()):
            values = [draw(value_of(form, is_array)) for _, form, is_array in layout.forms()]
            made[layout.name] = layout.kind(*values)
    return RunPlan(**made)


@given(plans())
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_what_is_read(plan):
    block = write(plan)
    found = read(block)
    assert found == plan
    assert write(found) == block
    assert len(block) % 8 == 0


@given(plans(), st.data())
@settings(max_examples=100, deadline=None)
def test_plans_that_differ_in_a_field_are_not_equal_and_have_other_bytes(plan, data):
    layout = data.draw(st.sampled_from([s for s in SECTIONS if getattr(plan, s.name) is not None]))
    name, form, is_array = data.draw(st.sampled_from(layout.forms()))
    section = getattr(plan, layout.name)
    other = data.draw(value_of(form, is_array))
    values = {f.name: getattr(section, f.name) for f in fields(section)} | {name: other}
    kept = {f.name: getattr(plan, f.name) for f in fields(plan)}
    changed = RunPlan(**(kept | {layout.name: layout.kind(**values)}))
    assert (changed == plan) == (write(changed) == write(plan))


@given(plans(), st.integers(0), st.integers(1, 255))
@settings(max_examples=150, deadline=None)
def test_a_byte_that_was_changed_is_noticed(plan, place, by):
    block = bytearray(write(plan))
    block[place % len(block)] ^= by
    with pytest.raises(dv.InputError, match="plan"):
        read(bytes(block))


@given(plans(), st.integers(0))
@settings(max_examples=100, deadline=None)
def test_a_plan_that_ends_early_is_refused_with_any_checksum(plan, place):
    block = write(plan)
    part = block[: 32 + place % (len(block) - 32)]
    for cut in (part, sealed(part[:16] + len(part).to_bytes(8, "little") + part[24:])):
        with pytest.raises(dv.InputError, match="plan"):
            read(cut)


def test_plans_of_real_runs_come_back_too():
    for algorithm, block in zip(ALGORITHMS, blocks(), strict=True):
        assert read(block) == plan_for(algorithm)
        assert digest(block) == digest(write(read(block)))
