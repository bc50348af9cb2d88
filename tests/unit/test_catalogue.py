"""Nothing is exported that the catalogue does not try."""

import inspect

import catalogue
import pytest

import dovetail.algorithms
import dovetail.controllers
import dovetail.estimators
import dovetail.models
import dovetail.rootfinders

HELPERS = {"Accept", "ConvergenceTest", "GiveUp", "Rehearsal", "Retry", "Root", "Schedule", "Trial"}


def exported(module):
    things = [getattr(module, name) for name in module.__all__ if name not in HELPERS]
    return [
        thing
        for thing in things
        if inspect.isclass(thing) and not getattr(thing, "_is_protocol", False)
    ]


ROWS = {
    dovetail.algorithms: catalogue.algorithms,
    dovetail.controllers: catalogue.controllers,
    dovetail.estimators: catalogue.estimators,
    dovetail.models: [sample.make() for sample in catalogue.models],
    dovetail.rootfinders: [*catalogue.rootfinders, *catalogue.contractions],
}


@pytest.mark.parametrize("module", ROWS, ids=lambda m: m.__name__)
def test_every_exported_class_has_a_row(module):
    tried = {type(row) for row in ROWS[module]}
    missing = [c.__name__ for c in exported(module) if c not in tried]
    assert not missing, f"tests/catalogue.py has no row for {', '.join(missing)}"


@pytest.mark.parametrize(
    "rows",
    [catalogue.algorithms, catalogue.controllers, catalogue.rootfinders, catalogue.models],
    ids=["algorithms", "controllers", "rootfinders", "models"],
)
def test_ids_tell_rows_apart(rows):
    names = [catalogue.brief(row) for row in rows]
    assert len(set(names)) == len(names)
