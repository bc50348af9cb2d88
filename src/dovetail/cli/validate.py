"""`dovetail validate`: an FMU against the standard, and then in motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .failures import FAILED
from .options import SkipUnzip
from .streams import say

if TYPE_CHECKING:
    from ..result import Result

_WINDOWS = 20_000  # of a run that is worth waiting for


def validate(
    file: Annotated[Path, typer.Argument(metavar="FILE.fmu", help="The FMU.")],
    reference: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its outputs; default FILE_ref.csv or FILE_out.csv."),
    ] = None,
    rtol: Annotated[
        float, typer.Option(metavar="X", help="Relative to the range of a variable.")
    ] = 1e-3,
    skip_unzip: SkipUnzip = False,
) -> int:
    """Check an FMU against the rules, load, initialise and step it, compare with its reference."""
    from ..fmi.archive import extracted_beside

    with extracted_beside(wanted=skip_unzip):
        return _validated(file, reference, rtol)


def _validated(file: Path, reference: Path | None, rtol: float) -> int:
    from ..errors import FileError, RunError
    from ..fmi.archive import Archive
    from ..fmi.schema import read
    from ..fmi.schema.rules import check

    archive = Archive.open(file)
    fmu = read(archive)
    findings = check(fmu, archive)
    errors = sum(f.severity == "error" for f in findings)
    say(f"{file.name}: FMI {fmu.written_version}, {fmu.model_name}", bold=True)
    for finding in findings:
        say(f"  {finding}")
    for leniency in fmu.leniencies:
        say(f"  read leniently: {leniency}")
    say(f"  {errors} errors and {len(findings) - errors} warnings against the standard's rules")
    try:
        result = _moved(file)
    except (FileError, RunError) as error:
        say(f"  it does not run: {error}", fg="red")
        return FAILED
    say(f"  loaded, initialised and stepped to t = {result.time[-1]:g} s")
    agrees = _compared(file, result, reference, rtol)
    return 0 if agrees and not errors else FAILED


def _moved(file: Path) -> Result:
    """The FMU alone, as it says itself; not farther than is worth waiting for."""
    from ..algorithms import Jacobi
    from ..controllers import FixedStep
    from ..formats import read
    from ..session import simulate

    drawing = read(file)
    told = drawing.run
    start, stop = told.start or 0.0, 1.0 if told.stop is None else told.stop
    stop = max(stop, start)
    size = told.controller.size if isinstance(told.controller, FixedStep) else (stop - start) / 500
    controller = FixedStep(size or 1.0)
    far = min(stop, start + _WINDOWS * controller.size)
    return simulate(
        drawing.system,
        start=start,
        stop=far,
        algorithm=Jacobi(),
        controller=controller,
        quiet=True,
    )


def _compared(file: Path, result: Result, given: Path | None, rtol: float) -> bool:
    """Whether the outputs are those of the reference, where there is one."""
    from ..comparison import compare
    from ..result import Result, read

    beside = [file.with_name(f"{file.stem}_{word}.csv") for word in ("ref", "out")]
    path = given or next((p for p in beside if p.is_file()), None)
    if path is None:
        say("  there is no reference output beside it")
        return True
    known = read(path)
    part = result.names[0].partition(".")[0] if result.names else ""
    names = [n for n in known.names if f"{part}.{n}" in result]
    ours = Result.of(result.time, {n: result[f"{part}.{n}"] for n in names})
    found = compare(known, ours, rtol=rtol)
    for line in found.table():
        say(f"  {line}")
    return found.within
