"""The description of a part as plain JSON and back, whoever wrote it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from functools import cache
from math import isfinite
from typing import Any, get_type_hints

import numpy as np

from ..core.description import Capabilities, Description, Kind, Port, Variable
from ..core.typed import is_of
from ..core.values import fitted
from ..hosts.members import MEMBERS

_MOST = 200_000  # variables of a part


def description_data(d: Description) -> dict[str, Any]:
    """A description as plain data."""
    found: dict[str, Any] = {
        group: [_variable_data(v) for v in vars_]
        for group, vars_ in (
            ("inputs", d.inputs),
            ("outputs", d.outputs),
            ("parameters", d.parameters),
        )
    }
    found["feedthrough"] = {name: sorted(of) for name, of in d.feedthrough.items()}
    found["ports"] = {name: _given(port) for name, port in d.ports.items()}
    found["capabilities"] = _given(d.capabilities)
    return found | {"kind": d.kind, "structural": sorted(d.structural), "states": d.states}


def description_of(data: Any) -> Description:
    """The description again; ValueError if it is none."""
    if not isinstance(data, dict):
        raise ValueError("a description is a mapping")
    groups: dict[str, Any] = {
        g: _variables(data.get(g, [])) for g in ("inputs", "outputs", "parameters")
    }
    settable = [v.name for g in ("inputs", "parameters") for v in groups[g]]
    shown = [v.name for v in groups["outputs"]]
    kind, states = data.get("kind", "part"), data.get("states")
    if any(len(set(n)) < len(n) for n in (settable, shown)) or not is_of(
        [kind, states], list[str | int | None]
    ):
        raise ValueError("a name stands twice, or a kind is none")
    outputs, inputs = ({v.name for v in groups[g]} for g in ("outputs", "inputs"))
    felt = {name: frozenset(of) for name, of in _names(data.get("feedthrough", {})).items()}
    if not (felt.keys() <= outputs and all(of <= inputs for of in felt.values())):
        raise ValueError("a feedthrough names what is not there")
    ports = {str(name): _made(Port, port) for name, port in _map(data.get("ports", {})).items()}
    structural = data.get("structural", [])
    if not is_of(structural, list[str]):
        raise ValueError("structural parameters are names")
    can = _made(Capabilities, data.get("capabilities", {}))
    more: dict[str, Any] = {"kind": str(kind), "structural": frozenset(structural)}
    if isinstance(states, int):
        more["states"] = states
    return Description(**groups, feedthrough=felt, ports=ports, capabilities=can, **more)


def members_of(data: Any) -> list[str]:
    """What a part can do; ValueError for what is not known."""
    if not is_of(data, list[str]) or not set(data) <= set(MEMBERS):
        raise ValueError("a part can do what is not known here")
    return list(data)


def _variable_data(v: Variable) -> dict[str, Any]:
    found = _given(v)
    start = found.pop("start", None)
    if start is None or (isinstance(start, float) and not isfinite(start)):
        return found
    if isinstance(start, np.ndarray):
        return found | {"start": start.ravel().tolist()} if np.isfinite(start).all() else found
    flat = [_text(s) for s in start] if isinstance(start, tuple) else _text(start)
    return found | {"start": flat}


def _text(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _variables(data: Any) -> tuple[Variable, ...]:
    if not isinstance(data, list) or len(data) > _MOST:
        raise ValueError("variables are a list")
    return tuple(_variable(_map(one)) for one in data)


def _variable(given: dict[str, Any]) -> Variable:
    start = given.pop("start", None)
    given = {n: tuple(v) if isinstance(v, list) else v for n, v in given.items()}
    if "kind" in given:
        given["kind"] = Kind(given["kind"])
    made: Variable = _made(Variable, given)
    if not made.name or any(n <= 0 for n in made.shape) or made.size > _MOST:
        raise ValueError("a variable has a name, and a size")
    if start is None:
        return made
    if made.kind == Kind.BINARY:
        many = [base64.b64decode(s) for s in (start if isinstance(start, list) else [start])]
        start = many if isinstance(start, list) else many[0]
    return replace(made, start=fitted(made, start))


def _given(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not as usual, and fit into JSON."""
    found = {}
    for f in fields(value):
        one = getattr(value, f.name)
        if f.default is not MISSING and _same(one, f.default):
            continue
        if isinstance(one, float) and not isfinite(one):
            continue
        found[f.name] = list(one) if isinstance(one, tuple) and f.name != "start" else one
    return found


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and not isinstance(one, np.ndarray) and bool(one == other)


def _made(cls: Any, data: Any) -> Any:
    hints, data = _hints(cls), _map(data)
    for name, value in data.items():
        if name not in hints or not is_of(value, hints[name]):
            raise ValueError(f"'{name}' is not what it should be")
    try:
        return cls(**data)
    except TypeError as error:
        raise ValueError(str(error)) from error


@cache
def _hints(cls: Any) -> Mapping[str, Any]:
    known = get_type_hints(cls)
    return {f.name: known[f.name] for f in fields(cls)}


def _map(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ValueError("a mapping is none")
    return dict(data)


def _names(data: Any) -> dict[str, list[str]]:
    if not is_of(data, dict[str, list[str]]):
        raise ValueError("names are none")
    return dict(data)
