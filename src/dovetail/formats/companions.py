"""What may lie beside an FMU: its inputs, its outputs as they should be, and how they were made.

The FMI project names them `engine_in.csv`, `engine_ref.csv` or `engine_out.csv`, `engine_ref.opt`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.errors import FileError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..fmi.model import Fmu
from ..models import Table
from ..run.run_request import usual_stop

_OPTION = re.compile(r"\s*(\w+)\s*,\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Companions:
    """The files of one FMU. What is not named is looked for beside it."""

    fmu: Path
    given_inputs: Path | None = None
    given_reference: Path | None = None

    @property
    def inputs(self) -> Path | None:
        """A table of its inputs over time, if there is one."""
        return self.given_inputs or self._beside("in.csv")

    @property
    def reference(self) -> Path | None:
        """A table of its outputs over time, if there is one."""
        return self.given_reference or self._beside("ref.csv") or self._beside("out.csv")

    @property
    def options(self) -> dict[str, float]:
        """How the reference was made: `StartTime`, `StopTime`, `StepSize` and others."""
        path = self._beside("ref.opt")
        lines = path.read_text(errors="replace").splitlines() if path is not None else []
        found = (_OPTION.match(line) for line in lines)
        return {match[1]: float(match[2]) for match in found if match}

    def proposed_stop(self, settings: RunSettings) -> tuple[float, str]:
        """A stop time for an FMU that names none, and where it is from."""
        options = self.options
        if "StopTime" in options:
            return options["StopTime"], f", as '{self.fmu.stem}_ref.opt' says"
        for path in (self.reference, self.inputs):
            if path is not None:
                return float(Table.read(path).times[-1]), f", where '{path.name}' ends"
        return usual_stop(settings), ""

    def feed(self, system: System, part: str, model: Fmu) -> bool:
        """Connect its inputs to their table; whether there is something to connect."""
        path = self.inputs
        if path is None:
            return False
        table = Table.read(path)
        inputs = {v.name: v for v in model.inputs if v.name in table.columns}
        if not inputs:
            if self.given_inputs is None:
                return False
            hint = f"it takes {', '.join(v.name for v in model.inputs) or 'none'}"
            raise FileError(path, f"none of its columns is an input of {self.fmu.name}; {hint}")
        known = {v.name: v for v in model.description.inputs}
        types = {name: str(known[name].kind) for name in inputs if not known[name].is_real}
        held = [name for name, v in inputs.items() if v.variability != "continuous"]
        table = replace(
            table,
            columns={name: table.columns[name] for name in inputs},
            units={name: unit for name, unit in table.units.items() if name in inputs},
            hold=[name for name in held if name not in types],
            types={n: "integer" if t == "enumeration" else t for n, t in types.items()},
        )
        name = f"{part}_inputs"
        system.add(name, table)
        for one in inputs:
            system.connect(f"{name}.{one}", f"{part}.{one}")
        return True

    def _beside(self, what: str) -> Path | None:
        path = self.fmu.with_name(f"{self.fmu.stem}_{what}")
        return path if path.is_file() else None
