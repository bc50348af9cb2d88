"""An SSP that says where its parts are is drawn that way."""

from xml.etree import ElementTree

import pytest
from ssp.texts import component, connectors, document, system, wire

import dovetail as dv
from dovetail.cli.main import main


def placed(name, x, y):
    """A component with its box, 20 wide and 10 high."""
    box = f'<ssd:ElementGeometry x1="{x}" y1="{y}" x2="{x + 20}" y2="{y + 10}"/>'
    found = component(name, "linear", connectors("u input", "y output"))
    return found.replace("</ssd:Component>", f"{box}</ssd:Component>")


BEND = '<ssd:ConnectionGeometry pointsX="40 40" pointsY="5 45"/>'
TEXT = document(
    system(placed("low", 0, 0), placed("high", 60, 40), wires=wire("low/y", "high/u", BEND))
)


def corners(svg):
    """Where the outline of each block is, by the first line of its details."""
    tag = "{http://www.w3.org/2000/svg}"
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{tag}g"):
        if group.get("class") == "dovetail-block":
            outline = next(r for r in group.iter(f"{tag}rect") if r.get("fill") == "none")
            name = group.find(f"{tag}title").text.partition(":")[0]
            found[name] = tuple(float(outline.get(k)) for k in ("x", "y", "width", "height"))
    return found


def test_its_places_are_used(folder):
    at = corners(dv.open(folder(TEXT, "linear")).draw().svg)
    (x, y, width, height), (x2, y2, *_) = at["low"], at["high"]
    assert width / height == pytest.approx(2.0, rel=1e-3), "as in the file"
    assert (x2 - x) / width == pytest.approx(3.0, rel=1e-3)
    assert (y2 - y) / height == pytest.approx(-4.0, rel=1e-3), "y leads up in the file"


def test_the_command_line_draws_it(folder, tmp_path, capsys):
    path = tmp_path / "drawn.svg"
    assert main(["draw", str(folder(TEXT, "linear")), "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert set(corners(path.read_text(encoding="utf-8"))) == {"low", "high"}


def test_a_single_fmu_is_drawn(archive, tmp_path):
    path = tmp_path / "one.svg"
    assert main(["draw", str(archive("linear", 2)), "-o", str(path)]) == 0
    assert len(corners(path.read_text(encoding="utf-8"))) == 1
