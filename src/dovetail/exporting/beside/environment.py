"""What a Python model needs to run beside an importer: its bytes, a Python, and modules."""

from __future__ import annotations

import importlib
import io
import json
import pickle
import sys
import sysconfig
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...core.errors import ModelError
from ...results.files.needs import LibraryMissing


@dataclass(frozen=True, slots=True)
class NeededEnvironment:
    """A Python by its path, and what has to be installed in it."""

    python: str
    version: str  # of Python
    dovetail: str
    modules: tuple[str, ...]  # that can be imported there
    needs: str  # all of it as a sentence has it

    def written(self, token: str) -> bytes:
        """`beside.json`."""
        found = {"token": token, "python": self.python, "version": self.version}
        found |= {"dovetail": self.dovetail, "needs": self.needs}
        return json.dumps(found | {"modules": self.modules}, indent=1).encode()


def packed(model: Any) -> bytes:
    """A model as bytes, with the code of the user's own files in them."""
    if find_spec("cloudpickle") is None:
        raise LibraryMissing("cloudpickle", "hosts")
    import cloudpickle

    own = {m.__name__: m for m in list(sys.modules.values()) if _is_own(m)}.values()
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        held = io.BytesIO()
        cloudpickle.Pickler(held, protocol=4).dump(model)
        return held.getvalue()
    except Exception as error:
        what = str(error).partition("\n")[0]
        raise ModelError(
            f"this model cannot be taken along: {type(error).__name__}: {what}; make in its "
            "functions what cannot be copied"
        ) from error
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


def opened(data: bytes) -> Any:
    """The model again."""
    return pickle.loads(data)  # of the FMU that this process was started for


def environment_of(data: bytes, python: str | None) -> NeededEnvironment:
    """What these bytes of a model need; `python` is the path of another one than this."""
    from ... import __version__

    looking = _Looking(io.BytesIO(data))
    looking.load()  # it was made here
    tops = {name.partition(".")[0] for name in looking.modules}
    others = tops - {*sys.stdlib_module_names, "dovetail", "__main__"}
    modules = ("dovetail", *sorted(others))
    found = ".".join(map(str, sys.version_info[:2]))
    listed = [f"dovetail {__version__}", *map(_distribution, sorted(others))]
    needs = f"Python {found} with {', '.join(listed)}"
    return NeededEnvironment(python or sys.executable, found, __version__, modules, needs)


class _Looking(pickle.Unpickler):
    """Opens a model and notes which modules that takes."""

    def __init__(self, data: io.BytesIO) -> None:
        super().__init__(data)
        self.modules = {"cloudpickle"}

    def find_class(self, module: str, name: str) -> Any:
        """What it asks for; modules that its functions use are asked for by `subimport`."""
        self.modules.add(module)
        found = super().find_class(module, name)
        return self._imported if name == "subimport" else found

    def _imported(self, name: str) -> Any:
        self.modules.add(name)
        return importlib.import_module(name)


def _distribution(module: str) -> str:
    for name in packages_distributions().get(module, ()):
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    return module


def _is_own(module: Any) -> bool:
    """Whether a module is a file of the user, which no other Python can import."""
    name, file = getattr(module, "__name__", ""), getattr(module, "__file__", None)
    top = name.partition(".")[0]
    if name == "__main__" or name not in sys.modules or top in sys.stdlib_module_names:
        return False
    if not file:
        return getattr(module, "__spec__", None) is None  # made in memory
    if top in ("dovetail", "cloudpickle"):
        return False
    if not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts):
        return False  # installed, maybe where a .pth file leads to
    paths = sysconfig.get_paths()
    kept = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    return not any(Path(file).is_relative_to(place) for place in kept)
