"""Values that a user gives the variables of a part: which fit, and what a run starts from."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.description import Description, Variable
from ..core.errors import DrawingError, Problem, did_you_mean
from ..core.values import Value, Values, fitted, neutral
from .limits import are_lifted, beyond
from .part import Part
from .quantity import in_unit

if TYPE_CHECKING:
    from .canvas import Canvas

_ELEMENT = re.compile(r"(.+)\[(\d+(?:\s*,\s*\d+)*)\]")


def fitting_values(
    name: str,
    d: Description,
    values: Mapping[str, Any],
    drawn: Values | None = None,
    force: Collection[str] = (),
) -> tuple[dict[str, Value], list[Problem]]:
    """Those of the values for a part that fit, and why the others do not.

    Elements of arrays are put into the array that is `drawn`, or else into that of the model.
    Values in `force` may lie beyond declared limits.
    """
    problems = [
        Problem(f"{name}.{n}", f"'{name}.{n}' is to be forced, and has no value in '{name}'.")
        for n in force
        if n not in values
    ]
    settable = {v.name: v for v in (*d.inputs, *d.parameters)}
    accepted: dict[str, Value] = {}
    for alias, given in values.items():
        where = f"{name}.{alias}"
        try:
            key, index = _place(d, settable, alias)
        except KeyError as error:
            what = f"'{where}' is not a parameter, start value or input of '{name}'.{error.args[0]}"
            problems.append(Problem(where, what))
            continue
        variable = settable[key]
        try:
            if index is None:
                accepted[key] = fitted(variable, in_unit(variable, given))
            else:
                before = accepted.get(key, (drawn or {}).get(key, variable.start))
                accepted[key] = _with_element(variable, before, index, given)
            far = beyond(variable, accepted[key])
            if far is not None and not (alias in force or are_lifted()):
                del accepted[key]
                way_out = f"to insist, use system.set('{where}', ..., force=True)"
                raise ValueError(f"{far}; {way_out}, 'force: [{alias}]' in a file, or --force")
        except ValueError as error:
            problems.append(Problem(where, f"'{where}' {error}.".replace("?.", "?")))
    return accepted, problems


def far_values(d: Description, values: Values) -> dict[str, str]:
    """The values that lie beyond what their model declares, and how."""
    known = {v.name: v for v in (*d.inputs, *d.parameters)}
    found = {n: beyond(known[n], value) for n, value in values.items() if n in known}
    return {n: far for n, far in found.items() if far is not None}


def changed_part(canvas: Canvas, name: str, value: Any, *, force: bool) -> Part:
    """The part that `name` belongs to, with another value; without one if it is None."""
    part, variable = _named(canvas, name)
    d = part.description
    if value is None:
        key = _settable(canvas, part, variable)[0].name
        kept = {n: v for n, v in part.values.items() if n != key}
        return part.with_values(kept, part.forced - {key})
    named = (variable,) if force else ()
    accepted, problems = fitting_values(part.name, d, {variable: value}, part.values, named)
    if problems:
        raise DrawingError(problems, canvas.name)
    forced = (part.forced - set(accepted)) | set(far_values(d, accepted))
    return part.with_values({**part.values, **accepted}, forced)


def variable_of(canvas: Canvas, name: str) -> Variable:
    """The variable, or the element of one, that a name gives a value to."""
    variable, index = _settable(canvas, *_named(canvas, name))
    return variable if index is None else replace(variable, shape=(), start=None)


def value_of(canvas: Canvas, name: str) -> Value | None:
    """What a run starts from; None where a model keeps that to itself."""
    part, text = _named(canvas, name)
    variable, index = _settable(canvas, part, text)
    value = part.values.get(variable.name, variable.start)
    if value is None and any(v.name == variable.name for v in part.description.inputs):
        value = fitted(variable, neutral(variable))
    if value is None or index is None:
        return value.copy() if isinstance(value, np.ndarray) else value
    return _flat(value)[_offset(variable, index)]  # type: ignore[no-any-return]


def _named(canvas: Canvas, name: Any) -> tuple[Part, str]:
    """The part, and the rest of a name."""
    text = str(name)
    part, dot, variable = text.partition(".")
    if not dot or not isinstance(name, str):
        owner = next((p for p in canvas.parts.values() if _has(p.description, name)), None)
        hint = "" if owner is None else f" Did you mean '{owner.name}.{name}'?"
        lacks = "variable" if owner is None else "part"
        what = f"{name!r} names no {lacks}; write 'part.variable'.{hint}"
        raise DrawingError([Problem(text, what)], canvas.name)
    if part not in canvas.parts:
        what = f"there is no part '{part}'.{did_you_mean(part, canvas.parts)}"
        raise DrawingError([Problem(text, what)], canvas.name)
    return canvas.parts[part], variable


def _has(d: Description, name: Any) -> bool:
    return any(v.name == name for v in (*d.inputs, *d.parameters))


def _settable(canvas: Canvas, part: Part, text: str) -> tuple[Variable, str | None]:
    """The variable of a part that may be given a value, and which element of it is meant."""
    d = part.description
    settable = {v.name: v for v in (*d.inputs, *d.parameters)}
    where = f"{part.name}.{text}"
    try:
        key, index = _place(d, settable, text)
        if index is not None:
            _offset(settable[key], index)
    except KeyError as error:
        what = f"'{where}' is not a parameter, start value or input of '{part.name}'."
        raise DrawingError([Problem(where, what + error.args[0])], canvas.name) from None
    except ValueError as error:
        raise DrawingError([Problem(where, f"'{where}' {error}.")], canvas.name) from None
    return settable[key], index


def _place(d: Description, settable: Mapping[str, Variable], alias: str) -> tuple[str, str | None]:
    """The name of a variable, and the element of it if one is meant; KeyError holds a hint."""
    key = d.aliases.get(alias, alias)
    if key in settable:
        return key, None
    if (match := _ELEMENT.fullmatch(key)) is not None:
        whole = d.aliases.get(match[1], match[1])
        if whole in settable and settable[whole].shape:
            return whole, match[2]
    if any(v.name == key for v in d.outputs):
        raise KeyError(" It is an output.")
    if key in d.structural:
        way_out = f"give it to the model: dv.load(..., structural={{'{key}': ...}})"
        raise KeyError(f" It decides the sizes of arrays; {way_out}.")
    raise KeyError(did_you_mean(key, settable))


def _offset(variable: Variable, index: str) -> int:
    """Where an element lies among the others; indices count from one."""
    places = [int(word) for word in index.split(",")]
    shape = variable.shape
    inside = all(1 <= k <= extent for k, extent in zip(places, shape, strict=False))
    if len(places) != len(shape) or not inside:
        extents = "x".join(map(str, shape))
        raise ValueError(f"is no element of '{variable.name}', which has {extents} values")
    return int(np.ravel_multi_index([k - 1 for k in places], shape))


def _with_element(variable: Variable, before: Value | None, index: str, given: Any) -> Value:
    """An array with another element."""
    if before is None:
        before = fitted(variable, neutral(variable))
    flat = list(_flat(before))
    place = _offset(variable, index)
    flat[place] = fitted(replace(variable, shape=()), in_unit(variable, given))
    return fitted(variable, flat)


def _flat(value: Any) -> Any:
    return value.ravel().tolist() if isinstance(value, np.ndarray) else value
