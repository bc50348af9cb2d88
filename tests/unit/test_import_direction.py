"""Imports point one way. Function-level imports count; imports for type checkers do not."""

import ast
from functools import cache
from pathlib import Path

import dovetail

ROOT = Path(dovetail.__file__).parent

# Who may be imported by whom: everybody only by those in a later row. One name per module or
# package at the top of the package; inside a package imports are its own business.
LAYERS = (
    "core units",
    "cycles results rootfinders subsystems tracing xml",
    "drawing integrators",
    "hosts runplan timescales topology",
    "diagrams estimators fmi machines",
    "compiling junctions",
    "assembly",
    "algorithms controllers observe",
    "check",
    "run",
    "models",
    "formats verification",
    "entry",
    "exporting serving studies",
    "dovetail extend",
    "demo studio",
    "cli",
    "__main__",
)
SIDE = (
    *("dovetail", "extend", "compiling", "fmi", "models", "formats", "verification"),
    *("entry", "exporting", "serving", "studies", "demo", "studio", "cli", "__main__"),
)

# Conveniences that look upwards, at the moment they are called and not before.
ALLOWED = {
    ("drawing", "check"): "System.check",
    ("drawing", "diagrams"): "System.draw: a picture needs cycles, which are found above",
    ("drawing", "exporting"): "System.export",
    ("drawing", "formats"): "System.save",
    ("drawing", "models"): "System.group, System.ungroup, System.inside: a group is a dv.Nested",
}


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = list(path.relative_to(ROOT).with_suffix("").parts)
        package = parts[-1] == "__init__"
        yield path, parts[:-1] if package else parts, package


def imports(path, parts, package):
    """Names at the top of the package that a module imports, and whether inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden, late = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            hidden.update(map(id, ast.walk(node)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            late.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        names = []
        if isinstance(node, ast.ImportFrom) and node.level:
            home = parts if package else parts[:-1]
            home = home[: len(home) - node.level + 1]
            names = [[*home, *(node.module or a.name).split(".")] for a in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dovetail"):
            names = [(node.module.split(".")[1:] or [a.name]) for a in node.names]
        elif isinstance(node, ast.Import):
            names = [
                a.name.split(".")[1:] or ["dovetail"]
                for a in node.names
                if a.name.split(".")[0] == "dovetail"
            ]
        for name in names:
            if name and not name[0].startswith("_"):
                yield name[0], id(node) in late


@cache
def edges():
    found = {}
    for path, parts, package in modules():
        if not parts:
            continue  # the package itself: names are looked up when they are asked for
        for target, late in imports(path, parts, package):
            if target != parts[0]:
                found.setdefault((parts[0], target), []).append((".".join(parts), late))
    return found


RANK = {name: k for k, row in enumerate(LAYERS) for name in row.split()}


def test_every_module_has_a_place():
    names = {parts[0] for _, parts, _ in modules() if parts}
    assert names | {"dovetail"} == set(RANK)


def test_imports_point_downwards():
    upwards = [
        f"{', '.join(sorted({module for module, _ in who}))} imports {target}"
        for (source, target), who in edges().items()
        if (source, target) not in ALLOWED and not RANK[target] < RANK[source]
    ]
    assert not upwards


def test_what_looks_upwards_does_so_only_when_it_is_called():
    early = [e for e in ALLOWED if any(not late for _, late in edges().get(e, ()))]
    assert not early


def test_no_permission_is_left_unused():
    assert set(ALLOWED) <= set(edges())


def test_the_core_knows_nothing_of_what_plugs_in():
    core = {name for name in RANK if name not in SIDE}
    knows = {(a, b) for a, b in edges() if a in core and b in SIDE}
    assert knows <= set(ALLOWED)
