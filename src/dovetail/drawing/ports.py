"""Power ports: what makes one, and how a part shows it to a junction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..core.description import DOMAINS, Description, Domain, Port, Variable
from ..core.errors import ModelError, did_you_mean

Role = Literal["effort", "flow"]


@dataclass(frozen=True, slots=True)
class End:
    """The port of a part, with its variables."""

    part: str
    name: str
    port: Port
    effort: Variable
    flow: Variable
    displacement: Variable | None
    takes: Role  # which of the two is the input

    @staticmethod
    def of(part: str, name: str, description: Description) -> End:
        """The port of this name."""
        port = description.ports[name]
        known = {v.name: v for v in (*description.inputs, *description.outputs)}
        takes: Role = "effort" if port.effort in {v.name for v in description.inputs} else "flow"
        shift = None if port.displacement is None else known.get(port.displacement)
        return End(part, name, port, known[port.effort], known[port.flow], shift, takes)

    @property
    def domain(self) -> Domain:
        """Its physical domain."""
        return DOMAINS[self.port.domain]

    @property
    def input(self) -> Variable:
        """The variable it takes."""
        return self.effort if self.takes == "effort" else self.flow

    @property
    def output(self) -> Variable:
        """The variable it gives."""
        return self.flow if self.takes == "effort" else self.effort

    def variable(self, role: Role) -> Variable:
        """Effort or flow."""
        return self.effort if role == "effort" else self.flow

    def __str__(self) -> str:
        return f"{self.part}.{self.name}"


def check_port(
    name: str, port: Port, inputs: Iterable[Variable], outputs: Iterable[Variable]
) -> None:
    """Refuse a port that does not fit the variables of its model."""
    if not isinstance(port, Port):
        raise ModelError(f"port '{name}' must be a dv.Port, not {port!r}.")
    if port.domain not in DOMAINS:
        hint = did_you_mean(port.domain, DOMAINS) or f" Known: {', '.join(DOMAINS)}."
        raise ModelError(f"port '{name}' has the unknown domain '{port.domain}'.{hint}")
    ins, outs = {v.name for v in inputs}, {v.name for v in outputs}
    for role, variable in (("effort", port.effort), ("flow", port.flow)):
        if variable not in ins | outs:
            hint = did_you_mean(variable, ins | outs)
            raise ModelError(f"the {role} of port '{name}', '{variable}', is no variable.{hint}")
    if (port.effort in ins) == (port.flow in ins):
        both = "inputs" if port.effort in ins else "outputs"
        raise ModelError(
            f"effort and flow of port '{name}' are both {both}; one must be an input, the other "
            "an output."
        )
    if port.relative_order is not None and port.relative_order not in (0, 1, 2, 3):
        what = f"the relative order of port '{name}' must be 0 to 3, not {port.relative_order!r}."
        raise ModelError(what)
    if port.time_scale is not None and not port.time_scale > 0:
        raise ModelError(f"the time scale of port '{name}' must be above zero.")
    if port.displacement is not None and port.displacement not in outs:
        hint = did_you_mean(port.displacement, outs)
        what = f"the displacement of port '{name}', '{port.displacement}', is no output."
        raise ModelError(what + hint)
