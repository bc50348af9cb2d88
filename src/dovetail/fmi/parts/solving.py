"""What an FMU is used as, and how the equations of model exchange are solved."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

from ...core.description import Capabilities
from ...core.errors import FileError, OptionError, did_you_mean
from ...integrators import Integrator, is_installed, named
from ..archive.findings import against_rollback

if TYPE_CHECKING:
    from ..description import FmuInterface
    from ..model import Fmu

RTOL = 1e-7  # what comes out is some ten times worse
NO_CVODE = (
    "is solved by auto (rk45, or radau of SciPy where stiff), as scikit-sundae is not installed; "
    "pip install 'dovetail[sundials]' brings CVODE, which is faster where stiff"
)
_KINDS = {
    "co-simulation": "co-simulation",
    "cosimulation": "co-simulation",
    "cs": "co-simulation",
    "model exchange": "model exchange",
    "me": "model exchange",
    "scheduled execution": "scheduled execution",
    "se": "scheduled execution",
}


def kind_of(given: object) -> str:
    """The kind of interface that is meant."""
    plain = str(given).lower().replace("_", " ").replace("model-", "model ").strip()
    plain = plain.replace("co simulation", "co-simulation")
    if plain not in _KINDS:
        names = sorted(set(_KINDS.values()))
        hint = did_you_mean(plain, names)
        what = f"kind must be {', '.join(map(repr, names[:-1]))} or {names[-1]!r}, not {given!r}."
        raise OptionError(what + hint)
    return _KINDS[plain]


def interface_of(model: Fmu) -> FmuInterface:
    """The interface an FMU is used by: the one asked for, or the first of those it offers."""
    f, kind = model.fmu, None if model.kind is None else kind_of(model.kind)
    offered = (f.co_simulation, f.model_exchange, f.scheduled_execution)
    found = next((i for i in offered if i is not None and kind in (None, i.kind)), None)
    if found is None:
        kinds = " and ".join(i.kind for i in model.fmu.interfaces) or "nothing"
        wanted = kind or "co-simulation or model exchange"
        what = f"the FMU offers {kinds}, but no {wanted}"
        raise FileError(model.path, what, f"export it for {wanted} as well")
    if found.kind != "model exchange":
        _check_unused(model, found)
    if found.tool is not None:  # later versions bring a binary that finds its tool, or says so
        what = "the FMU is only a link to another program, which must be installed"
        raise FileError(model.path, what, "export it as a stand-alone FMU")
    return found


def default_solver() -> str:
    """What solves model exchange where none is chosen: CVODE, or methods that restart well."""
    return "cvode" if is_installed() else "auto"


def solver_of(model: Fmu) -> Integrator:
    """The integrator with the tolerances that were given, or that the FMU proposes if tighter."""
    if model.solver is not None and not isinstance(model.solver, str):
        return model.solver
    for option in ("rtol", "atol", "step"):
        value = getattr(model, option)
        if value is not None and not (isinstance(value, Real) and float(value) > 0):
            raise FileError(model.path, f"{option} must be a number above zero, not {value!r}")
    given = model.fmu.experiment.tolerance
    rtol = model.rtol
    if rtol is None:
        rtol = min(RTOL, given) if given is not None and given >= 1e-12 else RTOL
    atol = 0.01 * rtol if model.atol is None else model.atol
    try:
        return named(model.solver or default_solver(), rtol=rtol, atol=atol, step=model.step)
    except ValueError as error:
        raise FileError(model.path, str(error)) from error


def _check_unused(model: Fmu, used: FmuInterface) -> None:
    """Options of model exchange say nothing to an FMU with a solver of its own."""
    for name in ("solver", "rtol", "atol", "step"):
        if getattr(model, name) is not None:
            what = f"it is used for {used.kind} and solves its equations itself, so {name} "
            remedy = "leave it out, or give kind='model exchange' if the FMU offers that"
            raise FileError(model.path, f"{what}does not apply", remedy)


def is_smooth(model: Fmu) -> bool:
    """Whether time and states are all there is to it: no events, no hidden memory.

    Such a model-exchange FMU can be rolled back without saving its state. A parameter that is
    connected is a memory too.
    """
    if model.fmu.version == "1.0" or model.fmu.structure.event_indicator_count or model.tunes:
        return False
    if model.interface.needs_completed_integrator_step:
        return False
    parameters = ("parameter", "calculatedParameter", "structuralParameter")
    return not any(
        v.variability == "discrete" and v.causality not in parameters for v in model.fmu.variables
    )


def abilities(model: Fmu) -> Capabilities:
    """What a model-exchange FMU can do."""
    i, smooth = model.interface, is_smooth(model)
    found = against_rollback(model.archive) if i.can_get_and_set_state else ""
    saves = i.can_get_and_set_state and not found
    watched = bool(model.fmu.structure.event_indicator_count) or i.needs_completed_integrator_step
    return Capabilities(
        can_restore=saves or smooth,
        against_rollback="" if smooth else found,
        can_serialize=(saves and i.can_serialize_state) or smooth,
        can_linearize=True,
        can_tell_derivatives=True,
        can_evaluate_now=True,
        can_derive_at_start=False,
        can_return_early=watched,
        has_events=True,
        knows_next_event=True,
        input_order=None,
        can_ask_to_end=True,
    )
