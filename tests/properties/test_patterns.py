"""Which variables a pattern means."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail as dv
from dovetail.observe.columns import Selection
from dovetail.results.patterns import chosen, matching
from dovetail.topology.layout import Layout

letters = st.text("abx.[]", min_size=1, max_size=6)


@given(letters, st.lists(letters))
def test_a_name_means_itself_and_nothing_else(name, names):
    assert matching(name, names) == [n for n in names if n == name]


@given(st.text("ab.*?", max_size=6), st.lists(st.text("ab.", max_size=6)))
def test_wildcards_are_those_of_a_shell(pattern, names):
    assert matching(pattern, names) == [n for n in names if fnmatchcase(n, pattern)]


@given(st.lists(letters, unique=True), st.lists(st.text("ab.*?", min_size=1, max_size=4)))
def test_the_order_is_that_of_the_names(names, patterns):
    found = chosen(patterns, names)
    assert found == [n for n in names if n in found]
    assert set(found) == {n for p in patterns for n in matching(p, names)}


def tanks():
    system = dv.System("tanks")
    tank = dv.Dynamic(
        states={"level": 1.0},
        inputs=["inflow", "open"],
        outputs={"level": 1.0, "flows": [0.0, 0.0]},
        derivatives=lambda t, x, u, p: [u.inflow],
        output=lambda t, x, u, p: [x.level, [1.0, 2.0]],
    )
    system.add("upper", tank)
    system.add("lower", tank)
    system.connect("upper.level", "lower.inflow")
    return system


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (
            "*",
            "upper.level upper.flows[1] upper.flows[2] "
            "lower.level lower.flows[1] lower.flows[2] lower.inflow",
        ),
        ("upper.*", "upper.level upper.flows[1] upper.flows[2]"),
        ("*.level", "upper.level lower.level"),
        ("lower.level, upper.level", "upper.level lower.level"),
        (["lower.inflow"], "lower.inflow"),
        ("upper.flows[2]", "upper.flows[2]"),
        ("*[1]", "upper.flows[1] lower.flows[1]"),
        ("?????.level", "upper.level lower.level"),
        ("upper.open", "upper.open"),
        ("", ""),
    ],
)
def test_record_means_outputs_and_connected_inputs(record, names):
    """Inputs that nothing feeds only by their name: they change by hand, if at all."""
    system = tanks()
    selection = Selection.of(system, Layout.of(system), record)
    assert [c.name for c in selection.columns] == names.split()


@pytest.mark.parametrize("record", ["uper.level", "upper.flows", "level"])
def test_a_pattern_that_means_nothing_is_refused(record):
    system = tanks()
    with pytest.raises(dv.OptionError, match="means no output or connected input"):
        Selection.of(system, Layout.of(system), record)
