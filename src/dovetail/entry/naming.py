"""Algorithms, controllers and estimators by name, as on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from ..algorithms.base import Algorithm
from ..controllers.base import Controller
from ..core.errors import InputError, OptionError
from ..estimators.base import Estimator

if TYPE_CHECKING:
    from ..formats.families import Family


def named_algorithm(given: Algorithm | str | None) -> Algorithm | None:
    """The algorithm that a text names; an object is itself."""
    if not isinstance(given, str):
        return given
    from ..formats.families import ALGORITHMS

    return cast(Algorithm, _named(ALGORITHMS, given, "algorithm"))


def named_controller(given: Controller | str | None) -> Controller | None:
    """The controller that a text names."""
    if not isinstance(given, str):
        return given
    from ..formats.families import CONTROLLERS

    return cast(Controller, _named(CONTROLLERS, given, "controller"))


def named_estimators(
    given: Mapping[str, Estimator | str] | Literal["auto"] | None,
) -> Mapping[str, Estimator] | Literal["auto"] | None:
    """The estimators that texts name, by part."""
    if not isinstance(given, Mapping):
        return given
    from ..formats.families import ESTIMATORS

    return {
        part: cast(Estimator, _named(ESTIMATORS, one, f"the estimator of '{part}'"))
        if isinstance(one, str)
        else one
        for part, one in given.items()
    }


def _named(family: Family, text: str, place: str) -> Any:
    from ..formats.choices import from_text

    try:
        return from_text(family, text)
    except InputError as error:
        raise OptionError(f"{place}: {error}") from None
