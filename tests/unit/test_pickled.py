"""Errors and results go from process to process."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.core import errors
from dovetail.core.window import Window
from dovetail.results.files.needs import LibraryMissing
from dovetail.results.result import UnknownVariable

WINDOW = Window(1.0, 0.5, 1.5)
ERRORS = [
    errors.DovetailError("plain"),
    errors.DrawingError([errors.Problem("a", "wrong"), errors.Problem("b", "too")], "tanks"),
    errors.ModelError("a model"),
    errors.OptionError("an option"),
    errors.FileError("run.csv", "is none", "name another"),
    errors.CapabilityError("Newton", [errors.Shortfall("a", "cannot", "let it")]),
    errors.PartFailed("tank", "stepping", 1.5, "no reason"),
    errors.StartFailed(["a.u"], "no solution", 2.0),
    errors.StepFailed(WINDOW, "no way", "try another"),
    errors.JunctionFailed("a = b", None, "rigid"),
    errors.EndlessEvents(1.0, ["a", "b"], 100),
    errors.RecordingFailed(1.0, "the disk is full"),
    errors.CannotRollBack("tank", WINDOW),
    errors.Interrupted(1.0, 2.0),
    UnknownVariable("x", ["y"]),
    LibraryMissing("h5py", "hdf5"),
]


def _result() -> dv.Result:
    values = {"a.x": [1.0, 2.0, 3.0], "a.n": [1, 2, 3], "a.s": ["u", "v", "w"]}
    return dv.Result.of([0.0, 1.0, 2.0], values, {"a.x": "m"}, {"finished": True, "system": "s"})


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_every_error_says_the_same_after_a_journey(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again).keys() == vars(error).keys()


def test_every_kind_of_error_is_tried() -> None:
    def below(kind: type[Any]) -> set[type[Any]]:
        return {kind}.union(*map(below, kind.__subclasses__()))

    groups = {errors.InputError, errors.RunError}
    ours = {k for k in below(errors.DovetailError) if k.__module__.startswith("dovetail.core")}
    assert ours - groups <= {type(e) for e in ERRORS}


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".h5", ".mat", ".csv", ".json"])
def test_a_result_from_a_file_outlives_the_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    _result().save(path)
    read = dv.read(path)
    sent = pickle.dumps(read)
    path.unlink()
    again = pickle.loads(sent)
    assert again.names == read.names
    assert again.units == {"a.x": "m"}
    for name in again.names:
        assert np.array_equal(again[name], _result()[name])


def _fails(suffix: str) -> Any:
    system = dv.System("s")
    system.add("clock", dv.Source(outputs=["y"], function=lambda t, p: [1 / (1.0 - t)]))
    given = {} if not suffix else {"recorder": dv.File(f"run{suffix}")}
    return dv.simulate(system, stop=2.0, controller=dv.FixedStep(0.25), quiet=True, **given)


@pytest.mark.parametrize("suffix", ["", ".parquet", ".csv"])
def test_a_failed_run_in_a_pool_comes_back_as_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        waiting = pool.apply_async(_fails, [suffix])
        with pytest.raises(dv.RunError) as caught:
            waiting.get(60)
    assert caught.value.result is not None
    assert caught.value.result["clock.y"][0] == 1.0
