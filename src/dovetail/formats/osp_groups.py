"""Groups of variables, which files of the Open Simulation Platform describe beside the FMUs."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from ..core.errors import did_you_mean
from ..fmi.model import Fmu
from ..xml.document import read_xml
from ..xml.report import ProblemReport
from .ssp.complaints import Complaints, Place

Groups = dict[str, etree._Element]
End = tuple[str, str]


class VariableGroups:
    """The groups of each simulator, read when they are first asked for."""

    def __init__(self, folder: Path, models: dict[str, Fmu | None], complaints: Complaints) -> None:
        self._folder, self._models, self._complaints = folder, models, complaints
        self._known: dict[str, Groups] = {}

    def paired(self, first: End, second: End, place: Place) -> list[tuple[End, End]]:
        """The variables of two groups, one by one."""
        found = [self.variables(first, place), self.variables(second, place)]
        if found[0] is None or found[1] is None:
            return []
        if len(found[0]) != len(found[1]):
            sizes = f"{len(found[0])} and {len(found[1])} variables"
            what = f"the groups '{'.'.join(first)}' and '{'.'.join(second)}' have {sizes}"
            self._complaints.problem(place, what)
            return []
        names = zip(found[0], found[1], strict=True)
        return [((first[0], a), (second[0], b)) for a, b in names]

    def variables(self, end: End, place: Place) -> list[str] | None:
        """The variables of a group, those of groups inside of it first."""
        simulator, name = end
        groups = self._groups(simulator, place)
        if groups is None:
            return None
        if name not in groups:
            hint = did_you_mean(name, groups)
            self._complaints.problem(place, f"'{simulator}' has no group '{name}'.{hint}")
            return None
        inner = [
            e for e in groups[name].iter(etree.Element) if etree.QName(e).localname == "Variable"
        ]
        return [str(e.get("ref", "")) for e in inner]

    def _groups(self, simulator: str, place: Place) -> Groups | None:
        """The groups of variables that a file beside the model, or beside this one, describes."""
        model = self._models.get(simulator)
        if model is None:
            if simulator not in self._models:
                hint = did_you_mean(simulator, self._models)
                self._complaints.problem(place, f"there is no simulator '{simulator}'.{hint}")
            return None
        if simulator not in self._known:
            file = f"{model.fmu.model_name}_OspModelDescription.xml"
            places = (Path(model.path).parent / file, self._folder / file)
            path = next((p for p in places if p.is_file()), None)
            if path is None:
                what = f"'{file}', which describes the groups of '{simulator}', is not there"
                self._complaints.problem(place, what)
                self._models[simulator] = None  # said once
                return None
            root = read_xml(path, ProblemReport(path), "configuration")
            named = (e for e in root.iter(etree.Element) if e.get("name"))
            self._known[simulator] = {str(e.get("name")): e for e in named}
        return self._known[simulator]
