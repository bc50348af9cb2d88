"""What is decided of a run before anything of it lives, and by whom."""

from __future__ import annotations

from ..assembly.consistent import Consistent
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from .run_request import RunRequest
from .terms import Say, Terms


class Decisions:
    """Those of one run, from its drawing and what was asked for."""

    def asked(self, system: System, given: RunSettings, begins: Consistent) -> RunRequest:
        """What is asked for, checked."""
        return RunRequest.of(system, given, begins)

    def terms(self, system: System, asked: RunRequest, say: Say) -> Terms:
        """How that is to be run; what is decided is said."""
        return Terms.of(system, asked, say)
