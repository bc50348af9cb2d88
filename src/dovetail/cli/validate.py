"""`dovetail validate`: an FMU against the standard, and then in motion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.harmless import harmless_line
from .completion.completers import files
from .failures import FAILED
from .options import SkipUnzip
from .streams import say
from .watch import watched

if TYPE_CHECKING:
    from ..drawing.system import System
    from ..fmi.description.rules import Violation
    from ..formats.companions import Companions
    from ..results.result import Result

_SHOWN = 20  # breaches of one rule
_WINDOWS = 20_000  # of a run that is worth waiting for


def validate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.fmu", help="The FMU to be looked at.", autocompletion=files(".fmu")
        ),
    ],
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table with the outputs that it should give; by default FILE_ref.csv or "
            "FILE_out.csv beside it, if there is one.",
            autocompletion=files(".csv", ".tsv", ".parquet"),
        ),
    ] = None,
    inputs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table with its inputs over time; by default FILE_in.csv beside it, if there is "
            "one.",
            autocompletion=files(".csv", ".tsv", ".parquet"),
        ),
    ] = None,
    rtol: Annotated[
        float,
        typer.Option(
            metavar="X",
            help="How far outputs may be from the reference, as a share of the range of each.",
        ),
    ] = 1e-3,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox",
            help="For an FMU of strangers: keep it from the network, your files and other "
            "processes.",
        ),
    ] = False,
    skip_unzip: SkipUnzip = False,
) -> int:
    """Check an FMU against the rules, load, initialise and step it, compare with its reference."""
    from ..fmi.archive.archive import extracted_beside

    with extracted_beside(wanted=skip_unzip):
        return _validated(file, inputs, reference, rtol, sandbox=sandbox)


def _validated(
    file: Path, inputs: Path | None, reference: Path | None, rtol: float, *, sandbox: bool
) -> int:
    from ..core.errors import FileError, RunError
    from ..fmi.archive.archive import Archive
    from ..fmi.description import read as described
    from ..fmi.description.describe import counted
    from ..fmi.description.rules import check
    from ..formats import read
    from ..formats.companions import Companions
    from ..formats.loading import is_fmu

    if not is_fmu(file):
        what = "is not an FMU by its name (.fmu)"
        raise FileError(file, what, "look at systems with 'dovetail check'")
    try:
        system, why = read(file), None
        model: Any = next(iter(system.parts.values())).model
        archive, notes = model.archive, model.notes
    except FileError as error:
        archive, notes, why = Archive.open(file), (), error
    fmu = described(archive)
    findings = check(fmu, archive)
    errors = sum(f.severity == "error" for f in findings)
    say(harmless_line(f"{file.name}: FMI {fmu.written_version}, {fmu.model_name}"), bold=True)
    for line in _listed(findings):
        say(f"  {harmless_line(line)}")
    counts = f"{counted(errors, 'error')} and {counted(len(findings) - errors, 'warning')}"
    say(f"  {counts} against the standard's rules")
    for note in notes:
        say(f"  it {note}")
    beside = Companions(file, inputs, reference)
    try:
        if why is not None:
            raise why
        with watched():
            result = _moved(system, beside, sandbox=sandbox)
    except (FileError, RunError) as error:
        say(f"  it does not run: {error}", fg="red")
        return FAILED
    say(f"  loaded, initialised and stepped to t = {result.time[-1]:g} s")
    agrees = _compared(beside.reference, result, rtol)
    return 0 if agrees and not errors else FAILED


def _listed(findings: Sequence[Violation]) -> Iterator[str]:
    """A line each; of what is found again and again, the first ones and how many follow."""
    seen = Counter[tuple[str, str]]()
    for finding in findings:
        seen[finding.severity, finding.rule] += 1
        if seen[finding.severity, finding.rule] <= _SHOWN:
            yield str(finding)
    for (severity, rule), count in seen.items():
        if count > _SHOWN:
            yield f"{severity}: and {count - _SHOWN} more [{rule}]"


def _moved(system: System, beside: Companions, *, sandbox: bool) -> Result:
    """The FMU alone, with its own settings; not farther than is worth waiting for."""
    from ..algorithms import Jacobi
    from ..controllers import FixedStep
    from ..entry.simulate import simulate
    from ..hosts import Isolated
    from ..hosts.process import can_isolate

    asked, made = system.run_settings, beside.options
    start = made.get("StartTime", asked.start or 0.0)
    stop = made.get("StopTime", asked.stop)
    stop = start + 1.0 if stop is None or not stop > start else stop
    size = (
        asked.controller.size if isinstance(asked.controller, FixedStep) else (stop - start) / 500
    )
    size = made.get("StepSize", 0.0) or size
    for part in list(system.parts.values()):
        if beside.feed(system, part.name, part.model):  # type: ignore[arg-type]
            say(f"  its inputs are those in {beside.inputs}")
    return simulate(
        system,
        start=start,
        stop=min(stop, start + _WINDOWS * size),
        algorithm=Jacobi(),
        controller=FixedStep(size),
        placement=Isolated(sandbox=sandbox) if sandbox or can_isolate() else None,
        quiet=True,
    )


def _compared(path: Path | None, result: Result, rtol: float) -> bool:
    """Whether the outputs are those of the reference, where there is one."""
    from ..results.comparison import compare
    from ..results.reading import read
    from .published import side_by_side

    if path is None:
        say("  there is no reference output beside it")
        return True
    part = result.names[0].partition(".")[0] if result.names else ""
    known, ours = side_by_side(read(path), result, part)
    if not known.names:
        say(f"  {path} holds none of its outputs, so there is nothing to compare", fg="red")
        return False
    found = compare(known, ours, rtol=rtol)
    for line in found.table():
        say(f"  {line}")
    return found.within
