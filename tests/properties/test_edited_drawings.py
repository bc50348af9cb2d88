"""Any sequence of edits gives the drawing that would have been drawn directly."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.check.checking import check

LAG = dv.Dynamic(
    states={"x": 1.0},
    inputs={"u": 0.5},
    outputs=["y"],
    parameters={"k": 1.0},
    derivatives=lambda t, x, u, p: [p.k * (u.u - x.x)],
    output=lambda t, x, u, p: [x.x],
)
WIDE = dv.Dynamic(
    states={"x": 0.0, "z": 1.0},
    inputs={"v": 0.25, "u": 0.5},
    outputs=["z", "y"],
    parameters={"k": 2.0, "more": 1.0},
    derivatives=lambda t, x, u, p: [u.u - x.x, p.k * u.v - x.z],
    output=lambda t, x, u, p: [x.z, x.x],
)
TABLE = dv.Table(time=[0.0, 1.0], columns={"y": [1.0, 2.0]})
CAPACITOR = dv.Dynamic(
    states={"y": 1.0},
    inputs={"u": 0.0},
    outputs=["y"],
    parameters={"k": 1.0},
    derivatives=lambda t, x, u, p: [p.k * u.u],
    output=lambda t, x, u, p: [x.y],
    ports={"pin": dv.Port("electrical", effort="y", flow="u")},
)
MODELS = {"lag": LAG, "wide": WIDE, "table": TABLE, "capacitor": CAPACITOR}
INPUTS = {"lag": ("u", "k"), "wide": ("u", "v", "k"), "table": (), "capacitor": ("u", "k")}
NAMES = ("a", "b", "c", "d", "e", "f")
FIRST = ("lag", "wide", "table", "capacitor", "capacitor", "capacitor")


@dataclass
class Plan:
    """A drawing as plain data, edited by plain means."""

    parts: dict = field(default_factory=dict)  # name: [model, values]
    wires: list = field(default_factory=list)  # [source part, target part, input, gain]
    joints: list = field(default_factory=list)  # lists of parts

    def fed(self, part, variable):
        wired = any(w[1:3] == [part, variable] for w in self.wires)
        return wired or (variable == "u" and any(part in ports for ports in self.joints))

    def leave(self, part):
        self.joints = [[p for p in ports if p != part] for ports in self.joints]
        self.joints = [ports for ports in self.joints if len(ports) > 1]

    def drawn(self):
        system = dv.System("edited")
        for name, (model, values) in self.parts.items():
            system.add(name, MODELS[model], dict(values))
        for source, target, variable, gain in self.wires:
            system.connect(f"{source}.y", f"{target}.{variable}", gain=gain)
        for ports in self.joints:
            system.join(*(f"{part}.pin" for part in ports))
        return system


class Editor:
    """The same edits on a plan and on a system."""

    def __init__(self, data):
        self.data, self.plan, self.system = data, Plan(), dv.System("edited")

    def pick(self, things):
        return self.data.draw(st.sampled_from(list(things)))

    def begin(self):
        """Parts of all kinds, connected, two of them joined."""
        for name, model in zip(NAMES, FIRST, strict=True):
            self.plan.parts[name] = [model, {}]
            self.system.add(name, MODELS[model])
        for _ in range(4):
            self.connect()
        self.join()

    def add(self):
        name, model = self.pick(NAMES), self.pick(MODELS)
        if name not in self.plan.parts:
            self.plan.parts[name] = [model, {}]
            self.system.add(name, MODELS[model])

    def set(self):
        name = self.pick(self.plan.parts)
        model, values = self.plan.parts[name]
        if model != "table":
            value = self.pick([None, 0.5, 1.5])
            values.pop("k", None)
            values.update({} if value is None else {"k": value})
            self.system.set(f"{name}.k", value)

    def connect(self):
        source, target = self.pick(self.plan.parts), self.pick(self.plan.parts)
        variable = self.pick(INPUTS[self.plan.parts[target][0]] or ("u",))
        if variable not in INPUTS[self.plan.parts[target][0]] or self.plan.fed(target, variable):
            with pytest.raises(dv.DrawingError):
                self.system.connect(f"{source}.y", f"{target}.{variable}")
            return
        gain = self.pick([0.5, 1.0])
        self.plan.wires.append([source, target, variable, gain])
        self.system.connect(f"{source}.y", f"{target}.{variable}", gain=gain)

    def join(self):
        found = [
            n
            for n, (m, _) in self.plan.parts.items()
            if m == "capacitor" and not self.plan.fed(n, "u")
        ]
        if len(found) > 1:
            count = self.data.draw(st.integers(2, len(found)))
            self.plan.joints.append(found[:count])
            self.system.join(*(f"{part}.pin" for part in found[:count]))

    def remove(self):
        name = self.pick(self.plan.parts)
        del self.plan.parts[name]
        self.plan.wires = [w for w in self.plan.wires if name not in w[:2]]
        self.plan.leave(name)
        self.system.remove(name)

    def rename(self):
        old, new = self.pick(self.plan.parts), self.pick(NAMES)
        if new in self.plan.parts and new != old:
            with pytest.raises(dv.DrawingError):
                self.system.rename(old, new)
            return
        swap = {old: new}
        plan = self.plan
        plan.parts = {swap.get(name, name): part for name, part in plan.parts.items()}
        plan.wires = [[swap.get(a, a), swap.get(b, b), *rest] for a, b, *rest in plan.wires]
        plan.joints = [[swap.get(p, p) for p in ports] for ports in plan.joints]
        self.system.rename(old, new)

    def disconnect(self):
        name = self.pick(self.plan.parts)
        if any(name in ports for ports in self.plan.joints):
            self.plan.leave(name)
            self.system.disconnect(f"{name}.pin")
            return
        found = [w for w in self.plan.wires if w[1] == name]
        if not found:
            with pytest.raises(dv.DrawingError):
                self.system.disconnect(f"{name}.{'y' if INPUTS[self.plan.parts[name][0]] else 'u'}")
            return
        wire = self.pick(found)
        self.plan.wires.remove(wire)
        self.system.disconnect(f"{wire[1]}.{wire[2]}")

    def replace(self):
        name, model = self.pick(self.plan.parts), self.pick(MODELS)
        values = self.plan.parts[name][1]
        linked = {w[2] for w in self.plan.wires if w[1] == name} | set(values)
        joined = any(name in ports for ports in self.plan.joints)
        if linked <= set(INPUTS[model]) and (not joined or model == "capacitor"):
            self.plan.parts[name][0] = model
            self.system.replace(name, MODELS[model])
            return
        with pytest.raises(dv.DrawingError, match=f"the model for '{name}' does not fit"):
            self.system.replace(name, MODELS[model])

    def copy(self):
        other, self.system = self.system, self.system.copy()
        for name in list(other.parts):
            other.remove(name)


EDITS = ("rename", "remove", "disconnect", "replace", "copy", "set", "connect", "join", "add")


@settings(max_examples=40)
@given(data=st.data())
def test_edited_is_as_if_drawn_directly(data):
    editor = Editor(data)
    editor.begin()
    for _ in range(data.draw(st.integers(1, 8))):
        getattr(editor, editor.pick(EDITS) if editor.plan.parts else "add")()
    edited, direct = editor.system, editor.plan.drawn()
    assert edited.fingerprint() == direct.fingerprint()
    assert list(edited.parts) == list(direct.parts)
    assert [str(c) for c in edited.connections] == [str(c) for c in direct.connections]
    reports = [check(s, live=False, choices=False) for s in (edited, direct)]
    assert reports[0].lines() == reports[1].lines()
    if not reports[0].ok:
        return
    options = {"stop": 0.2, "controller": dv.FixedStep(0.1), "algorithm": dv.GaussSeidel()}
    first, second = (run(s, options) for s in (edited, direct))
    assert first == second


def run(system, options):
    """All that a run gives, to the bit; or why there is none."""
    try:
        result = dv.simulate(system, quiet=True, **options)
    except dv.DovetailError as error:
        return str(error)
    return {name: result[name].tobytes() for name in result.names}
