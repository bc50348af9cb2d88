"""What pydantic found wrong, in terms of system files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ..core.errors import did_you_mean
from .choices import FILE, INLINE, Choice
from .scalars import resolved
from .yaml_text import Place

_WANTED = {
    "string_type": "text",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "dict_type": "a mapping such as {name: value}",
    "model_type": "a mapping such as {name: value}",
    "list_type": "a list",
    "tuple_type": "a list",
    "finite_number": "a finite number",
}
_TYPE = re.compile(r"(dict|list|tuple|union|literal|function-\w+)\[.*\]$")
_MUST_BE = re.compile(r"('.*?' must be )(.*?)(, not .*)", re.DOTALL)
_EXAMPLES = {float: ", a number such as 0.01", int: ", a whole number", str: ", a text"}


def sentences(error: ValidationError, schema: Any) -> Iterator[tuple[Place, str]]:
    """Every problem: where it is, and a sentence about it.

    Where a value may be of several types, only that is told which reaches deepest into it: with
    `merge: {rtol: -1}` not that it is neither true nor false.
    """
    raw: list[dict[str, Any]] = [dict(found) for found in error.errors()]
    every = [(_place(found["loc"], schema), found) for found in raw]
    told: dict[Place, list[str]] = {}
    for place, found in every:
        tried = len(place) < sum(step not in (FILE, INLINE) for step in found["loc"])
        if not (tried and any(p[: len(place)] == place != p for p, _ in every)):
            told.setdefault(place, []).append(_sentence(found, place, schema))
    for place, said in told.items():
        yield from ((place, sentence) for sentence in _joined(said))


def _joined(said: list[str]) -> list[str]:
    """What a value must be is one sentence, though there are several types that it may have."""
    found = [_MUST_BE.fullmatch(sentence) for sentence in said]
    matches = [m for m in found if m is not None]
    if len({(m[1], m[3]) for m in matches}) != 1 or len(matches) < len(said):
        return said
    return [f"{matches[0][1]}{' or '.join(m[2] for m in matches)}{matches[0][3]}"]


def _place(steps: Sequence[str | int], schema: Any) -> Place:
    """Where a file has it: without the types that pydantic tried on the way."""
    place: list[str | int] = []
    known = list(_candidates(schema))
    for step in steps:
        if step in (FILE, INLINE) or (isinstance(step, str) and _TYPE.match(step)):
            continue
        inner = [type_ for one in known for type_ in _inside(one, step)]
        names = [getattr(one, "__name__", "") for one in known]
        if not inner and len(known) > 1 and step in names:
            continue
        place.append(step)
        known = [one for type_ in inner for one in _candidates(type_)]
    return tuple(place)


def _sentence(found: dict[str, Any], place: Place, schema: Any) -> str:
    kind, given, context = found["type"], found["input"], found.get("ctx", {})
    title = f"'{_path(place)}'" if place else "it"
    match kind:
        case "missing":
            if place == ("dovetail",):  # the one key that newcomers cannot guess
                return "'dovetail' is missing; write 'dovetail: 1' into the first line."
            if place == ("parts",):
                return "'parts' is missing; write 'parts: {name: model}', as in 'tank: tank.fmu'."
            return _lacking(place, schema)
        case "extra_forbidden":
            return _unknown(place, schema)
        case "literal_error":
            return f"{title} must be {context['expected']}, not {_shown(given)}."
        case "greater_than":
            return f"{title} must be above {context['gt']:g}, not {_shown(given)}."
        case "value_error":
            what = str(context["error"])
            return f"{title} {what}." if _continues(what) else f"{title}: {what}."
    wanted = _WANTED.get(kind)
    if wanted is None:
        return f"{title}: {found['msg']}."
    if given is None:
        return f"{title} is empty; it must be {wanted}."
    quotes = isinstance(given, str) and "number" in wanted and not isinstance(resolved(given), str)
    hint = "; take the quotes away" if quotes else ""
    if isinstance(given, list) and "mapping" in wanted and all(isinstance(g, dict) for g in given):
        hint = "; write it without the dashes and brackets of a list"
    if isinstance(given, dict) and wanted == "a list":
        hint = "; begin each of its lines with '- '"
    return f"{title} must be {wanted}, not {_shown(given)}{hint}."


def _lacking(place: Place, schema: Any) -> str:
    """A key that must be there, and what it is."""
    model, key = _model_at(schema, place[:-1]), str(place[-1])
    fields = model.model_fields.items() if model else ()
    kinds = [k for n, f in fields if key in (n, f.alias) for k in _candidates(f.annotation)]
    what = next((text for kind, text in _EXAMPLES.items() if kind in kinds), "")
    return f"'{_path(place[:-1])}' needs '{key}'{what}." if place[:-1] else f"'{key}' is missing."


def _path(place: Place) -> str:
    """`connections[2].gain`: a place as people write it, counted from one."""
    steps = (f"[{s + 1}]" if isinstance(s, int) else f".{s}" for s in place)
    return "".join(steps).removeprefix(".")


def _continues(what: str) -> bool:
    """Whether a text goes on where 'name' stands, as in 'must be above zero'."""
    return what.split(" ", 1)[0] in ("must", "takes", "needs", "is", "cannot")


def _unknown(place: Place, schema: Any) -> str:
    """A key that is not known, and the one that was probably meant."""
    model, key = _model_at(schema, place[:-1]), str(place[-1])
    known = [f.alias or name for name, f in model.model_fields.items()] if model else []
    hint = did_you_mean(key, known) or f" Known: {', '.join(known)}."
    if model is not None and issubclass(model, Choice):
        return f"there is no {model.__name__} '{key}'.{hint}"
    inside = f" in '{_path(place[:-1])}'" if place[:-1] else ""
    return f"'{key}' means nothing{inside}.{hint}"


def _model_at(schema: Any, place: Place) -> type[BaseModel] | None:
    """The model that describes a place in a file."""
    for candidate in _candidates(schema):
        if not place:
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                return candidate
            continue
        step, rest = place[0], place[1:]
        for inner in _inside(candidate, step):
            found = _model_at(inner, rest)
            if found is not None:
                return found
    return None


def _candidates(schema: Any) -> Iterator[Any]:
    """A type without its annotations; each member of a union."""
    if get_origin(schema) is Annotated:
        yield from _candidates(get_args(schema)[0])
    elif isinstance(schema, type) or get_origin(schema) in (dict, list, tuple):
        yield schema
    else:
        for member in get_args(schema):
            yield from _candidates(member)


def _inside(schema: Any, step: str | int) -> Iterator[Any]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        for name, field in schema.model_fields.items():
            if step in (name, field.alias):
                yield field.annotation
    elif get_origin(schema) in (dict, list, tuple):
        yield get_args(schema)[-1]


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 60 else text[:57] + "..."
