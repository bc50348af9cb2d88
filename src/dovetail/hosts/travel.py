"""How models get into a host: by what they are made of, or refused by the name of the part."""

from __future__ import annotations

import importlib.util
import io
import pickle
import sys
from typing import Any

from ..core.errors import ModelError
from ..results.files.needs import LibraryMissing
from ..subsystems.subsystem import Model

_OWN = "_dovetail_"  # modules made of files that users named: no other process can import them


def packed(part: str, model: Model) -> bytes:
    """The model as bytes; ModelError if it does not travel."""
    try:
        data = pickle.dumps(model, pickle.HIGHEST_PROTOCOL)
        if b"__main__" not in data and _OWN.encode() not in data:
            return data  # the quick way, which FMUs go
    except Exception:
        pass
    if importlib.util.find_spec("cloudpickle") is None:
        why = f"to place part '{part}', whose functions do not travel without it"
        raise LibraryMissing("cloudpickle", "hosts", why)
    try:
        return _by_value(model)
    except Exception as error:
        what = str(error).partition("\n")[0]
        raise ModelError(
            f"part '{part}' cannot live in a process of its own: its model does not travel there, "
            f"{type(error).__name__}: {what}; leave it here, placement={{'{part}': None, ...}}."
        ) from error


def _by_value(model: Model) -> bytes:
    import cloudpickle

    modules = [m for name, m in list(sys.modules.items()) if name.startswith(_OWN)]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        held = io.BytesIO()
        cloudpickle.Pickler(held, protocol=pickle.HIGHEST_PROTOCOL).dump(model)
        return held.getvalue()
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def opened(data: bytes) -> Any:
    """The model again, in the host."""
    return pickle.loads(data)  # of our master
