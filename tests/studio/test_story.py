"""How a run went: windows and events from its rows, the ledger from its process."""

import pytest

import dovetail as dv
from dovetail.studio.document import EditedDocument
from dovetail.studio.folder import WorkFolder
from dovetail.studio.runs import StudioRuns
from dovetail.studio.story import curves_as_data, story_of

PATIENCE = 60  # s


def test_rows_tell_windows_and_events_with_the_signals_that_jumped_most(tmp_path):
    (tmp_path / "r.csv").write_text(
        "time [s],a,b,c\n0,0,0,7\n0.5,1,0,7\n0.5,1,4,7\n0.5,3,4,7\n0.75,3,4,7\n2,10,5,7\n2,10,0,7\n"
    )
    found = story_of(tmp_path / "r.csv")
    assert found["windows"] == {"times": [0.5, 0.75, 2.0], "sizes": [0.5, 0.25, 1.25]}
    assert (found["smallest"], found["largest"], found["event_count"]) == (0.25, 1.25, 2)
    first, second = found["events"]
    assert first["time"] == 0.5, "two rows more of one time are one entry"
    assert first["jumps"] == [
        {"name": "b", "from": 0.0, "to": 4.0},  # .8 of its range
        {"name": "a", "from": 1.0, "to": 3.0},  # .2 of its range
    ]
    assert second == {"time": 2.0, "jumps": [{"name": "b", "from": 5.0, "to": 0.0}]}


def test_a_run_without_events_has_none_and_many_windows_are_few_points(tmp_path):
    rows = "".join(f"{k},{k % 7}\n" for k in range(5000))
    (tmp_path / "r.csv").write_text(f"time [s],a\n{rows}")
    found = story_of(tmp_path / "r.csv")
    assert found["events"] == [] and found["event_count"] == 0
    assert 100 < len(found["windows"]["times"]) <= 801
    assert set(found["windows"]["sizes"]) == {1.0}


def test_what_is_no_number_is_none_in_curves():
    found = curves_as_data([0.0, 1.0], {"a": [1.0, float("nan")]}, {"a": "J"})
    assert found == {"times": [0.0, 1.0], "lines": {"a": [1.0, None]}, "units": {"a": "J"}}


def test_the_ledger_of_a_run_is_that_of_the_command_line(folder):
    (folder / "joined.yaml").write_text(
        "dovetail: 1\nparts:\n  d: models.py:damper\n  h: models.py:holder\n"
        "junctions:\n  - [d.flange, h.flange]\nrun: {stop: 1.0, step: 0.1}\n"
    )
    document = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    document.open("joined.yaml")
    runs = StudioRuns(document.folder, lambda run: None)
    run = runs.start(document.system, verify=False)
    assert run.ready.wait(PATIENCE) and run.state == "finished", run.facts
    runs.close()
    same = dv.simulate(folder / "joined.yaml", quiet=True, verify=False).ledger
    told = run.ledger["created"]
    assert set(told["lines"]) == set(same.names) and len(told["lines"]) > 0
    for name, line in told["lines"].items():
        assert line == pytest.approx(same[name].tolist())
    assert told["units"][same.names[0]] == same.units[same.names[0]]
    assert "ledger" not in run.summary(), "it goes to a page that asks, not to each at every turn"
