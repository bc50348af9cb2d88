"""What is found out about an FMU is known in the next run, and helps a run left to Dovetail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dovetail as dv
from dovetail.fmi import model
from dovetail.fmi.archive import findings
from dovetail.xml import cache

from .fleet import ring, run


@pytest.fixture
def path(archive, monkeypatch, tmp_path):
    """An FMU nothing is known about."""
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    monkeypatch.setattr(findings, "_HERE", {})
    monkeypatch.setattr(model, "keep_against_rollback", findings.keep_against_rollback)
    return archive(
        "linear", 2, flaw="restore_next", directional_derivatives=False, serialization=False
    )


def found_out(path: Path) -> None:
    with pytest.raises(dv.CannotRollBack):
        run(ring(dv.load(path)), algorithm=dv.GaussSeidel(5))


def kept() -> list[Path]:
    return sorted((cache.folder() / "findings").glob("*"))


def test_it_is_kept_with_the_hash_of_the_archive(path, way, monkeypatch):
    assert dv.load(path).description.capabilities.can_restore
    found_out(path)
    assert [f.stem for f in kept()] == [dv.load(path).archive.directory.name]
    monkeypatch.setattr(findings, "_HERE", {})  # as in another process
    able = dv.load(path).description.capabilities
    assert not able.can_restore
    assert able.against_rollback.startswith("was followed by one that gave")


def test_the_next_run_estimates_it(path, way):
    found_out(path)
    with dv.Session(ring(dv.load(path)), stop=0.5, algorithm=dv.GaussSeidel(5), quiet=True) as s:
        assert s.run().finished
        said = "\n".join(s.messages)
    assert "counts as one that cannot roll back: a step made again was followed by one" in said
    assert "estimated by dv.Identified()" in said


def test_what_cannot_do_without_is_refused_with_the_reason(path):
    found_out(path)
    with pytest.raises(
        dv.CapabilityError, match="cannot roll back, though it says so: a step made"
    ):
        run(ring(dv.load(path)), controller=dv.StepDoubling(1e-3, 1e-3))


def test_a_run_left_to_dovetail_is_planned_anew(path, way):
    """The same model, not loaded again: its system says what it said before."""
    system = ring(dv.load(path))
    result = dv.simulate(system, stop=1.0, quiet=True)
    assert result.finished
    assert kept()


def test_a_run_that_was_chosen_is_not(path):
    with pytest.raises(dv.CannotRollBack):
        dv.simulate(ring(dv.load(path)), stop=1.0, algorithm=dv.GaussSeidel(5), quiet=True)


@pytest.mark.parametrize("text", ["", "{", "[1]", json.dumps({"rollback": 3}), "\udcff"])
def test_what_cannot_be_read_was_never_found(path, text, monkeypatch):
    found_out(path)
    monkeypatch.setattr(findings, "_HERE", {})
    kept()[0].write_bytes(text.encode(errors="surrogateescape"))
    assert dv.load(path).description.capabilities.can_restore


def test_a_cache_that_cannot_be_written_does_no_harm(path, monkeypatch):
    model = dv.load(path)
    (cache.folder() / "findings").write_text("in the way")
    with pytest.raises(dv.CannotRollBack):
        run(ring(model), algorithm=dv.GaussSeidel(5))
    assert not dv.load(path).description.capabilities.can_restore  # in this process
