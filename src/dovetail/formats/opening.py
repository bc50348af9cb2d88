"""A system from a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from ..core.errors import FileError, OptionError, did_you_mean
from ..core.file_kinds import TABLES, listed, suffixes, system_kind
from ..core.guard import guarded
from ..core.options import check_path
from ..drawing.limits import limits_lifted
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from .allowance import inside, one_reading
from .loading import is_fmu, is_model
from .python_files import PythonFiles, suitable
from .single_model import system_of


def open(
    path: str | Path, *, unsupported: Literal["error", "warn"] = "error", force: bool = False
) -> System:
    """A system from a file: YAML, SSP, or Python that defines `system`.

    Also projects of MasterSim (.msim), configurations of the Open Simulation Platform (.xml) and
    multi-models of Maestro or CoFmuPy (.json). A single FMU is a system of one part. The system
    carries the run settings of its file in `run_settings`: what `simulate`, `Session` and `save`
    take unless they are told otherwise. What Dovetail cannot do of a file is an error, or with
    `unsupported="warn"` a warning. Values beyond the limits that a model declares are refused,
    unless `force` takes them all the same.
    """
    with limits_lifted(wanted=force):
        return read(path, unsupported=unsupported)


def read(
    path: str | Path,
    opened: tuple[Path, ...] = (),
    *,
    working_folder: str | Path | None = None,
    reference: str | None = None,
    unsupported: Literal["error", "warn"] = "error",
    **options: Any,
) -> System:
    """As `open`, with more to say; `opened` are the files that it is used in.

    Parts of a MasterSim project may write files of their own, below `working_folder`, and want
    to know the date at which time is zero. `unsupported` is as in `open`. Options are those of a
    single FMU.
    """
    check_path("a system", path)
    with one_reading(), inside(path), guarded(path, "cannot be read as a system"):
        return _read(Path(path), opened, working_folder, reference, unsupported, options)


def _read(
    path: Path,
    opened: tuple[Path, ...],
    working_folder: str | Path | None,
    reference: str | None,
    unsupported: Literal["error", "warn"],
    options: dict[str, Any],
) -> System:
    single = is_fmu(path)
    known = system_kind(path.suffix)
    kind = "FMU" if single else known.title if known else ""
    if unsupported not in ("error", "warn"):
        raise OptionError(f"unsupported must be 'error' or 'warn', not {unsupported!r}")
    if reference is not None and kind != "MasterSim":
        raise OptionError("a reference date is for a MasterSim project (.msim), not for others")
    if options and not single:
        what = "is for a single .fmu; in a system it is an option of the part"
        raise OptionError(f"{next(iter(options))} {what}")
    match kind:
        case "YAML":
            from .yaml_reading import read_yaml

            return read_yaml(path, opened)
        case "Python":
            return _read_python(path)
        case "MasterSim":
            from .msim_reading import read_msim

            return read_msim(path, working_folder, reference)
        case "FMU":
            from ..fmi.model import Fmu

            return system_of(Fmu(os.path.abspath(path), **options))
        case "OSP":
            from .osp_reading import read_osp

            return read_osp(path, unsupported)
        case "Maestro":
            from .cofmupy import is_cofmupy, read_cofmupy
            from .maestro.reading import read_maestro

            if is_cofmupy(path):
                return read_cofmupy(path, unsupported)
            return read_maestro(path, unsupported)
        case "SSP":
            from .ssp.opening import read_ssp

            return read_ssp(path, opened, unsupported)
    raise _no_system(path)


def _no_system(path: Path) -> FileError:
    """Why a path names no system, and what was probably meant."""
    suffix = path.suffix.lower()
    if suffix in TABLES:
        return FileError(path, "this is a table, not a system", "load it with dv.load(...)")
    if path.is_dir():
        return FileError(path, "is a folder", "name a file in it")
    if suffix.startswith(".py:"):
        what = f"this names a model in {path.name.partition(':')[0]}, not a system"
        return FileError(path, what, "load it with dv.load(...)")
    beside = [path.with_suffix(one) for one in suffixes()]
    meant = next((one.name for one in beside if one.is_file()), None)
    if meant is not None and not path.exists():
        return FileError(path, f"there is no such file. Did you mean '{meant}'?")
    what = f"'{path.suffix}' is not a kind of system" if suffix else "has no suffix"
    hint = did_you_mean(suffix, suffixes())
    return FileError(path, what, f"a system is a {listed(suffixes())} file.{hint}")


def _read_python(path: Path) -> System:
    """The system that a Python file calls `system`, and its run settings, `run`."""
    files = PythonFiles()
    what = "a dv.System, or a function without arguments that returns one"
    module = files.module(path)
    if not hasattr(module, "system") and not did_you_mean("system", vars(module)):
        models = suitable(module, is_model)
        other = f", or describe a model in it: {path.name}:{models[0]}" if models else ""
        raise FileError(path, "there is no 'system' in it", f"write system = dv.System(...){other}")
    found: System = files.named(path, "system", lambda v: isinstance(v, System), what)
    given = getattr(files.module(path), "run", None)
    if not isinstance(given, dict):  # a function of that name is the user's own
        return found
    try:
        found.run_settings = run_settings(given).over(found.run_settings)
    except OptionError as error:
        raise FileError(path, f"run: {error}") from None
    return found


def run_settings(given: dict[str, Any]) -> RunSettings:
    """Run settings from data: names and options as in YAML, or the objects themselves."""
    from pydantic import ValidationError

    from .problems import sentences
    from .schema import RunEntry

    try:
        return RunEntry.model_validate(given).settings()
    except ValidationError as error:
        found = (sentence.rstrip(".") for _, sentence in sentences(error, RunEntry))
        raise OptionError("; ".join(found)) from None
