"""Algorithms, controllers and root finders by name, with their options.

A name is that of the class in lower case; the options are its fields. Nothing is listed here: a
new class is known as soon as its package exports it.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from types import ModuleType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from .. import algorithms, controllers, estimators, rootfinders
from .. import junctions as coordinators
from ..core.errors import OptionError
from ..core.renamed import RENAMED, warn_renamed
from ..rootfinders import RootFinder


@dataclass(frozen=True, slots=True)
class Family:
    """Classes of one purpose: what they are called together, and where they are."""

    title: str
    home: ModuleType
    verb: str  # the method that makes a class one of them

    @property
    def classes(self) -> dict[str, type[Any]]:
        """Its classes whose options can be written down, by name."""
        every = (cast("type[Any]", getattr(self.home, name)) for name in self.home.__all__)
        ours = (c for c in every if is_dataclass(c) and hasattr(c, self.verb) and _writable(c))
        return {snake_case(c.__name__): c for c in ours}

    def current(self, name: str) -> str:
        """The name that a class has now, for one that it had; a warning says so."""
        new = _OLD.get(name, name)
        if new == name or new not in self.classes:
            return name
        warn_renamed(f"the {self.title} '{name}'", f"'{new}'")
        return new


ALGORITHMS = Family("algorithm", algorithms, "step")
CONTROLLERS = Family("controller", controllers, "judge")
ESTIMATORS = Family("estimator", estimators, "bind")
COORDINATORS = Family("coordinator", coordinators, "serves_junctions")
ROOT_FINDERS = Family("solver", rootfinders, "solve")


def as_data(value: Any) -> Any:
    """An algorithm or the like as data: its name, with the options that are not the usual ones."""
    name = snake_case(type(value).__name__)
    families = (ALGORITHMS, CONTROLLERS, COORDINATORS, ESTIMATORS, ROOT_FINDERS)
    if not any(family.classes.get(name) is type(value) for family in families):
        raise OptionError(f"{value!r} has no name in files; use one of Dovetail's own")
    given = {
        f.name: _option_as_data(getattr(value, f.name))
        for f in fields(value)
        if getattr(value, f.name) != default_of(f)
    }
    if list(given) == [required(type(value))]:
        return {name: next(iter(given.values()))}
    return {name: given} if given else name


def called(value: Any) -> str:
    """The same in one line, as the command line takes it."""
    data = as_data(value)
    if isinstance(data, str):
        return data
    ((name, options),) = data.items()
    if not isinstance(options, dict):
        return f"{name}({options})"
    given = {n: v if isinstance(v, list) else getattr(value, n) for n, v in options.items()}
    texts = (f"{n}={called(v) if is_dataclass(v) else v}" for n, v in given.items())
    return f"{name}({', '.join(texts)})"


def snake_case(name: str) -> str:
    """`GaussSeidel` as `gauss_seidel`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


_OLD = {snake_case(old): snake_case(new) for old, new in RENAMED.items()}


def required(cls: type[Any]) -> str | None:
    """The one option that must be given, if there is one: {fixed_step: 0.01} means it."""
    needed = [f.name for f in fields(cls) if default_of(f) is MISSING]
    return needed[0] if len(needed) == 1 else None


def default_of(field: Field[Any]) -> Any:
    """What an option is when it is not given; MISSING if it must be."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def _option_as_data(value: Any) -> Any:
    if is_dataclass(value):
        return as_data(value)
    return list(value) if isinstance(value, tuple) else value


def _writable(cls: type[Any]) -> bool:
    hints = get_type_hints(cls)
    return all(_plain(hints[f.name]) for f in fields(cls))


def _plain(hint: Any) -> bool:
    """Whether a value of this type can be written in a line of a file."""
    if get_origin(hint) in (Union, UnionType):
        return all(_plain(member) for member in get_args(hint))
    if get_origin(hint) is tuple:
        return all(_simple(member) for member in get_args(hint))
    return hint is RootFinder or _simple(hint)


def _simple(hint: Any) -> bool:
    words = get_args(hint)  # of a Literal
    plain = hint in (bool, int, float, str, type(None), Ellipsis)
    return plain or (bool(words) and all(isinstance(word, str) for word in words))
