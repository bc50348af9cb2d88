"""A run of many that differ in values only."""

from __future__ import annotations

from typing import Any

from ..drawing.system import System
from .common import Common
from .session import Session


class WarmSession(Session):
    """A session that takes over what the ones before have decided, where that is the same.

    Nothing is taken over from one that failed: what a part has shown there may count from then on.
    """

    def __init__(self, common: Common, system: System, **options: Any) -> None:
        self._decisions = self._common = common
        try:
            super().__init__(system, **options)
        except BaseException:
            common.forget()
            raise

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            self._common.forget()
        super().__exit__(kind, error, trace)
