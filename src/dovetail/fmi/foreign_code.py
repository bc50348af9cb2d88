"""What an FMU needs of the process that it lives in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..subsystems.restart import Restart
from .archive.elf import inspect
from .archive.findings import keep_against_reset, keep_most_derivatives, read_news
from .calls.binding import keep_loaded, may_live_twice
from .kernel import kernel

if TYPE_CHECKING:
    from .model import Fmu
    from .parts.cosimulation import CoSimulation


class ForeignCode:
    """What of an FMU concerns its process: it is compiled code of others."""

    def runs_foreign_code(self) -> bool:
        """Its binary may crash the process it is in."""
        return True

    def against_sharing(self) -> str:
        """Why it is better off in a process of its own; empty if it is not."""
        return self._against_sharing

    @cached_property
    def _against_sharing(self) -> str:
        """Looked up once: a study asks before each of thousands of runs."""
        model = cast("Fmu", self)
        binary = model.archive.binary(model.interface.model_identifier, model.fmu.version)
        if binary is None:
            return ""
        near = [p for p in binary.path.parent.iterdir() if ".so" in p.suffixes or p == binary.path]
        brings = any(n.startswith("libpython") for path in near for n in inspect(path).needed)
        return "brings a Python of its own" if brings else ""

    def against_company(self) -> str:
        """What it may be in a process only once, if that is so: its files."""
        return self._against_company

    @cached_property
    def _against_company(self) -> str:
        model = cast("Fmu", self)
        alone = model.interface.only_once_per_process and not may_live_twice(model)
        return str(model.archive.directory) if alone else ""

    def folders(self) -> tuple[Path, ...]:
        """Where it is unpacked, and the file that it comes from, which is looked at again."""
        archive = cast("Fmu", self).archive
        return archive.directory, archive.source

    def keep_loaded(self) -> None:
        """Its library stays in memory for the next runs of this process, where that is safe."""
        keep_loaded(cast("Fmu", self))

    @property
    def against_repeating(self) -> str:
        """Why a second instance may not run beside the first; empty if it may."""
        model = cast("Fmu", self)
        if self.against_company():
            return "can be instantiated only once in a process"
        return "needs the tool that made it" if model.interface.needs_tool else ""

    @property
    def against_restart(self) -> str:
        """Why its instances cannot be reset for another run; empty if they may be asked to."""
        from .parts.restart import against_restart

        return against_restart(cast("Fmu", self))

    def restart_of(self, part: CoSimulation, given: Sequence[str]) -> Restart:
        """An instance that begins anew, in runs that give values to these variables."""
        from .parts.restart import FmuRestart

        return FmuRestart(part, given)

    def doubt_restart(self, found: str) -> None:
        """A reset does not make it as new: it is not asked to any more."""
        keep_against_reset(cast("Fmu", self).archive, found)

    def take_findings(self, found: Mapping[str, Any]) -> None:
        """What its parts found out in another process is known here, if it is about this FMU."""
        model = cast("Fmu", self)
        flaw, order = read_news(model.archive, found)
        if flaw:
            model.doubt_rollback(flaw)
        if order is not None:
            keep_most_derivatives(model.archive, order)

    def echo_messages(self, to: int) -> None:
        """Its log messages go to this file descriptor as well, at once."""
        native = kernel()
        if native is not None:
            native.dt_log_echo(to)
            native.dt_leave()  # how it ends is what its master sees
