"""What is known of a window and of the system around it, before any part is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.description import Capabilities, Description
from ..core.signals import Shape, Signals, Span
from ..core.window import Window
from ..estimators.response import Response
from ..junctions.coordination import Coordination
from ..junctions.memory import JunctionMemory
from ..topology.component import Component
from ..topology.components import Structure
from ..topology.routing import Index
from .draft import Draft, Proposal
from .trial import Trial

if TYPE_CHECKING:
    from .assembly import Assembly


@dataclass(slots=True, eq=False)
class AttemptView:
    """The known side of an attempt. Parts are named by their number, the place in `names`.

    `covering`: what was found before for a window that covers this one, from the same start of a
    branch, with the local time of this one. A place to begin a search from.
    """

    _assembly: Assembly
    window: Window
    before: Signals
    coordination: Coordination  # where the coordinator stands at the window's start
    covering: Trial | None = None

    @property
    def structure(self) -> Structure:
        """Layout, wires, components and junctions of the system."""
        return self._assembly.structure

    @property
    def sweeps_together(self) -> bool:
        """Whether it pays to sweep over components that follow one another in one call."""
        return bool(self._assembly.posting) and self._assembly.batch is None

    @property
    def components(self) -> tuple[Component, ...]:
        """Strong components of the system, in dependency order."""
        return self._assembly.structure.components

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts."""
        return self._assembly.structure.layout.names

    @property
    def input_spans(self) -> tuple[Span, ...]:
        """Where the inputs of each part lie among those of all."""
        return self._assembly.inputs_of

    @property
    def output_spans(self) -> tuple[Span, ...]:
        """Where the outputs of each part lie among those of all."""
        return self._assembly.outputs_of

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of all real inputs, scalar by scalar."""
        return self._assembly.structure.layout.inputs.reals

    @property
    def held_inputs(self) -> Index:
        """Inputs that no curve moves: converted flags, and what unknowns of junctions feed."""
        structure = self._assembly.structure
        targets = [g.targets for g in structure.groups]
        return np.concatenate([structure.routing.widened_target, *targets])

    def description(self, index: int) -> Description:
        """A part seen from outside."""
        return self._assembly.subsystems[index].description

    def capabilities(self, index: int) -> Capabilities:
        """What a part can do."""
        return self._assembly.subsystems[index].capabilities

    def forecast(self, index: int, columns: int) -> Response | None:
        """What a part will answer to inputs with so many coefficients; None without a forecast."""
        return self._assembly.rehearsals[index].response(columns)

    def memory(self, group: int) -> JunctionMemory:
        """What a group of junctions remembers from earlier windows."""
        return self.coordination.memories[group]

    def inputs(self, outputs: Signals) -> Signals:
        """The inputs these outputs make, with the coordinator's unknowns as they were."""
        return self._assembly.coordinator.inputs(outputs, self.coordination)

    def settled(self, inputs: Signals) -> Signals:
        """These inputs, but for those that unknowns of junctions feed: what these are now."""
        return self._assembly.coordinator.fed(inputs, self.coordination)

    def draft(self) -> Draft:
        """The outputs at the window's start, to be exchanged for those at its end."""
        return Draft(self._assembly, self.before, self.coordination)

    def proposal(self, begin: Signals, shape: Shape) -> Proposal:
        """Room for inputs of this shape."""
        return Proposal(self._assembly, begin, shape)
