"""Names from files are shown without what they could do to a terminal."""

import io
import os
import subprocess
import sys

import pytest
from fmus.build import build
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dv
from dovetail.core.errors import FileError
from dovetail.core.harmless import harmless, harmless_line
from dovetail.core.whole_file import whole_file
from dovetail.observe.progress import Progress
from dovetail.results.files.streaming import FileRecording
from dovetail.run.announcer import Announcer

ESCAPE = "\x1b]0;owned\x07\x9b31m\u202e"


@given(st.text())
def test_what_is_shown_is_printable(text):
    assert all(c.isprintable() or c in "\n\t" for c in harmless(text))
    assert harmless_line(text).isprintable()
    assert len(harmless(text)) == len(text)


def named(system="s", part="it", state="x"):
    drawn = dv.System(system)
    model = dv.Dynamic(states={state: 1.0}, outputs=[state], derivatives=lambda t, x, u, p: [0.0])
    drawn.add(part, model)
    return drawn


def test_results_reports_and_comparisons_hold_no_escapes():
    system = named(f"s{ESCAPE}")
    run = dv.simulate(system, stop=1.0, step=0.5, quiet=True)
    shown = [str(run), repr(run), str(run.verdict), str(dv.compare(run, run)), str(system.check())]
    for text in shown:
        assert harmless(text) == text


def test_messages_of_a_run_hold_none(capsys):
    Announcer("s", None, quiet=False).say(f"'it' logged: {ESCAPE}")
    assert "\x1b" not in capsys.readouterr().err


def test_the_bar_takes_a_title_as_it_is(monkeypatch):
    """No escapes, and brackets are no markup."""
    out = io.StringIO()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", out)
    progress = Progress(0.0, 1.0, f"[/b]{ESCAPE}", shown=True)
    progress._next = 0.0
    progress.moved(0.5, 1)
    progress.close()
    assert "owned" in out.getvalue() and "\x1b]0;" not in out.getvalue()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".html"])
def test_a_plot_that_fails_leaves_what_was_there(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"picture{suffix}"
    path.write_text("the old one")
    run = dv.simulate(named(), stop=1.0, step=0.5, quiet=True)

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(FileError, match="no space left on device"):
        run.plot(path=path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "the old one"


def test_a_file_is_whole_or_not_there(tmp_path):
    with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "a.txt") as place:
        place.write_text("half")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
    (tmp_path / "link.txt").symlink_to(tmp_path / "target.txt")
    with whole_file(tmp_path / "link.txt") as place:
        place.write_text("all")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_text() == "all"
    with whole_file(tmp_path / os.devnull) as place:
        assert str(place) == os.devnull


def test_a_recording_whose_making_was_interrupted_is_let_go():
    FileRecording.__new__(FileRecording).__del__()


def test_a_result_goes_where_it_was_meant_to(tmp_path):
    """From Python too, though an FMU goes elsewhere on the way."""
    code = (
        "import dovetail as dv\nsystem = dv.System('s')\n"
        f"system.add('it', dv.load({str(build('wanders', 2, tmp_path))!r}))\n"
        "dv.simulate(system, stop=1.0, step=0.1, recorder=dv.File('run.csv'), quiet=True)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert len(dv.read(tmp_path / "run.csv")) == 11
