"""What a run says about itself: once, quietly, and where it can be read."""

import problems
import pytest

import dovetail as dv
from dovetail.observe import progress
from dovetail.observe.notebook_bar import NotebookBar
from dovetail.run import announcer

DEFAULTS = ("nothing given", "no controller given", "no algorithm given")


def said(text):
    return [line for line in text.splitlines() if any(d in line for d in DEFAULTS)]


def test_a_loop_of_runs_says_what_was_chosen_once(capsys):
    for _ in range(5):
        result = dv.simulate(problems.prey_predator_system(), stop=0.1)
        assert len(said("\n".join(result.facts["messages"]))) == 1, "every result keeps them"
    assert len(said(capsys.readouterr().err)) == 1


def test_another_drawing_or_another_choice_is_said_again(capsys):
    system = problems.prey_predator_system()
    dv.simulate(system, stop=0.1)
    capsys.readouterr()
    dv.simulate(system, stop=0.2)
    assert said(capsys.readouterr().err) == [], "the choice does not depend on how long it runs"
    dv.simulate(system, stop=0.2, step=0.0004)
    assert ["no algorithm given" in line for line in said(capsys.readouterr().err)] == [True]
    system.name = "another"
    dv.simulate(system, stop=0.2)
    assert len(said(capsys.readouterr().err)) == 1


def test_a_quiet_run_uses_no_note_up(capsys):
    dv.simulate(problems.prey_predator_system(), stop=0.1, quiet=True)
    assert capsys.readouterr() == ("", "")
    dv.simulate(problems.prey_predator_system(), stop=0.1)
    assert len(said(capsys.readouterr().err)) == 1


def test_notes_are_not_red_in_a_notebook(capsys, monkeypatch):
    monkeypatch.setattr(announcer, "in_notebook", lambda: True)
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    dv.simulate(problems.prey_predator_system(), stop=0.1, progress=False)
    out, err = capsys.readouterr()
    assert len(said(out)) == 1 and err == ""


def test_what_happens_in_a_run_is_said_every_time(capsys):
    """Only notes about what was chosen are said once."""
    speaker = announcer.Announcer("system", dv.Calendar(), quiet=False)
    for _ in range(2):
        speaker.say("'engine' logged: the oil is hot")
    assert capsys.readouterr().err.count("the oil is hot") == 2


class Handle:
    """What IPython gives to those who want to show something else later."""

    def __init__(self):
        self.shown = []

    def update(self, line):
        self.shown.append((line._repr_html_(), repr(line)))


def test_a_notebook_shows_one_line_that_moves_and_goes():
    bar = NotebookBar("<drive>", 10.0)
    bar._handle = Handle()
    bar.update(None, completed=5.0, windows=1200, at="t = 5 s")
    bar.stop()
    (html, text), last = bar._handle.shown
    assert "value='0.5000'" in html and "&lt;drive&gt; t = 5 s, 1,200 windows" in html
    assert text.startswith("<drive> t = 5 s, 1,200 windows, about 0:00 to go")
    assert last == ("<div></div>", "")


def test_a_bar_that_has_not_moved_yet_divides_by_nothing():
    bar = NotebookBar("drive", 0.0)
    bar._handle = Handle()
    bar.update(None, completed=0.0, windows=0, at="t = 0 s")
    assert "about 0:00 to go" in bar._handle.shown[0][1]


@pytest.mark.parametrize("shown", [None, False])
def test_there_is_no_bar_where_nobody_looks(shown):
    assert progress.Progress(0.0, 1.0, "drive", shown=shown)._shown is False
