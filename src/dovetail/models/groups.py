"""Parts of a drawing as a group, which is a nested system; a group taken apart; a look inside.

What a group is given from outside counts inside as well: inside and outside are one drawing.
"""
# Over 250 lines: into a group, out of it, and a look inside turn the same names to and fro.

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import DrawingError, Problem, did_you_mean
from ..drawing.part import Part
from ..drawing.revision import Revision
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..subsystems.subsystem import Model
from .group_settings import settings_by
from .group_sketches import followed, gathered, scattered
from .merged import Merged
from .nested import Nested


def grouped(system: System, members: Collection[str], name: str, **options: Any) -> System:
    """The drawing with these parts in a nested system, all wires kept; options are its own."""
    inside = [n for n in system.parts if n in set(members)]
    for member in members:
        _part(system, member)
    if not inside:
        raise DrawingError([Problem(name, "a group needs at least one part.")], system.name)
    kept = [n for n in system.parts if n not in inside]
    left = system.blank()
    for n in kept:
        left.put(system.parts[n])
    problems = left.checked_name(name)
    if problems:
        raise DrawingError(problems, system.name)
    whole = Revision.of(system)
    inner = _inner(system, whole, set(inside), name)
    into = {n: f"{name}.{n}" for n in inside}
    group = Part(name, Nested(inner, **options), {})
    parts = [group if p.name == inside[0] else p for p in whole.parts
             if p.name not in inside[1:]]  # fmt: skip
    wires = tuple(
        (_moved(source, into), _moved(target, into), c)
        for source, target, c in whole.wires
        if not (c.source.part in inside and c.target.part in inside)
    )
    joints = tuple(
        (tuple(_moved(p, into) for p in ports), j)  # what meets others outside is a port of it
        for ports, j in whole.joints
        if not {e.part for e in j.ends} <= set(inside)
    )
    made = _drawn(system, Revision(tuple(parts), wires, joints))
    made.sketch = gathered(system.sketch, into, name, made)
    made.run_settings = settings_by(system.run_settings, lambda text: _moved(text, into), inside)
    return made


def ungrouped(system: System, name: str) -> System:
    """The drawing with the parts of a nested system in its place, all wires kept.

    Names that are taken count up. The algorithm of the group is gone with it.
    """
    model = _holder(system, name)
    inner = looked_into(system, [name])
    taken = {n for n in system.parts if n != name}
    names = dict[str, str]()
    for n in inner.parts:
        names[n] = _free(n, {*taken, *names.values()})
    outer = {o: _moved(i, names) for o, i in _exposed(model).items()}

    def out(text: str) -> str:
        part, _, variable = text.partition(".")
        if part != name:
            return text
        hidden = _moved(variable, names) if variable.partition(".")[0] in names else text
        return outer.get(variable, hidden)

    whole, within = Revision.of(system), Revision.of(inner, lambda n: names[n])
    parts = list[Part]()
    for p in whole.parts:
        parts += within.parts if p.name == name else (p,)
    wires = tuple((out(a), out(b), c) for a, b, c in whole.wires)
    joints = tuple((tuple(map(out, ports)), j) for ports, j in whole.joints)
    revision = Revision(tuple(parts), (*wires, *within.wires), (*joints, *within.joints))
    made = _drawn(system, revision)
    sketch = inner.sketch.changed(names.get, lambda _: True)
    made.sketch = scattered(system.sketch, sketch, name, out)
    made.run_settings = settings_by(system.run_settings, out, (), name, tuple(names.values()))
    return made


def looked_into(system: System, path: Sequence[str]) -> System:
    """The system inside of a part, or deeper; with the values that it is given from outside."""
    inner = system
    for name in path:
        model, part = _holder(inner, name), inner.parts[name]
        names = _exposed(model)
        inner = model.system.copy()
        for variable, value in part.values.items():
            inner.set(names.get(variable, variable), value, force=variable in part.forced)
    return inner


def put_back(system: System, path: Sequence[str], inner: System) -> System:
    """The drawing with another system inside of a part; wires to what is gone are gone."""
    if not path:
        return inner
    *above, name = path
    outer = looked_into(system, above)
    model = _holder(outer, name)
    before = looked_into(outer, [name])
    renamed = _renamed(before, inner)
    names = {o: _moved(i, renamed) for o, i in model.names.items()}
    there = {f"{p.name}.{v.name}" for p in inner.parts.values() for v in _variables(p)}
    made = replace(model, system=inner, names={o: i for o, i in names.items() if i in there})

    def change(text: str) -> str:
        part, _, variable = text.partition(".")
        if part != name or model.names:
            return text
        return f"{name}.{_moved(variable, renamed)}"

    gone = set[str]()
    if not model.names:
        gone = {f"{name}.{n}" for n in before.parts if n not in renamed}
    else:
        gone = {f"{name}.{o}" for o, i in names.items() if i not in there}
    whole = Revision.of(outer)
    parts = tuple(Part(name, made, {}) if p.name == name else p for p in whole.parts)
    wires = tuple(
        (change(a), change(b), c) for a, b, c in whole.wires if not gone & {*_stems(a), *_stems(b)}
    )
    for _, target, _ in wires:
        part, _, variable = target.partition(".")
        place = made.names.get(variable, variable)
        if part == name and inner.is_fed(*_split(place)):
            what = f"'{place}' is fed from outside of '{name}' already; an input takes one source."
            raise DrawingError([Problem(place, what)], inner.name)
    joints = tuple(
        (found, j)
        for ports, j in whole.joints
        if len(found := tuple(_reached(ports, name, renamed, made, inner))) > 1
    )
    redrawn = _drawn(outer, Revision(parts, wires, joints))
    redrawn.sketch = followed(outer.sketch, change, redrawn)
    redrawn.run_settings = settings_by(outer.run_settings, change, ())
    return put_back(system, above, redrawn)


def _reached(
    ports: Sequence[str], name: str, renamed: Mapping[str, str], group: Model, inner: System
) -> Iterator[str]:
    """Ports of a junction around a group whose inside is another one now; none of parts gone."""
    for text in ports:
        part, _, port = text.partition(".")
        if part != name:
            yield text
            continue
        if port.partition(".")[0] not in renamed:
            continue
        place = _moved(port, renamed)
        if place not in group.description.ports:
            what = f"'{place}' meets ports outside of '{name}' already; a port meets others once."
            raise DrawingError([Problem(place, what)], inner.name)
        yield f"{name}.{place}"


def holds(system: System, path: Sequence[str]) -> bool:
    """Whether there is something to look into along a path."""
    for name in path:
        model = system.parts[name].model if name in system.parts else None
        if not isinstance(model, Nested | Merged):
            return False
        system = model.system
    return True


def _inner(system: System, whole: Revision, inside: set[str], name: str) -> System:
    parts = tuple(p for p in whole.parts if p.name in inside)
    wires = tuple(w for w in whole.wires if {w[2].source.part, w[2].target.part} <= inside)
    joints = tuple(j for j in whole.joints if {e.part for e in j[1].ends} <= inside)
    inner = Revision(parts, wires, joints).redrawn(
        system, lambda part: part if part in inside else None
    )
    inner.name = name
    inner.run_settings = RunSettings()
    inner.sketch = replace(inner.sketch, title="", canvas=None, marks=(), outlets=(), plots=())
    return inner


def _drawn(system: System, revision: Revision) -> System:
    made, problems = revision.drawn(system)
    if problems:
        raise DrawingError(problems, system.name)
    return made


def _part(system: System, name: str) -> Part:
    if name not in system.parts:
        what = f"there is no part '{name}'.{did_you_mean(str(name), system.parts)}"
        raise DrawingError([Problem(str(name), what)], system.name)
    return system.parts[name]


def _holder(system: System, name: str) -> Nested | Merged:
    model = _part(system, name).model
    if not isinstance(model, Nested | Merged):
        what = f"'{name}' is no group: it has no parts inside."
        raise DrawingError([Problem(name, what)], system.name)
    return model


def _exposed(model: Nested | Merged) -> dict[str, str]:
    """Inner names by outer ones, for all that can be connected or given a value."""
    d = model.description
    every = (*d.inputs, *d.outputs, *d.parameters)
    return {v.name: model.names.get(v.name, v.name) for v in every}


def _variables(part: Part) -> Iterator[Any]:
    d = part.description
    yield from (*d.inputs, *d.outputs, *d.parameters)


def _renamed(before: System, after: System) -> dict[str, str]:
    """Names of parts that are still there, and what they are called now."""
    found = {n: n for n in before.parts if n in after.parts}
    new = [p for n, p in after.parts.items() if n not in before.parts]
    for n, part in before.parts.items():
        if n in found:
            continue
        same = next((p for p in new if p.model is part.model), None)
        if same is not None:
            new.remove(same)
            found[n] = same.name
    return found


def _moved(text: str, names: Mapping[str, str]) -> str:
    part, dot, variable = text.partition(".")
    return f"{names.get(part, part)}{dot}{variable}"


def _split(text: str) -> tuple[str, str]:
    part, _, variable = text.partition(".")
    return part, variable


def _stems(text: str) -> tuple[str, str]:
    """`group.part.variable` as itself, and without its last word."""
    outer, _, rest = text.partition(".")
    return text, f"{outer}.{rest.partition('.')[0]}"


def _free(wanted: str, taken: Collection[str]) -> str:
    name, stem, count = wanted, wanted.rstrip("0123456789") or wanted, 2
    while name in taken:
        name, count = f"{stem}{count}", count + 1
    return name
