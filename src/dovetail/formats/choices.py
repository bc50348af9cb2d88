"""Schemas for what has a name and options, made from the classes themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
)

from ..core.errors import OptionError
from ..core.renamed import with_new_names
from ..rootfinders import RootFinder
from .call_text import Call, parse_call
from .families import ROOT_FINDERS, Family, default_of, required, snake_case
from .scalars import truth

STRICT = ConfigDict(strict=True, extra="forbid")
FILE, INLINE = "<file>", "<inline>"  # tags of a union; no key of a file looks like that


class Choice(BaseModel):
    """One of a family: one field per class, of which one is given with its options."""

    model_config = STRICT


@cache
def choice(family: Family) -> Any:
    """The type that a schema gives to a field that names one of a family.

    Taken are a name, {name: options}, a call as text, and an object.
    """
    known = family.classes
    slots: dict[str, Any] = {
        name: (Annotated[_options(cls) | None, BeforeValidator(_by_name(cls))], None)
        for name, cls in known.items()
    }
    model = create_model(family.title, __base__=Choice, **slots)

    def prepare(given: Any) -> Any:
        if isinstance(given, tuple(known.values())):
            name = snake_case(type(given).__name__)
            return model.model_construct({name}, **{name: given})
        return _as_mapping(family, given)

    def build(found: BaseModel) -> Any:
        return getattr(found, next(iter(found.model_fields_set)))

    return Annotated[model, BeforeValidator(prepare), AfterValidator(build)]


def from_text(family: Family, text: str) -> Any:
    """The algorithm or the like that a command line names; OptionError says why none."""
    from .problems import sentences
    from .yaml_text import tree_of

    given = tree_of(text, family.title).data if ":" in text else text
    try:
        return TypeAdapter[Any](choice(family)).validate_python(given)
    except ValidationError as error:
        found = (sentence.rstrip(".") for _, sentence in sentences(error, choice(family)))
        raise OptionError("; ".join(found)) from None


def _options(cls: type[Any]) -> Any:
    """A schema made from the fields of a class; what it validates becomes an object of it."""
    hints = get_type_hints(cls)
    slots: dict[str, Any] = {
        f.name: (_field_type(hints[f.name]), ... if default_of(f) is MISSING else default_of(f))
        for f in fields(cls)
    }
    model = create_model(cls.__name__, __config__=STRICT, **slots)

    def build(found: BaseModel) -> Any:
        return cls(**{name: getattr(found, name) for name in found.model_fields_set})

    return Annotated[model, AfterValidator(build)]


def _field_type(hint: Any) -> Any:
    """The type of an option in files: root finders by name, lists for tuples, `on` for true."""
    if hint is RootFinder:
        return choice(ROOT_FINDERS)
    if hint == RootFinder | None:
        return choice(ROOT_FINDERS) | None
    if hint is bool:
        return Annotated[bool, BeforeValidator(truth)]
    if get_origin(hint) is tuple:
        return Annotated[hint, Field(strict=False)]
    return hint


def _as_mapping(family: Family, given: Any) -> Any:
    """Whatever form was used, as {name: options}."""
    if isinstance(given, str):
        given = parse_call(given)
    if isinstance(given, Call):
        name = family.current(snake_case(given.name))
        known = family.classes.get(name)
        places = [f.name for f in fields(known)] if known else []
        if known and len(given.arguments) > len(places):
            raise ValueError(f"takes {len(places)} options, not {len(given.arguments)}: {name}")
        return {name: {**dict(zip(places, given.arguments, strict=False)), **given.options}}
    if not isinstance(given, Mapping):
        raise ValueError(f"must be the name of one {family.title}, not {given!r}")
    if len(given) != 1:
        named = f"not {' and '.join(given)}" if given else "but none is given"
        raise ValueError(f"takes one {family.title}, {named}")
    return {family.current(name): options for name, options in given.items()}


def _by_name(cls: type[Any]) -> Callable[[Any], Any]:
    """Makes a single value the option that must be given, and nothing no options."""
    needed = required(cls)

    def named(given: Any) -> Any:
        if given is None:
            return {}
        if isinstance(given, dict):
            return with_new_names(cls.__name__, given)
        return {needed: given} if needed else given

    return named
