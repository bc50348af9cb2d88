"""A notebook is executed as Jupyter does it: what its cells show, and that nothing is red."""

import os
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import nbclient
import nbformat
import pytest

SOURCE = Path(__file__).parents[2] / "src"
CELLS = {
    "model": """
        import dovetail as dv
        mass = dv.Dynamic(states={"x": 1.0, "v": 0.0}, inputs=["force"], outputs=["x", "v"],
                          units={"x": "m", "v": "m/s", "force": "N"},
                          derivatives=lambda t, x, u, p: [x.v, u.force / 2.0])
        spring = dv.Algebraic(inputs=["x"], outputs=["force"],
                              function=lambda t, u, p: [-8.0 * u.x])
        mass
        """,
    "system": """
        system = dv.System("oscillator")
        system.add("mass", mass)
        system.add("spring", spring)
        system.connect("mass.x", "spring.x")
        system.connect("spring.force", "mass.force")
        system
        """,
    "drawing": "system.draw('oscillator.svg')",
    "report": "system.check()",
    "result": "result = dv.simulate(system, stop=1.0, progress=False)\nresult",
    "again": "[dv.simulate(system, stop=1.0, progress=False) for _ in range(3)][0]",
    "verdict": "result.verdict",
    "statistics": "result.statistics",
    "comparison": "result.compare(result)",
    "analysis": "dv.analyze(mass)",
    "progress": """
        from dovetail.observe.progress import Progress
        bar = Progress(0.0, 2.0, "oscillator")
        bar._next = 0.0
        bar.moved(1.0, 50)
        bar.close()
        """,
}


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """What each cell shows: its outputs by name."""
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(dedent(code).strip()) for code in CELLS.values()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")]))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        client = nbclient.NotebookClient(
            notebook,
            timeout=120,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute()
    outputs = dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))
    return outputs, folder


def page(outputs):
    """The HTML that a cell shows in the end, well-formed."""
    shown = [o.data["text/html"] for o in outputs if "data" in o and "text/html" in o.data]
    found = shown[-1]
    ElementTree.fromstring(f"<body>{found}</body>")
    assert "<script" not in found
    return found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("model", "Dynamic: 1 input, 2 outputs"),
        ("system", "cycle 1: 2 parts depend on each other"),
        ("drawing", "<svg"),
        ("report", "fits together"),
        ("result", "final value"),
        ("verdict", "Verdict"),
        ("statistics", "windows in"),
        ("comparison", "Within tolerance"),
        ("analysis", "largest step"),
    ],
)
def test_a_cell_shows_a_page(cells, name, text):
    assert text in page(cells[0][name])


def test_a_system_is_shown_as_a_picture_too(cells):
    """Where HTML with a picture in it is not shown, such as on GitHub."""
    data = cells[0]["system"][-1].data
    assert data["image/svg+xml"].startswith("<svg")
    assert data["text/plain"] == "System('oscillator': 2 parts, 2 connections)"
    assert (cells[1] / "oscillator.svg").read_text() == data["image/svg+xml"]


def test_nothing_is_red(cells):
    streams = [o for outputs in cells[0].values() for o in outputs if o.output_type == "stream"]
    assert [o.name for o in streams] == ["stdout"]
    assert "nothing given" in streams[0].text


def test_notes_are_said_in_the_first_run_only(cells):
    assert [o.output_type for o in cells[0]["again"]] == ["execute_result"]


def test_progress_is_one_line_that_is_gone_in_the_end(cells):
    assert [o.output_type for o in cells[0]["progress"]] == ["display_data"]
    assert page(cells[0]["progress"]) == "<div></div>"
