"""Any chart can be arranged: no block on another, every link from its pin to its pin."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dovetail.diagrams.arranging import arranged
from dovetail.diagrams.chart import Block, Chart, Link, Pin
from dovetail.diagrams.layering import columns_of
from dovetail.topology.graph import strong_components


@st.composite
def charts(draw):
    """Blocks with some pins, and links between any two of them, to themselves too."""
    count = draw(st.integers(1, 16))
    pins = [(draw(st.integers(1, 3)), draw(st.integers(1, 3))) for _ in range(count)]
    blocks = tuple(
        Block(
            f"part {k}" * draw(st.integers(1, 3)),
            "kind",
            tuple(Pin(f"in{n}") for n in range(left)),
            tuple(Pin(f"out{n}") for n in range(right)),
            hidden_left=draw(st.integers(0, 2)),
        )
        for k, (left, right) in enumerate(pins)
    )
    links = []
    for _ in range(draw(st.integers(0, 2 * count))):
        a, b = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
        out, into = draw(st.integers(0, pins[a][1] - 1)), draw(st.integers(0, pins[b][0] - 1))
        links.append(Link((a, out), (b, into), draw(st.sampled_from(["", "× 2"]))))  # noqa: RUF001
    return Chart("any", blocks, tuple(links))


@given(charts())
def test_blocks_do_not_overlap(chart):
    places = arranged(chart).places
    assert len(places) == len(chart.blocks)
    for k, a in enumerate(places):
        for b in places[:k]:
            beside = a.x + a.width <= b.x or b.x + b.width <= a.x
            below = a.y + a.height <= b.y or b.y + b.height <= a.y
            assert beside or below


@given(charts())
def test_every_link_has_a_wire_from_its_pin_to_its_pin(chart):
    plan = arranged(chart)
    assert len(plan.wires) == len(chart.links)
    for link, wire in zip(chart.links, plan.wires, strict=True):
        assert wire[0] == plan.right_pin(chart, link.source)
        assert wire[-1] == plan.left_pin(chart, link.target)


@given(charts())
def test_wires_have_right_angles_and_cross_no_block(chart):
    plan = arranged(chart)
    for wire in plan.wires:
        for (x1, y1), (x2, y2) in pairwise(wire):
            assert x1 == x2 or y1 == y2
            for p in plan.places:
                inside_x = min(x1, x2) < p.x + p.width and p.x < max(x1, x2)
                inside_y = min(y1, y2) < p.y + p.height and p.y < max(y1, y2)
                upright = x1 == x2 and p.x < x1 < p.x + p.width and inside_y
                level = y1 == y2 and p.y < y1 < p.y + p.height and inside_x
                assert not upright and not level


@given(charts())
def test_everything_is_on_the_paper(chart):
    plan = arranged(chart)
    for p in plan.places:
        assert p.x >= 0 and p.y >= 0
        assert p.x + p.width <= plan.width + 1e-9 and p.y + p.height <= plan.height + 1e-9
    for x, y in (dot for wire in plan.wires for dot in wire):
        assert -1e-9 <= x <= plan.width + 1e-9 and -1e-9 <= y <= plan.height + 1e-9


@given(charts())
def test_the_same_chart_is_arranged_the_same_way(chart):
    assert arranged(chart) == arranged(chart)


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node), max_size=30))


@given(graphs())
def test_only_links_inside_a_cycle_lead_back(graph):
    count, edges = graph
    columns = columns_of(count, edges)
    assert set(columns) == set(range(max(columns) + 1)), "no column is empty"
    home = {k: c for c in strong_components(count, edges) for k in c}
    assert all(columns[a] < columns[b] for a, b in edges if home[a] != home[b])
