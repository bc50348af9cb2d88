"""A multi-unit air conditioner with two junctions: B. Gu's thesis, chapter 7."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from time import process_time
from typing import Any

import numpy as np
import pytest
from example_modules import example as imported

import dovetail as dv


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    with imported("air_conditioner") as run:
        yield run


@cache
def result_of(example: Any, stop: float, law: dv.SlidingMode) -> dv.Result:
    return example.simulate(stop, law)


def apart(result: dv.Result, since: float) -> float:
    late = result.time >= since - 1e-9
    gaps = [np.abs(result[f"indoor{k}.P"] - result["accumulator.P"])[late] for k in "12"]
    return float(np.max(gaps))


def charge(result: dv.Result) -> Any:
    """All the refrigerant there is."""
    return sum(result[f"{n}.mass"] for n in ("indoor1", "indoor2", "outdoor", "accumulator"))


THESIS = dv.SlidingMode(time_scale=0.1, limit=0.005, moves=10, presolve=False)
DEFAULT = dv.SlidingMode(time_scale=0.1)


@pytest.mark.parametrize("law", [THESIS, DEFAULT], ids=["thesis", "automatic"])
def test_pressures_that_start_apart_merge(example: Any, law: dv.SlidingMode) -> None:
    result = result_of(example, 1.0, law)
    start = result["indoor1.P"][0] - result["accumulator.P"][0]
    assert start == pytest.approx(50e3)
    assert apart(result, 0.5) < 400
    assert apart(result, 1.0) < 12
    assert result["accumulator.P"][-1] == pytest.approx(695.85e3, abs=60)
    assert result.statistics.unsolved_junctions == 0
    verdict = result.verdict
    assert verdict is not None
    assert [j["index"] for j in verdict.junctions] == [[2, 2]]  # they share a part: one group


def test_flows_and_pressures_settle(example: Any) -> None:
    result = result_of(example, 5.0, DEFAULT)
    assert apart(result, 2.0) < 3
    assert result["accumulator.P"][-1] == pytest.approx(703.57e3, abs=20)
    assert result["accumulator.m1"][-1] == pytest.approx(21.463e-3, abs=2e-6)
    assert result["accumulator.m2"][-1] == pytest.approx(24.695e-3, abs=2e-6)


def test_no_refrigerant_is_lost(example: Any) -> None:
    result = result_of(example, 5.0, DEFAULT)
    assert np.ptp(charge(result)) < 1e-5
    verdict = result.verdict
    assert verdict is not None
    assert all(abs(b["created"]) < 1e-12 and b["unit"] == "kg" for b in verdict.bonds)


@pytest.mark.slow
def test_a_minute_takes_less_than_twenty_seconds_and_five_are_stable(example: Any) -> None:
    began = process_time()
    result = example.simulate(300.0, DEFAULT)
    assert process_time() - began < 5 * 20
    row = int(np.argmin(np.abs(result.time - 60.0)))
    assert result["accumulator.P"][row] == pytest.approx(691.01e3, abs=20)
    assert apart(result, 2.0) < 3
    assert np.ptp(charge(result)[: row + 1]) < 1e-5
    late = result.time > 200
    assert np.max(np.abs(result["accumulator.P"][late] - 690e3)) < 10e3
