"""Many windows in one call, with members of all kinds side by side."""

from __future__ import annotations

import pytest
from conformance.fleet import is_clean, run, same, walked

import dovetail as dv

ALGORITHMS = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(order_of_parts=("spring", "c3", "a2", "body")),
]


def motley(fmu, *, scaled):
    """Versions in a muddle; inputs from here and there, from behind one another, from nowhere."""
    system = dv.System("motley")
    for name, version in (("a", 2), ("b", 3), ("c", 3), ("d", 1), ("a", 3), ("b", 2), ("c", 2)):
        part = f"{name}{version}"
        system.add(part, fmu("linear", version), x=1.0 + 0.1 * ord(name), a=-1.0 - 0.1 * version)
    system.add("body", fmu("body", 2))
    system.add("spring", fmu("spring", 2))
    system.add("still", fmu("linear", 2), u=0.7)
    system.add("itself", fmu("linear", 2), x=0.3)
    wires = ("a2 b3", "b3 c3", "c3 d1", "d1 a3", "a3 b2", "b2 a2", "c3 c2", "itself itself")
    for source, target in map(str.split, wires):
        system.connect(f"{source}.y", f"{target}.u")
    system.connect("body.velocity", "spring.velocity")
    system.connect("a2.y", "spring.position")
    gain = 0.3 if scaled else 1.0
    system.connect("spring.force", "body.force", gain=gain, offset=0.1 if scaled else 0.0)
    return system


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("record", ["*", "*.y", "body.force", "body.position"])
def test_whoever_stands_beside_whom_the_bits_are_the_same(fmu, both, algorithm, scaled, record):
    options = {"algorithm": algorithm, "stop": 3.0, "record": record}
    native, plain = both(lambda: run(motley(fmu, scaled=scaled), **options))
    assert same(native, plain)
    assert same(native, walked(motley(fmu, scaled=scaled), **options))
    assert is_clean(*(fmu("linear", version) for version in (1, 2, 3)))


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()], ids=repr)
@pytest.mark.parametrize("n", [1, 15, 16, 17, 18, 63, 65, 131])
def test_any_number_of_signals_is_seen_in_the_same_way(fmu, algorithm, n):
    """They are looked at in pairs, and in blocks of pairs."""
    system = dv.System("ring")
    for k in range(n):
        system.add(f"p{k}", fmu("linear", 2), x=1.0 + 0.01 * k, a=-1.0 - 0.001 * k)
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")
    options = {"algorithm": algorithm, "stop": 2.0, "record": "p0.*"}
    assert same(run(system, **options), walked(system, **options))
