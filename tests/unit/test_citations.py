"""Every method says where it comes from: an article with its authors and year, or us."""

import inspect
import re
from pathlib import Path

import catalogue
import pytest

import dovetail.algorithms
import dovetail.controllers
import dovetail.estimators
import dovetail.junctions
import dovetail.rootfinders

OURS = re.compile(r"\bof our\s+own\b")
# Authors, a comma, a title or a journal that begins with a capital, a year, in one sentence.
AUTHORS = r"[A-Z]\w+(?:(?:, | and )(?:[A-Z]\w+|others))*"
ARTICLE = re.compile(rf"\b{AUTHORS}, [A-Z](?:[^.]|\.\d)*\b(?:19|20)\d\d\b")

PAGE = Path(__file__).parents[2] / "docs" / "papers" / "index.md"
SOURCES = PAGE.read_text(encoding="utf-8").split("\n## Sources\n", 1)[1].splitlines()

METHODS = sorted(
    {
        *map(type, catalogue.algorithms),
        *map(type, catalogue.controllers),
        *map(type, catalogue.rootfinders),
        *map(type, catalogue.contractions),
        *map(type, catalogue.estimators),
        dovetail.junctions.SlidingMode,
        dovetail.junctions.IteratedJunction,
    },
    key=lambda method: (method.__module__, method.__name__),
)


def source(method):
    """The last paragraph of a docstring, in one line."""
    return " ".join(inspect.getdoc(method).rpartition("\n\n")[2].split())


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.__module__}.{m.__name__}")
def test_its_last_words_are_where_it_comes_from(method):
    assert "\n\n" in inspect.getdoc(method), "the source has a paragraph of its own"
    assert ARTICLE.search(source(method)) or OURS.search(source(method))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.__module__}.{m.__name__}")
def test_its_articles_are_among_the_sources_on_the_page(method):
    article = ARTICLE.search(source(method))
    years = set(re.findall(r"\b(?:19|20)\d\d\b", source(method)))
    if article is not None:
        [author] = re.findall(r"^\w+", article[0])
        assert any(author in row for row in SOURCES)
    assert not [year for year in years if not any(f"({year})" in row for row in SOURCES)]


@pytest.mark.parametrize(
    "said",
    [
        "Second order, one evaluation per window.",
        "Windows of one size, which 1969 tests use.",
        "After Irons and Tuck, A version of the Aitken accelerator.",
    ],
)
def test_words_without_a_source_would_be_noticed(said):
    assert not ARTICLE.search(said) and not OURS.search(said)
