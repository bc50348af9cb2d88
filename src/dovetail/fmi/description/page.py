"""An FMU for notebooks: what it is, and a table of its variables."""

from __future__ import annotations

from ...core.markup import card, folded, paragraph
from ...core.model_page import variables_table
from .describe import SHOWN, abilities, counted, row
from .fmu import FmuDescription
from .interface import FmuInterface


def page(fmu: FmuDescription, interface: FmuInterface) -> str:
    """The FMU as it is used by this interface; local variables are folded away."""
    kinds = " and ".join(i.kind for i in fmu.interfaces)
    used = f", used for {interface.kind}" if len(fmu.interfaces) > 1 else ""
    shown = [paragraph(fmu.description)] if fmu.description else []
    if fmu.generation_tool:
        shown.append(paragraph(f"made by {fmu.generation_tool}"))
    public = [v for v in fmu.variables if v.causality in SHOWN]
    public.sort(key=lambda v: SHOWN.index(v.causality))
    others = [v for v in fmu.variables if v.causality not in SHOWN]
    shown.append(variables_table([row(v) for v in public]))
    if others:
        inner = variables_table([row(v) for v in others])
        shown.append(folded(f"{counted(len(others), 'variable')} inside", inner))
    able = "".join(paragraph(what) for what in abilities(fmu, interface))
    shown.append(folded("what it can do", able))
    return card(f"{fmu.model_name}: FMI {fmu.written_version}, {kinds}{used}", *shown)
