"""What notebooks show: tables, escaped, without scripts, long ones folded."""

import re
from xml.etree import ElementTree

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.core.markup import card, escaped, folded, paragraph, table

HOSTILE = "<script>alert('x')</script>&\"\x00"


def checked(page):
    """The page, after it was found to be well-formed and harmless."""
    ElementTree.fromstring(f"<body>{page}</body>")
    for word in ("<script", "<style", "onclick", "http:", "https:", "javascript:"):
        assert word not in page
    assert not re.search(r"(?<![-\w])(color|background):\s*(#000|#fff|black|white)\b", page)
    return page


def words(page):
    return " ".join(ElementTree.fromstring(f"<body>{checked(page)}</body>").itertext())


@pytest.fixture(scope="module")
def result():
    return dv.simulate(problems.prey_predator_system(), stop=0.1, step=0.0002, quiet=True)


def test_text_means_nothing_but_itself():
    assert escaped("a<b>&'\"") == "a&lt;b&gt;&amp;&#x27;&quot;"
    assert escaped("bell\x07 \ud800 \uffff tab\t") == "bell? ? ? tab\t"
    page = card(HOSTILE, table([HOSTILE], [[HOSTILE]]), folded(HOSTILE, paragraph(HOSTILE)))
    assert words(page).count("<script>alert('x')</script>&\"?") == 5


def test_a_report_says_whether_it_fits(result):
    page = words(problems.prey_predator_system().check()._repr_html_())
    assert "✓" in page and "fits together" in page
    assert "prey, predator depend on each other" in page
    assert "any algorithm with FixedStep" in page


def test_a_report_of_problems_has_a_cross():
    system = dv.System("bad")
    held = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [u.u])
    system.add("a", held)
    report = system.check()
    page = checked(report._repr_html_())
    assert ("✗" in page.split("</div>")[0]) == (not report.ok)
    for problem in report.problems:
        assert str(problem) in words(page)


def test_a_verdict_has_its_lines(result):
    page = words(result.verdict._repr_html_())
    for line in result.verdict.lines():
        assert line in page


def test_statistics_show_what_is_not_zero(result):
    page = words(result.statistics._repr_html_())
    assert "500 windows in" in page and "evaluations of parts" in page
    assert "rejected" not in page
    assert "prey" in page and "predator" in page


def test_a_result_says_how_it_was_run_and_how_it_ended(result):
    page = words(result._repr_html_())
    assert "501 rows from 0 to 0.1 s" in page
    assert "500 windows in" in page and "Verdict" in page
    for name, value in result.final.items():
        assert name in page and f"{value:.6g}" in page


def test_a_comparison_puts_the_worst_first_and_folds_the_rest():
    time = [0.0, 1.0]
    a = dv.Result.of(time, {f"v{k}": [0.0, float(k)] for k in range(30)})
    b = dv.Result.of(time, {f"v{k}": [0.0, 0.0] for k in range(30)})
    page = checked(dv.compare(a, b)._repr_html_())
    assert "and 10 more that are closer" in words(page)
    assert page.index("v29") < page.index("v1<")
    assert "✗" in page and "✓" in dv.compare(a, a)._repr_html_()


def test_an_analysis_lists_the_states_with_their_steps():
    analysis = dv.analyze(np.diag([-1.0, -1000.0]), names=["slow", "fast"])
    page = words(analysis._repr_html_())
    assert page.index("fast") < page.index("slow")
    assert "stiffness" in page and "The widest gap" in page


def test_an_analysis_of_many_states_is_folded():
    analysis = dv.analyze(np.diag(-np.arange(1.0, 301.0)))
    page = words(analysis._repr_html_())
    assert "and 276 more states" in page and "and 100 more that are slower" in page


def test_a_python_model_is_a_table_of_variables():
    model = dv.Dynamic(
        states={"x": 1.0},
        inputs={"u": 2.0},
        outputs=["x"],
        units={"u": "N"},
        derivatives=lambda t, x, u, p: [u.u],
    )
    page = words(model._repr_html_())
    assert "Dynamic: 1 input, 1 output, 1 parameter" in page
    assert "u input real 2.0 N" in " ".join(page.split())


def test_a_table_and_a_nested_system_too(tmp_path):
    (tmp_path / "road.csv").write_text("time [s],height [mm]\n0,1\n1,2\n")
    page = words(dv.load(tmp_path / "road.csv")._repr_html_())
    assert "height" in page and "mm" in page
    assert "Nested" in words(dv.Nested(problems.prey_predator_system())._repr_html_())


def test_an_fmu_shows_version_kinds_and_variables(archive):
    path = archive("spring", 3)
    page = words(dv.load(path)._repr_html_())
    assert "FMI 3.0" in page and "co-simulation" in page
    assert "what it can do" in page
    for v in dv.load(path).description.outputs:
        assert v.name in page


def test_long_lists_of_variables_are_folded():
    names = [f"in{k}" for k in range(600)]
    wide = dv.Algebraic(inputs=names, outputs=["y"], function=lambda t, u, p: [0.0])
    page = words(wide._repr_html_())
    assert "and 581 more variables" in page and "and 101 more" in page
    assert "in400" in page and "in599" not in page
