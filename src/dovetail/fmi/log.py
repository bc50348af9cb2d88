"""What an FMU says, kept per instance until somebody asks."""

from __future__ import annotations

import ctypes as c
import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .abi import fmi2, fmi3
from .abi.types import STATUS
from .kernel import address, kernel

_KEPT = 200  # messages per instance
_ROOM = 16384
_MEANT = re.compile(r"##|#([ribs]?)(\d+)#")  # a "#", or a variable by type and reference


class Log:
    """The messages of one instance.

    The loggers of FMI 1 and 2 are variadic C functions. With the native kernel they are real
    ones, and messages come formatted; without it a Python callback stands in, which sees
    the format but not what goes into it.
    """

    def __init__(self, name: str, version: int) -> None:
        self.messages: deque[str] = deque(maxlen=_KEPT)
        self.names: Callable[[str, int], str | None] = lambda letter, reference: None
        self._native: Any = None
        if kernel() is not None:
            self._native = kernel().dt_log_new(name.encode())
            self.environment = self._native
            self.logger = address(f"dt_logger{version}")
            self._buffer = c.create_string_buffer(_ROOM)
            return
        self.environment = None
        if version == 3:
            self._callback: Any = fmi3.LogMessage(self._hear_3)
        else:
            self._callback = fmi2.Logger(self._hear_12)
        self.logger = c.cast(self._callback, c.c_void_p).value or 0

    def take(self) -> list[str]:
        """All messages so far, oldest first."""
        if self._native is not None:
            size = kernel().dt_log_take(self._native, self._buffer, _ROOM)
            for line in self._buffer.raw[:size].decode("utf-8", "replace").splitlines():
                status, _, rest = line.partition("\t")
                category, _, message = rest.partition("\t")
                self._keep(int(status) if status.isdigit() else 0, category, message)
        return list(self.messages)

    def close(self) -> None:
        """Keep what was said; give back the native part."""
        if self._native is not None:
            self.take()
            kernel().dt_log_free(self._native)
            self._native = None

    def _keep(self, status: int, category: str, message: str) -> None:
        label = STATUS[status] if 0 <= status < len(STATUS) else str(status)
        about = f" {category}" if category else ""
        told = f"[{label}{about}] {_MEANT.sub(self._meant, message)}"
        plain = "".join(c if c.isprintable() else " " for c in told)  # a terminal may obey others
        self.messages.append(" ".join(plain.split()))

    def _meant(self, found: re.Match[str]) -> str:
        if found[0] == "##":
            return "#"
        return self.names(found[1], int(found[2])) or found[0]

    def _hear_12(
        self, component: Any, name: bytes, status: int, category: bytes, message: bytes
    ) -> None:
        text = _text(message)
        with suppress(TypeError, ValueError):  # arguments cannot be had here; "%%" can
            text = text % ()
        self._keep(status, _text(category), text)

    def _hear_3(self, environment: Any, status: int, category: bytes, message: bytes) -> None:
        self._keep(status, _text(category), _text(message))


def _text(raw: bytes | None) -> str:
    return "" if raw is None else raw.decode("utf-8", "replace")
