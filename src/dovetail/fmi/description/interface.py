"""What an FMU can do, by kind of interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["co-simulation", "model exchange", "scheduled execution"]


@dataclass(frozen=True, slots=True)
class Tool:
    """The program that an FMI 1 co-simulation needs, and the model it opens there."""

    type: str
    entry_point: str
    manual_start: bool = False
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FmuInterface:
    """One kind of interface, and its capabilities in any version of FMI.

    A capability that a version does not know has the value that describes that version: an
    FMI 2 co-simulation never returns early, for one.
    """

    kind: Kind
    model_identifier: str

    needs_tool: bool = False
    only_once_per_process: bool = False
    says_how_often: bool = False  # whether that is written in its description
    without_memory_functions: bool = False
    can_get_and_set_state: bool = False
    can_serialize_state: bool = False
    provides_directional_derivatives: bool = False
    provides_adjoint_derivatives: bool = False
    provides_element_dependencies: bool = False
    source_files: tuple[str, ...] = ()  # FMI 2; in FMI 3 the build description lists them
    tool: Tool | None = None  # FMI 1

    # of co-simulation
    can_vary_step_size: bool = False
    fixed_internal_step_size: float | None = None
    can_interpolate_inputs: bool = False  # FMI 1 and 2: it takes derivatives of inputs
    max_output_derivative_order: int = 0
    can_run_asynchronously: bool = False  # FMI 1 and 2
    can_handle_events: bool = False  # FMI 1
    can_reject_steps: bool = False  # FMI 1
    can_signal_events: bool = False  # FMI 1
    intermediate_input_smoothness: int = 0
    provides_intermediate_update: bool = False
    might_return_early: bool = False
    can_return_early_after_intermediate_update: bool = False
    has_event_mode: bool = False

    # of model exchange
    needs_completed_integrator_step: bool = False
    evaluates_discrete_states: bool = False  # also of co-simulation
