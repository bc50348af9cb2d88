"""A checkpoint that version 0.2.0 wrote is read by every later one."""

from dataclasses import replace

import checkpoint_fixture as kept
import numpy as np
import pytest

from dovetail.run.checkpoint import FORMAT, Checkpoint


def test_the_kept_file_is_of_this_format():
    assert kept.FILE.read_bytes().startswith(b"dovetail checkpoint %d\n" % FORMAT)
    assert kept.FILE.stem == f"format-{FORMAT}", "a new format has a file of its own; keep the old"


def told(verdict):
    """Without what goes by how inputs moved: earlier checkpoints do not know that."""
    return replace(verdict, hints=tuple(h for h in verdict.hints if h.kind == "mismatch"))


@pytest.mark.parametrize("file", sorted(kept.KEPT.iterdir()), ids=lambda path: path.stem)
def test_a_run_goes_on_from_what_an_earlier_version_wrote(file):
    with kept.session() as session:
        whole = session.run()
    with kept.session(resume=file) as session:
        assert session.time == kept.AFTER
        resumed = session.run()
    assert resumed.finished
    assert resumed.names == whole.names
    assert np.array_equal(resumed.time, whole.time)
    for name in whole:
        assert np.array_equal(resumed[name], whole[name]), name
    assert resumed.statistics.windows == whole.statistics.windows
    assert resumed.statistics.evaluations_by_part == whole.statistics.evaluations_by_part
    assert told(resumed.verdict) == told(whole.verdict)


def test_the_kept_file_holds_what_the_run_writes_today(tmp_path):
    """Apart from seconds: else the promise is kept by luck."""
    kept.write(tmp_path / "c")
    today, then = Checkpoint.read(tmp_path / "c"), Checkpoint.read(kept.FILE)
    for field in ("fingerprint", "start", "stop", "grid", "columns", "changes"):
        assert getattr(today, field) == getattr(then, field), field
    assert today.position.outputs.equals(then.position.outputs)
    assert [p[:2] for p in today.parts] == [p[:2] for p in then.parts]
