"""The house stays in order: sizes, names, and who imports whom inside of it."""

import ast
from functools import cache
from pathlib import Path

import dovetail

ROOT = Path(dovetail.__file__).parent

MOST_LINES, USUAL_LINES, USUAL_LINES_OF_A_FUNCTION = 300, 250, 60

# Names that stand for two classes, and why.
TWICE = {
    "Callbacks": "a structure of FMI 1 and one of FMI 2, each in the file of its version",
    "Change": "a value that a user changes; what SSP does to a value on its way",
    "Choice": "values to draw from; an algorithm or the like, chosen in a file",
    "Component": "parts that depend on each other; SSP's element",
    "Entry": "a mapping in a YAML file; SSP's entry of a dictionary",
    "EventInfo": "a structure of FMI 1 and one of FMI 2, each in the file of its version",
    "Newton": "the method's name: as an algorithm and as a root finder",
    "Parameter": "a line of a MasterSim project; SSP's element",
    "Problem": "what is wrong with a drawing; differential equations to be solved",
    "Reference": "what a text refers to; SSP's element",
    "Study": "many runs of one system; the time scales of a model",
}

# Rooms of fmi, a later one may import an earlier one; `kernel` is the door to native code.
FMI = (
    "kernel",
    "archive description",
    "calls",
    "parts",
    "native",
    "described documentation foreign_code live model options",
)
LATE: dict[tuple[str, str], str] = {}


@cache
def trees():
    """Every module by its dotted name: its path and its syntax."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path, ast.parse(path.read_text(encoding="utf-8"))
    return found


def place(path):
    return path.relative_to(ROOT).as_posix()


@cache
def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def reason(text):
    """The line of a reason, whole."""
    return text.startswith("# Over ") and ": " in text and text.endswith(".")


def reason_of_a_file(path, tree):
    """The comment right behind the docstring of a module."""
    line = lines_of(path)[tree.body[0].end_lineno]
    return line.startswith(f"# Over {USUAL_LINES} lines: ") and reason(line)


def test_no_file_is_too_long():
    long = {place(path) for path, _ in trees().values() if len(lines_of(path)) > MOST_LINES}
    assert not long


def test_long_files_say_why_they_are():
    silent = {
        place(path)
        for path, tree in trees().values()
        if len(lines_of(path)) > USUAL_LINES and not reason_of_a_file(path, tree)
    }
    assert not silent


def test_only_long_files_give_such_a_reason():
    needless = [
        place(path)
        for path, _ in trees().values()
        if len(lines_of(path)) <= USUAL_LINES
        and any(line.startswith(f"# Over {USUAL_LINES} lines") for line in lines_of(path))
    ]
    assert not needless


def functions():
    for path, tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node, lines_of(path)[node.lineno - 1 : node.end_lineno]


def test_long_functions_say_why_they_are():
    silent = []
    for path, node, lines in functions():
        if len(lines) <= USUAL_LINES_OF_A_FUNCTION:
            continue
        comments = [line.strip() for line in lines if line.strip().startswith("#")]
        first = comments[0] if comments else ""
        start = f"# Over {USUAL_LINES_OF_A_FUNCTION} lines: "
        if not (first.startswith(start) and reason(first)):
            silent.append(f"{place(path)}: {node.name}, {len(lines)} lines")
    assert not silent


@cache
def classes():
    found = {}
    for path, tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(place(path))
    return found


def test_no_class_name_stands_twice_without_a_reason():
    twice = {name: where for name, where in classes().items() if len(where) > 1}
    assert {n: w for n, w in twice.items() if n not in TWICE} == {}


def test_every_reason_for_a_name_is_needed():
    assert [name for name in TWICE if len(classes().get(name, ())) < 2] == []


def imported(name, path, tree):
    """The modules that one imports, and whether early: before any of its functions is called."""
    package = path.name == "__init__.py"
    home = name.split(".") if package and name else name.split(".")[:-1]
    hidden, late = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            hidden.update(map(id, ast.walk(node)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            late.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or id(node) in hidden:
            continue
        if node.level:
            base = home[: len(home) - node.level + 1] + (node.module or "").split(".")
        elif (node.module or "").split(".")[0] == "dovetail":
            base = (node.module or "").split(".")[1:]
        else:
            continue
        for alias in node.names:
            whole = ".".join([*filter(None, base), alias.name])
            target = whole if whole in trees() else ".".join(filter(None, base))
            yield target, id(node) not in late


@cache
def graph():
    """For each module, those that it imports early."""
    return {
        name: {t for t, early in imported(name, path, tree) if early and t and t != name}
        for name, (path, tree) in trees().items()
    }


def rings(edges):
    """Sets of modules that import each other, directly or by way of others."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            ring = set()
            while node not in ring:
                ring.add(stack.pop())
            if len(ring) > 1:
                found.append(sorted(ring))

    for node in edges:
        if node not in index:
            visit(node)
    return found


def test_rings_are_found():
    assert rings({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_modules_import_each_other():
    assert rings(graph()) == []


def rank(name):
    """The row of a module of fmi."""
    room = name.split(".")[1]
    return next(k for k, row in enumerate(FMI) if room in row.split())


def upwards():
    for name, (path, tree) in trees().items():
        if not name.startswith("fmi."):
            continue
        for target, early in imported(name, path, tree):
            if target.startswith("fmi.") and rank(target) > rank(name):
                yield name.removeprefix("fmi."), target.split(".")[1], early


def test_every_room_of_fmi_has_a_row():
    assert all(rank(name) >= 0 for name in trees() if name.startswith("fmi."))


def test_rooms_of_fmi_import_downwards():
    found = [(name, room) for name, room, early in upwards() if early or (name, room) not in LATE]
    assert not found


def test_no_late_import_of_fmi_is_left_over():
    assert set(LATE) <= {(name, room) for name, room, _ in upwards()}
