"""From an FMU to its binary: found or compiled, loaded, with the functions of its version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .abi import fmi1, fmi2, fmi3
from .library import Library

if TYPE_CHECKING:
    from ..model import Fmu

_TABLES: dict[str, Any] = {"1.0": fmi1, "2.0": fmi2, "3.0": fmi3}


def bound(model: Fmu) -> Library:
    """The library of the interface that is used."""
    identifier, version = model.interface.model_identifier, model.fmu.version
    binary = model.archive.binary(identifier, version)
    if binary is None:
        from ..archive.build import built

        binary = built(model.archive, model.fmu, model.interface)
    table = _TABLES[version]
    signatures, required = table.SIGNATURES, table.REQUIRED
    if model.is_scheduled:
        required = table.REQUIRED_OF_SCHEDULED
    if model.is_exchange:
        signatures, required = {**signatures, **table.EXCHANGE}, table.EXCHANGE_REQUIRED
    prefix = f"{identifier}_" if version == "1.0" else ""
    return Library(binary.path, signatures, required, prefix, model.path)
