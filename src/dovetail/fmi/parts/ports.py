"""Power ports of an FMU: from its terminals, and from what the user says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.description import DOMAINS, Description, Domain, Port
from ...core.errors import FileError, ModelError
from ...drawing.ports import check_port
from ...units import UnitError, conversion
from ..description import FmuDescription
from ..description.terminal import Terminal


def ports_of(
    fmu: FmuDescription, description: Description, given: Mapping[str, Port], path: str
) -> dict[str, Port]:
    """Ports by name; what the user gives wins over a terminal of that name."""
    for name, port in given.items():
        try:
            check_port(name, port, description.inputs, description.outputs)
        except ModelError as error:
            raise FileError(path, str(error).rstrip(".")) from error
    found = ((name, _port(t, description)) for name, t in _named(fmu.terminals))
    return {**{name: port for name, port in found if port is not None}, **given}


def _named(terminals: tuple[Terminal, ...], prefix: str = "") -> Iterator[tuple[str, Terminal]]:
    for t in terminals:
        yield f"{prefix}{t.name}", t
        yield from _named(t.terminals, f"{prefix}{t.name}/")


def _port(terminal: Terminal, d: Description) -> Port | None:
    """A terminal as a power port: one variable that flows inward, one across, one of them taken.

    The domain is the one whose units both have. What flows in a terminal need not be our flow:
    through a flange flows the force. A terminal that counts outward, or gives no units, is left
    to the user.
    """
    inward = [m.variable for m in terminal.members if m.kind.lower() == "inflow"]
    across = [m.variable for m in terminal.members if m.kind.lower() == "signal"]
    units = {v.name: v.unit for v in (*d.inputs, *d.outputs) if v.is_real}
    taken = {v.name for v in d.inputs}
    if len(inward) != 1 or inward[0] not in units:
        return None
    through = inward[0]
    for domain in DOMAINS.values():
        for effort, flow in ((through, None), (None, through)):
            fits = _fitting(through, domain.effort if effort else domain.flow, units)
            other = domain.flow if effort else domain.effort
            mates = [v for v in across if v in units and _fitting(v, other, units)]
            if not fits or len(mates) != 1 or (mates[0] in taken) == (through in taken):
                continue
            shift = _shift(domain, across, units, taken)
            return Port(domain.name, effort or mates[0], flow or mates[0], shift)
    return None


def _shift(
    domain: Domain, across: list[str], units: Mapping[str, str | None], taken: set[str]
) -> str | None:
    unit = domain.displacement
    found = [
        v for v in across if unit and v in units and v not in taken and _fitting(v, unit, units)
    ]
    return found[0] if len(found) == 1 else None


def _fitting(variable: str, unit: str, units: Mapping[str, str | None]) -> bool:
    declared = units[variable]
    if not declared:
        return False
    try:
        conversion(declared, unit)
    except UnitError:
        return False
    return True
