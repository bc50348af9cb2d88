"""From an FMU to its binary: found or compiled, loaded, with the functions of its version."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import FileError
from .abi import fmi1, fmi2, fmi3
from .library import Library
from .loading import (
    LoadedLibrary,
    Sharing,
    borrow,
    can_be_alone,
    give_back,
    shared_library,
    wants_copy,
)

if TYPE_CHECKING:
    from ..model import Fmu

_TABLES: dict[str, Any] = {"1.0": fmi1, "2.0": fmi2, "3.0": fmi3}
_BINARIES: dict[tuple[Path, str], Path] = {}


def bound(model: Fmu) -> Library:
    """The library of the interface that is used; it stays in memory from now on."""
    loaded = shared_library(binary_of(model), model.path)
    loaded.is_held = True
    return _functions(model, loaded)


def keep_loaded(model: Fmu) -> None:
    """Its library stays in memory from now on, where nothing in it outlives an instance."""
    if not shares_nothing(model):
        shared_library(binary_of(model), model.path).is_held = True


def shares_nothing(model: Fmu) -> bool:
    """Whether each instance is to have a library of its own: something in it may outlive one."""
    return wants_copy(binary_of(model), _sharing(model))


def borrowed(model: Fmu) -> Library:
    """A library for one instance, to be given back with `give_back`."""
    loaded = borrow(binary_of(model), model.path, model.archive.directory, _sharing(model))
    try:
        return _functions(model, loaded)
    except FileError:
        give_back(loaded, cleanly=True)
        raise


def _sharing(model: Fmu) -> Sharing:
    if model.interface.only_once_per_process:
        return "alone"
    return "shared" if model.interface.says_how_often else "unless global"


def binary_of(model: Fmu) -> Path:
    """Its shared library for this machine: found, or compiled."""
    key = model.archive.directory, model.interface.model_identifier
    known = _BINARIES.get(key)  # looked for once, however many instances there are
    if known is None or not os.access(known, os.R_OK):
        binary = model.archive.binary(model.interface.model_identifier, model.fmu.version)
        if binary is None:
            from ..archive.build import built

            binary = built(model.archive, model.fmu, model.interface)
        known = _BINARIES[key] = binary.path
    return known


def _functions(model: Fmu, loaded: LoadedLibrary) -> Library:
    """The functions of the interface that is used, bound once for each library."""
    version, kind = model.fmu.version, model.interface.kind
    table, prefix = _TABLES[version], ""
    if version == "1.0":
        prefix = f"{model.interface.model_identifier}_"
    known: Library | None = loaded.bound.get((version, kind, prefix))
    if known is not None:
        return known
    signatures, required = table.SIGNATURES, table.REQUIRED
    if model.is_scheduled:
        required = table.REQUIRED_OF_SCHEDULED
    if model.is_exchange:
        signatures, required = {**signatures, **table.EXCHANGE}, table.EXCHANGE_REQUIRED
    made = Library(loaded, signatures, required, prefix, model.path)
    loaded.bound[version, kind, prefix] = made
    return made


def may_live_twice(model: Fmu) -> bool:
    """Whether one that may live only once in a library can have a second library."""
    binary = model.archive.binary(model.interface.model_identifier, model.fmu.version)
    return binary is None or can_be_alone(binary.path)
