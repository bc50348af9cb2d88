"""The plan of native windows, as `dovetail check` shows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DovetailError, FileError, InputError

if TYPE_CHECKING:
    from ..drawing.system import System


def block_of(system: System) -> bytes:
    """The plan that a run of this drawing, as its run settings say, gives to native code.

    InputError where there is nothing native in it.
    """
    from ..assembly.consistent import Consistent
    from ..drawing.run_settings import RunSettings
    from ..run.planned import planned
    from ..run.run_request import RunRequest
    from ..run.terms import Terms
    from ..runplan.writing import write

    asked = RunRequest.of(system, RunSettings(), Consistent())
    terms = Terms.of(system, asked, lambda _: None)
    plan = planned(terms, asked)
    if plan is None:
        raise InputError(f"'{system.name}' has no plan: it {terms.native}")
    return write(plan)


def shown(block: bytes) -> list[str]:
    """The plan for people."""
    from ..runplan.printing import lines

    return lines(block)


def facts(system: System) -> dict[str, Any] | None:
    """Version, size and hash of the plan; None where there is none."""
    from ..runplan.layout import VERSION
    from ..runplan.writing import digest

    try:
        block = block_of(system)
    except DovetailError:
        return None
    return {"version": VERSION, "bytes": len(block), "sha256": digest(block)}


def written(block: bytes, path: Path) -> None:
    """The bytes to a file."""
    try:
        path.write_bytes(block)
    except OSError as error:
        raise FileError(path, f"it cannot be written: {error.strerror}") from None
