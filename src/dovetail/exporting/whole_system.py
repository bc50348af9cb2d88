"""From a drawing to an FMU that runs without Python."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from ..algorithms.base import Algorithm
from ..controllers.base import Controller
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..entry.naming import named_algorithm
from ..entry.opening import Runnable, system_from
from ..entry.simulate import windows_of
from ..formats.referred_model import plain_model
from ..runplan.writing import write
from .archive import write_archive
from .beside.members import BesideParts
from .beside.single import is_single, write_single
from .block_making import block_of
from .definitions import ExportDefinitions
from .derivatives import with_derivatives
from .description import ExportDescription
from .exported_class import ExportedClass
from .fmi2 import described_2
from .fmi3 import described_3
from .inner_part import InnerPart, values_of
from .interface import ExportInterface, interface_of
from .nested import Names, renamed
from .planned_run import ExportedRun, planned_run
from .platforms import ExportPlatforms
from .refusal import ExportRefused
from .shim import shim
from .windows import preferred_step, sentence_of

_LONGEST = 40  # letters of a library's name: paths stay short enough for Windows


def export(
    model: Runnable,
    path: str | Path,
    *,
    fmi: Literal[2, 3] = 2,
    step: float | None = None,
    algorithm: Algorithm | str | None = None,
    controller: Controller | str | None = None,
    outputs: str | Sequence[str] = "*",
    start: float | None = None,
    stop: float | None = None,
    beside: bool = False,
    python: str | Path | None = None,
    platforms: str | Sequence[str] | None = None,
) -> Path:
    """Write a system as one FMU for co-simulation, which runs without Python.

    It makes the windows that a run here makes, with the same results to the bit; a step of the
    importer is as many windows as fit into it, the last one cut at its end. Inputs that nothing
    feeds are its inputs, parameters of the parts its parameters, by the names they have here.

    Args:
        model: A `dv.System`; a file that `dv.open` opens; or a model, which is a system of one.
            Python models are traced and compiled.
        path: The file to write, such as "drive.fmu".
        fmi: The version of FMI, 2 or 3; parts may be of any.
        step: The size of windows, in s: short for `controller=dv.FixedStep(step)`. What is not
            given is as the run settings of the system say.
        algorithm: How values are exchanged, as in `dv.simulate`; chosen from the parts if nothing
            is said.
        controller: `dv.FixedStep(...)`, or one that goes by errors: `dv.StepDoubling(...)`,
            `dv.InputDefect(...)`, `dv.Adaptive(...)`.
        outputs: Which outputs it has, by patterns: "drive.*", or several in a list.
        start: Where its default experiment starts, in s.
        stop: Where that stops, in s.
        beside: Python models that cannot be compiled run in a Python that the FMU starts. A single
            model always does, and then takes steps of any size.
        python: The path of that Python, if it is not this one.
        platforms: Which machines it is for, by the names of FMI 3: "x86_64-linux",
            "aarch64-linux", "x86_64-windows", "aarch64-darwin"; "all" are those for which all FMUs
            inside have binaries. This one if nothing is said; others need `dovetail[compiler]`.

    Raises:
        InputError: What was given is wrong, or cannot be exported: every reason is in it.
    """
    path = _target(path, fmi)
    windows, wanted = windows_of(step, controller), ExportPlatforms.of(platforms)
    asked = RunSettings(start, stop, named_algorithm(algorithm), windows)
    drawn, place = system_from(model), None if python is None else str(python)
    if isinstance(plain_model(model), ExportedClass) or (beside and is_single(model)):
        return write_single(drawn, path, asked, fmi, place, wanted)
    with TemporaryDirectory(prefix="dovetail-") as folder:
        parts = BesideParts(Path(folder), place, wanted) if beside else None
        return _export(drawn, path, fmi, asked, outputs, {}, parts, wanted)


def _export(
    drawn: System,
    path: Path,
    fmi: int,
    asked: RunSettings,
    outputs: str | Sequence[str],
    names: Names,
    beside: BesideParts | None,
    platforms: ExportPlatforms,
) -> Path:
    def inner(system: System, path: Path, outputs: Sequence[str], names: Names) -> Path:
        """A nested system: it is run as its settings say."""
        return _export(system, path, 2, RunSettings(), outputs, names, beside, platforms)

    shim()  # without one there is no need to look further
    run = planned_run(drawn, asked, beside, inner)
    parts = _parts(run)
    platforms, lacking = platforms.for_parts(parts)
    if lacking:
        raise ExportRefused(drawn.name, lacking)
    structure = run.terms.structure
    joined = frozenset() if run.junctions is None else run.junctions.held
    made = interface_of(run.terms.system, structure, parts, run.start, outputs, joined)
    made, derived = renamed(made, names), None
    if run.junctions is None:
        made, derived = with_derivatives(made, parts, structure, run.terms.system)
    plan, block = write(run.plan), block_of(run, parts, made, derived)
    joints = b"" if run.junctions is None else run.junctions.block().written()
    called = "\0".join(v.name for v in made.variables).encode()
    token = _token(plan + joints + called, block.written(), parts, fmi)
    needs = {} if beside is None else beside.needs
    described = _described(path, drawn, run, parts, made, token, needs)
    contents = {
        "modelDescription.xml": (described_2 if fmi == 2 else described_3)(described),
        "resources/run.plan": plan,
        "resources/export.bin": replace(block, token=(token,)).written(),
        **platforms.libraries("shim", fmi, described.identifier),
    }
    if joints:
        contents["resources/junctions.bin"] = joints
    _write(path, contents, parts, platforms)
    return path


def _target(path: str | Path, fmi: int) -> Path:
    if fmi not in (2, 3):
        raise OptionError(f"fmi must be 2 or 3, the version to export, not {fmi!r}")
    path = Path(path)
    if path.suffix != ".fmu":
        raise OptionError(f"an FMU is a file that ends in .fmu, not '{path.name}'")
    return path


def _write(
    path: Path, contents: dict[str, bytes], parts: Sequence[InnerPart], platforms: ExportPlatforms
) -> None:
    folders = dict[str, Path]()
    for one in parts:
        inside = f"resources/{one.folder}"
        folders[inside] = one.model.archive.directory
        found = one.binaries() | platforms.of_part(one)
        contents |= {f"{inside}/{k}": file.read_bytes() for k, file in found.items()}
    write_archive(path, contents, folders, [f"{inside}/resources" for inside in folders])


def _parts(run: ExportedRun) -> tuple[InnerPart, ...]:
    """The FMUs inside; those of one file share a folder where they may share a library."""
    folders, found, system = dict[Any, str](), [], run.terms.system
    for name, part in system.parts.items():
        fed = [v.name for v in part.description.inputs if system.is_fed(name, v.name)]
        one = InnerPart(part, "", values_of(part, fed))
        key = part.name if one.only_once else str(one.model.archive.directory)
        found.append(replace(one, folder=folders.setdefault(key, str(len(folders)))))
    return tuple(found)


def _token(plan: bytes, block: bytes, parts: Sequence[InnerPart], fmi: int) -> str:
    """What it is known by: the same contents have the same."""
    found = hashlib.sha256(b"%d" % fmi + plan + block)
    for one in parts:
        found.update(one.model.token.encode())
    name = found.hexdigest()
    return f"{{{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:32]}}}"


def _described(
    path: Path,
    drawn: System,
    run: ExportedRun,
    parts: Sequence[InnerPart],
    made: ExportInterface,
    token: str,
    needs: Mapping[str, str],
) -> ExportDescription:
    from .. import __version__

    identifier = re.sub(r"\W", "_", path.stem, flags=re.ASCII)[:_LONGEST] or "system"
    interfaces = [one.model.interface for one in parts]
    algorithm = type(run.terms.algorithm).__name__
    windows = sentence_of(run.terms.controller)
    what = f"{len(parts)} FMUs, coupled by {algorithm} in windows {windows}"
    return ExportDescription(
        name=drawn.name,
        identifier=identifier if identifier[0].isalpha() else f"_{identifier}"[:_LONGEST],
        token=token,
        tool=f"Dovetail {__version__}",
        description="; ".join([what, *(f"'{n}' runs in {text}" for n, text in needs.items())]),
        interface=made,
        definitions=ExportDefinitions.of(made, parts),
        start=run.span[0],
        stop=run.span[1],
        size=preferred_step(run.terms.controller),
        saves=min(one.saves for one in parts),
        varies=all(i.can_vary_step_size for i in interfaces),
        only_once=any(one.only_once for one in parts),
        needs_tool=any(i.needs_tool for i in interfaces),
    )
