"""The models of components: each file is opened once, with the options that count there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...fmi.model import Fmu
from ...subsystems.subsystem import Model
from .complaints import Complaints
from .document import Component, Element
from .flattening import Flat, Path
from .own import OwnEntry
from .parts import model_of
from .vendors import solver_options


class PartModels:
    """Models by what they are made from."""

    def __init__(
        self, flat: Flat, own: Callable[[Element], OwnEntry], complaints: Complaints
    ) -> None:
        self._flat, self._own, self._complaints = flat, own, complaints
        self._known: dict[Any, Model | None] = {}

    def of(self, path: Path, component: Component) -> Model | None:
        """The model of a component; with what the systems around it say of solvers."""
        if component.model is not None:
            return component.model
        options = self._own(component).fmu_options()
        model = self._loaded(component, options)
        if isinstance(model, Fmu) and model.is_exchange:
            around = [self._flat.groups[path[:k]] for k in range(1, len(path))]
            wanted = solver_options(around, self._complaints)
            given = {n: v for n, v in wanted.items() if getattr(model, n) is None}
            if given:
                return self._loaded(component, {**options, **given})
        return model

    def _loaded(self, component: Component, options: dict[str, Any]) -> Model | None:
        """One model for all that are alike."""
        key = (component.source, component.type, component.implementation, repr(options))
        if key not in self._known:
            self._known[key] = model_of(component, options, self._complaints)
        elif self._known[key] is None:
            return model_of(component, options, self._complaints)  # reported again, with its place
        return self._known[key]
