"""What an object may or may not have is a protocol. Guessing by name is for foreign things only.

A name that is read with a default fails silently when it changes: FMUs once ran without native
code because a part's attribute was renamed and its reader was not.
"""

import ast
from pathlib import Path

import pytest

import dovetail as dv
from dovetail.algorithms.base import SupportsOrderOfParts
from dovetail.controllers.base import (
    SupportsChoosing,
    SupportsOrder,
    SupportsTolerances,
    SupportsVarying,
    chooses,
    varies,
)
from dovetail.drawing.junction import JunctionService
from dovetail.estimators.base import predicts, substeps_of
from dovetail.estimators.choice import (
    Needs,
    SolvesJunctions,
    SupportsInputsKnownAhead,
    UsesForecasts,
)
from dovetail.fmi.parts.cosimulation import CoSimulation
from dovetail.integrators import Cvode, Mixed, Rk45, follower
from dovetail.integrators.base import SupportsFollowing
from dovetail.observe.cost import SupportsEffort
from dovetail.subsystems.batch import SupportsBatch
from dovetail.subsystems.intermediate import SupportsLogMessages, SupportsReports

ROOT = Path(dv.__file__).parent

# getattr with a default, and why there is no protocol for it.
ALLOWED = {
    (
        "cli/completion/model_names.py",
        "elts",
    ): "any node of a syntax tree",
    ("cli/completion/protocol.py", "hidden"): "a parameter of the library of the command line",
    ("cli/completion/protocol.py", "multiple"): "a parameter of the library of the command line",
    ("cli/completion/system_names.py", "CBaseLoader"): "PyYAML may be without its C parser",
    ("cli/failures.py", "parent"): "a context of the library of the command line",
    ("cli/plan.py", "size"): "any controller: looked at for a message, never used",
    ("cli/sections.py", "rich_help_panel"): "a command of the library of the command line",
    ("formats/msim_losses.py", "max_iterations"): "any algorithm: looked at for a message",
    ("formats/msim_losses.py", "on_limit"): "any algorithm: looked at for a message",
    (
        "models/merged_junctions.py",
        "time_scale",
    ): "any coordinator: the decay it asks for, where it has one",
    ("formats/problems.py", "__name__"): "any type hint: some are classes, some are forms",
    ("formats/yaml_text.py", "position"): "an error of PyYAML, which has it at times",
    ("results/files/batches.py", "O_BINARY"): "only Windows has it",
    ("results/files/runfiles.py", "O_BINARY"): "only Windows has it",
    ("check/examination.py", "integrator"): "any model: looked at for advice, never used",
    ("check/examination.py", "method"): "any integrator: looked at for advice, never used",
    ("cli/failures.py", "ctx"): "an exception of the library of the command line",
    ("core/options.py", "method"): "what a user gave: refused in a sentence if it does not fit",
    ("drawing/fingerprint.py", "__dict__"): "any value of a user's model",
    ("drawing/canvas.py", "instantiate"): "what a user gave: refused in a sentence",
    ("drawing/tuning.py", "model"): "any model: looked through to the one inside",
    ("drawing/tuning.py", "description"): "any model: looked through to the one inside",
    ("integrators/sundials.py", "SUNLinSol_SuperLUMT"): "SUNDIALS may be built without it",
    ("verification/treatment.py", "rtol"): "any algorithm: no tolerance of its own counts as none",
    ("verification/treatment.py", "atol"): "any algorithm: no tolerance of its own counts as none",
    ("fmi/calls/loading.py", "RTLD_NOW"): "the operating system's",
    ("fmi/calls/loading.py", "RTLD_LOCAL"): "the operating system's",
    ("fmi/calls/library.py", "candidate"): "a function of a library, by its name",
    ("fmi/kernel.py", "name"): "a function of a library, by its name",
    ("formats/loading.py", "instantiate"): "what a user's file holds",
    ("formats/opening.py", "run"): "what a user's file holds",
    ("formats/python_files.py", "__file__"): "a module, perhaps built in",
    ("formats/yaml_text.py", "CSafeLoader"): "PyYAML, built with or without its C library",
    ("integrators/fast_part.py", "data"): "a sparse matrix or an array",
    ("models/grouping.py", "groups"): "what a user gave: a partition, or its groups",
    ("models/share.py", "jacobian"): "any model of a user",
    ("results/files/hdf5.py", "shape"): "whatever an HDF5 file holds",
    ("exporting/beside/environment.py", "__name__"): "any module that a model was made in",
    ("exporting/beside/environment.py", "__file__"): "any module, perhaps built in",
    ("exporting/beside/environment.py", "__spec__"): "any module, perhaps made in memory",
    ("exporting/beside/writing.py", "__doc__"): "any model of a user",
    ("exporting/exported_class.py", "do_step"): "a class of a user: refused in a sentence",
    ("exporting/exported_class.py", "__name__"): "any type hint: some are classes, some are forms",
    ("exporting/exported_object.py", "method"): "an object of a user, which may have it",
}


def guesses():
    found = set()
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if named and node.func.id == "getattr" and len(node.args) == 3:
                what = node.args[1]
                name = what.value if isinstance(what, ast.Constant) else ast.unparse(what)
                found.add((path.relative_to(ROOT).as_posix(), name))
    return found


def test_every_guess_has_a_reason():
    assert guesses() - set(ALLOWED) == set()


def test_no_reason_is_left_over():
    assert set(ALLOWED) - guesses() == set()


def test_algorithms_say_what_they_need():
    assert isinstance(dv.Missiles(), UsesForecasts)
    assert isinstance(dv.Newton(), SolvesJunctions) and isinstance(dv.Iterative(), SolvesJunctions)
    assert isinstance(dv.Jacobi(), SupportsInputsKnownAhead)
    assert isinstance(dv.GaussSeidel(), SupportsOrderOfParts)
    fixed = dv.FixedStep(0.1)
    assert Needs.of(dv.Missiles(), fixed).predicts
    assert Needs.of(dv.Newton(), fixed).solves_junctions
    assert not Needs.of(dv.Newton(inputs="hermite"), fixed).solves_junctions
    assert Needs.of(dv.Jacobi(), fixed).known_ahead
    assert not Needs.of(dv.Jacobi(extrapolation=1), fixed).known_ahead
    assert Needs.of(dv.GaussSeidel(), fixed) == Needs()


class Bare:
    """A controller of a user, who says no more than he must."""

    first_size = 0.1

    def __init__(self, *, rejects):
        self.rejects = rejects


@pytest.mark.parametrize("rejects", [True, False])
def test_a_controller_that_does_not_say_is_taken_for_a_demanding_one(rejects):
    controller = Bare(rejects=rejects)
    assert chooses(controller) is True
    assert varies(controller) is rejects
    for protocol in (SupportsChoosing, SupportsVarying, SupportsOrder, SupportsTolerances):
        assert not isinstance(controller, protocol)


def test_controllers_say_what_they_do():
    fixed, doubling = dv.FixedStep(0.1), dv.StepDoubling(first_size=0.1)
    assert isinstance(fixed, SupportsChoosing) and not chooses(fixed)
    assert isinstance(doubling, SupportsOrder) and isinstance(doubling, SupportsTolerances)
    assert varies(doubling)


def test_estimators_say_whether_they_predict_and_cut():
    assert [predicts(e) for e in (dv.Rollback(), dv.Rollback(predict=True))] == [False, True]
    assert not predicts(dv.Direct()) and not predicts(dv.Costarica())
    assert [substeps_of(e) for e in (dv.Direct(), dv.Rollback(substeps=4))] == [1, 4]


def test_integrators_that_keep_something_say_so():
    assert isinstance(Cvode(), SupportsFollowing) and isinstance(Mixed(0.1), SupportsFollowing)
    assert not isinstance(Rk45(), SupportsFollowing)
    for integrator in (Rk45(), Cvode(), Mixed(0.1)):
        kept = follower(integrator)
        assert kept.memory() is None
        kept.recall(None)


def test_junctions_are_served_by_what_says_so():
    assert isinstance(dv.SlidingMode(), JunctionService)
    assert isinstance(dv.IteratedJunction(), JunctionService)
    assert not isinstance(dv.Newton(), JunctionService)


def test_parts_say_what_they_tell():
    dynamic = dv.Dynamic(states={"x": 1.0}, derivatives=lambda t, x, u, p: [-x.x])
    part = dynamic.instantiate("one")
    assert isinstance(part, SupportsEffort)
    assert not isinstance(part, SupportsBatch | SupportsLogMessages | SupportsReports)
    for name in ("reports", "log_messages"):
        assert hasattr(CoSimulation, name)
