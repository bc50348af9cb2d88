"""The log messages of an FMU, kept per instance until they are read."""

from __future__ import annotations

import ctypes as c
import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from ..kernel import address, kernel
from .abi import fmi2, fmi3
from .abi.types import STATUS

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
        self.environment = next(_NUMBERS)
        _LOGS[self.environment], self._name = self, name
        self.logger = c.cast(_callback(version), c.c_void_p).value or 0

    def take(self) -> list[str]:
        """All messages so far, oldest first."""
        if self._native is not None:
            size = kernel().dt_log_take(self._native, self._buffer, _ROOM)
            for line in self._buffer.raw[:size].decode("utf-8", "replace").splitlines():
                status, _, rest = line.partition("\t")
                category, _, message = rest.partition("\t")
                self._keep(int(status) if status.isdigit() else 0, category, message)
        return list(self.messages)

    def forget(self) -> None:
        """What was said so far is of no interest any more."""
        self.take()
        self.messages.clear()

    def close(self) -> None:
        """Keep the messages; free the native part."""
        _LOGS.pop(self.environment, None)
        if self._native is not None:
            self.take()
            kernel().dt_log_free(self._native)
            self._native = None

    def _keep(self, status: int, category: str, message: str) -> None:
        label = STATUS[status] if 0 <= status < len(STATUS) else str(status)
        about = f" {category}" if category else ""
        line = f"[{label}{about}] {_MEANT.sub(self._meant, message)}"
        plain = "".join(c if c.isprintable() else " " for c in line)  # a terminal may obey others
        self.messages.append(" ".join(plain.split()))

    def _meant(self, found: re.Match[str]) -> str:
        if found[0] == "##":
            return "#"
        return self.names(found[1], int(found[2])) or found[0]


_LOGS: WeakValueDictionary[int, Log] = WeakValueDictionary()
_NUMBERS = count(1)


@lru_cache
def _callback(version: int) -> Any:
    """One for all instances, that is never given back: some are called by those long gone."""
    return fmi3.LogMessage(_hear_3) if version == 3 else fmi2.Logger(_hear_12)


def _log_of(environment: int | None, name: str = "") -> Log | None:
    """The log that is meant: by its number, or, as FMI 1 has none, by the name of the instance."""
    found = _LOGS.get(environment or 0)
    if found is None and name:
        newest = reversed(sorted(_LOGS.items()))
        found = next((log for _, log in newest if log._name == name), None)
    return found


def _hear_12(
    environment: int | None, name: bytes, status: int, category: bytes, message: bytes
) -> None:
    log, text = _log_of(environment, _text(name)), _text(message)
    with suppress(TypeError, ValueError):  # arguments cannot be had here; "%%" can
        text = text % ()
    if log is not None:
        log._keep(status, _text(category), text)


def _hear_3(environment: int | None, status: int, category: bytes, message: bytes) -> None:
    log = _log_of(environment)
    if log is not None:
        log._keep(status, _text(category), _text(message))


def _text(raw: bytes | None) -> str:
    return "" if raw is None else raw.decode("utf-8", "replace")
