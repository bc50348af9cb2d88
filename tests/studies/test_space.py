"""What is varied: grids, rows, samples."""

import numpy as np
import pytest
from scipy import stats

import dovetail as dv
from dovetail.studies.space import Space


def space(vary, samples=None, method="latin", seed=0):
    return Space.of(vary, samples, method, seed)


def test_lists_make_a_grid_with_the_last_one_first():
    grid = space({"a.x": [1, 2], "b.y": [10.0, 20.0, 30.0]})
    assert (len(grid), grid.shape) == (6, (2, 3))
    assert grid[1] == {"a.x": 1, "b.y": 20.0}
    assert [point["a.x"] for point in grid] == [1, 1, 1, 2, 2, 2]


def test_names_in_a_tuple_are_varied_together():
    rows = space({("a.x", "a.y"): [(1, 2), (3, 4)], "b": np.array([5.0])})
    assert list(rows) == [{"a.x": 1, "a.y": 2, "b": 5.0}, {"a.x": 3, "a.y": 4, "b": 5.0}]
    assert rows.axes[0].name == "a.x & a.y"


def test_distributions_are_drawn_together_and_multiply_with_a_grid():
    both = {"a.x": dv.studies.Uniform(0, 1), "g": [1, 2], "a.y": dv.studies.Normal(5, 1)}
    drawn = space(both, samples=7)
    assert drawn.shape == (2, 7)
    first, again = [point["a.x"] for point in drawn][:7], [p["a.x"] for p in drawn][7:]
    assert first == again and len(set(first)) == 7


@pytest.mark.parametrize("method", ["latin", "sobol", "random"])
@pytest.mark.parametrize(
    ("given", "law"),
    [
        (dv.studies.Uniform(-1, 3), stats.uniform(-1, 4)),
        (dv.studies.LogUniform(1e-3, 10), stats.loguniform(1e-3, 10)),
        (dv.studies.Normal(2, 0.5), stats.norm(2, 0.5)),
    ],
)
def test_samples_have_their_distribution(given, law, method):
    values = [point["a"] for point in space({"a": given}, 512, method)]
    # Kolmogorov's distance of 512 values drawn at random is above .086 in one of a thousand cases
    assert stats.kstest(values, law.cdf).statistic < 0.086


def test_a_latin_hypercube_has_one_sample_in_each_slice():
    values = np.array([p["a"] for p in space({"a": dv.studies.Uniform(0, 1)}, 40)])
    assert sorted((values * 40).astype(int)) == list(range(40))


def test_choices_are_of_all_kinds():
    values = [p["a"] for p in space({"a": dv.studies.Choice(["x", True, 3])}, 300)]
    assert {values.count(one) for one in ("x", True, 3)} == {100}


def test_the_seed_decides():
    def values(seed):
        return [p["a"] for p in space({"a": dv.studies.Uniform(0, 1)}, 5, "random", seed)]

    assert values(1) == values(1) != values(2)


def test_points_are_counted_and_not_kept():
    huge = space({name: range(1000) for name in "abcd"})
    assert len(huge) == 10**12
    assert huge[10**12 - 1] == dict.fromkeys("abcd", 999)
    with pytest.raises(IndexError, match="numbered from 0"):
        huge[10**12]


@pytest.mark.parametrize(
    ("vary", "more", "said"),
    [
        ({}, {}, "say what is varied, as in"),
        ([("a", [1])], {}, "say what is varied, as in"),
        ({"a": 3}, {}, "a list, or a distribution such as"),
        ({"a": "123"}, {}, "a list, or a distribution such as"),
        ({"a": []}, {}, "over an empty list"),
        ({"a": [1]}, {"samples": 3}, "samples= is for distributions"),
        ({"a": dv.studies.Uniform(0, 1)}, {}, "say how often, samples=100"),
        ({"a": dv.studies.Uniform(0, 1)}, {"samples": 0}, "samples must be at least 1"),
        ({"a": dv.studies.Uniform(0, 1)}, {"samples": 2, "method": "sobel"}, "mean 'sobol'"),
        ({"a": dv.studies.Uniform(0, 1)}, {"samples": 2, "seed": -1}, "seed must be at least 0"),
        ({("a", "b"): [(1, 2, 3)]}, {}, "each row has 2 values"),
        ({("a", "b"): [(1, 2)], "b": [3]}, {}, "'b' is varied twice"),
        ({3: [1]}, {}, "has a name such as"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary, more, said):
    with pytest.raises(dv.OptionError, match=said):
        space(vary, **more)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dv.studies.Uniform(1, 1), "must rise"),
        (lambda: dv.studies.Uniform("a", 1), "must be a number"),
        (lambda: dv.studies.LogUniform(0, 1), "above zero"),
        (lambda: dv.studies.Normal(0, 0), "above zero"),
        (lambda: dv.studies.Choice("abc"), "a list of values"),
        (lambda: dv.studies.Uniform(lo=1), "lo"),
    ],
)
def test_distributions_that_are_none_are_refused(make, said):
    with pytest.raises(dv.OptionError, match=said):
        make()
