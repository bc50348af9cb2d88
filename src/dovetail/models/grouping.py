"""Groups of states, and what each has to know of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import OptionError, did_you_mean

Groups = Mapping[str, Sequence[str]] | Sequence[Sequence[str]] | Any


def named(groups: Groups, states: Sequence[str]) -> dict[str, list[str]]:
    """Groups by name, each state in exactly one; an array's name stands for its elements."""
    groups = getattr(groups, "groups", groups)
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        what = 'as in {"fast": ["i"], "slow": ["T", "x"]}'
        raise OptionError(f"groups must be lists of states by name, {what}, not {groups!r}.")
    if not isinstance(groups, Mapping):
        groups = {f"block{k + 1}": block for k, block in enumerate(groups)}
    home: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for group, listed in groups.items():
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise OptionError(f"group '{group}' must be a list of states, not {listed!r}.")
        found[group] = []
        for state in listed:
            elements = [s for s in states if s == state or s.startswith(f"{state}[")]
            if not elements:
                hint = did_you_mean(str(state), states)
                raise OptionError(f"'{state}' is no state of the model.{hint}")
            for s in elements:
                if s in home:
                    raise OptionError(f"state '{s}' is in '{home[s]}' and in '{group}'.")
                home[s] = group
                found[group].append(s)
    left = [s for s in states if s not in home]
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        raise OptionError(f"'{left[0]}'{more} is in no group; every state needs one.")
    empty = [group for group, own in found.items() if not own]
    if empty:
        raise OptionError(f"group '{empty[0]}' has no states.")
    return found


def reads(
    groups: Mapping[str, Sequence[str]],
    states: Sequence[str],
    pattern: Any,
    events: Mapping[str, tuple[int, ...]],
) -> dict[str, tuple[str, ...]]:
    """Which states of others each group reads; all where that is not given, as for events."""
    found = {}
    place = {s: k for k, s in enumerate(states)}
    rows = None if pattern is None else pattern.tocsr()
    for group, own in groups.items():
        mine = {place[s] for s in own}
        if rows is None or events[group]:
            used: Iterable[int] = range(len(states))
        else:
            used = np.unique(rows[sorted(mine)].indices).tolist()
        found[group] = tuple(states[k] for k in used if k not in mine)
    return found
