"""Where the parts of a run live: a value, apart from the drawing and from the algorithm."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.errors import OptionError
from ..core.options import check_number, check_whole, worded

if TYPE_CHECKING:
    from ..drawing.system import System
    from ..subsystems.subsystem import Model

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kMGT]?)(i?)B\s*")
_POWERS = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}
_LEAST = 2**20  # bytes; a host alone takes more, and it is what it grows by that counts


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What may be said of any host.

    Args:
        restart: How often a host that died is started again. Its parts go on from the last
            window that was completed; all of them must be able to serialize their states.
        timeout: The longest that one call of a part may last, in s of waiting.
        memory: What its parts may take together beside what a host takes anyway, as "2 GB".
        environment: Environment variables of the host.
        directory: The working directory of the host, where its parts leave files; by default that
            of this process, in a sandbox a temporary folder.
        sandbox: Whether its parts are kept from the network, from your files, and from other
            processes.
    """

    restart: int = 0
    timeout: float | None = None
    memory: str | int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    directory: str | None = None
    sandbox: bool = False

    def __post_init__(self) -> None:
        check_whole("restart", self.restart, 0)
        if self.timeout is not None:
            check_number("timeout", self.timeout, above=0)
        _ = self.bytes
        for name, value in _items(self.environment):
            if not (isinstance(name, str) and isinstance(value, str)) or not name or "=" in name:
                raise OptionError(
                    f"environment= says {name!r}: {value!r}; names and values are texts"
                )
        if self.directory is not None and not (isinstance(self.directory, str) and self.directory):
            raise OptionError(f"directory={self.directory!r} is no path of a folder, a text")
        if not isinstance(self.sandbox, bool):
            raise OptionError(f"sandbox={self.sandbox!r} must be True or False")

    @property
    def bytes(self) -> int | None:
        """The limit of memory."""
        if self.memory is None:
            return None
        found: Any = self.memory
        if isinstance(found, str) and (size := _SIZE.fullmatch(found)):
            found = int(float(size[1]) * (1024 if size[3] else 1000) ** _POWERS[size[2]])
        if not isinstance(found, int) or isinstance(found, bool) or found < _LEAST:
            what = f"memory={self.memory!r} is no size of 1 MB or more"
            raise OptionError(f"{what}, as '2 GB' is one")
        return found


@dataclass(frozen=True, slots=True)
class Isolated(HostOptions):
    """A host for each part, `dv.Isolated(timeout=60)`; what it takes is as in `dv.LocalHost`.

    For a whole run: for each part that brings compiled code of others, which may crash. By
    pattern, `{"pump*": dv.Isolated()}`: for each part that is meant.
    """


@dataclass(frozen=True, slots=True)
class LocalHost(HostOptions):
    """A host on this machine for all parts that name the same `group`.

    For a whole run: for all its parts. By pattern, `{"pump*": dv.LocalHost("pumps")}`: for those
    that are meant.

    Args:
        group: The name of the host. Parts with the same name share the process.
        restart: How often a host that died is started again. Its parts go on from the last
            window that was completed; all of them must be able to serialize their states.
        timeout: The longest that one call of a part may last, in s of waiting.
        memory: What its parts may take together beside what a host takes anyway, as "2 GB".
        environment: Environment variables of the host.
        directory: The working directory of the host, where its parts leave files; by default that
            of this process, in a sandbox a temporary folder.
        sandbox: Whether its parts are kept from the network, from your files, and from other
            processes.
    """

    group: str = "host"

    def __init__(
        self,
        group: str = "host",
        *,
        restart: int = 0,
        timeout: float | None = None,
        memory: str | int | None = None,
        environment: Mapping[str, str] | None = None,
        directory: str | None = None,
        sandbox: bool = False,
    ) -> None:
        if not isinstance(group, str) or not group:
            raise OptionError(f"group={group!r} is no name of a host")
        given: dict[str, Any] = {"group": group, "restart": restart, "timeout": timeout}
        given |= {"memory": memory, "environment": environment or {}, "directory": directory}
        given["sandbox"] = sandbox
        for name, value in given.items():
            object.__setattr__(self, name, value)
        HostOptions.__post_init__(self)


class Elsewhere(ABC):
    """Other machines that hold parts; before a run is decided, stand-ins take their places."""

    @abstractmethod
    def stand_ins(self, system: System, names: Sequence[str]) -> Mapping[str, Model]:
        """Models that stand for these parts of a system."""


Place = HostOptions | Elsewhere
Placement = Place | Mapping[str, Place | None]


def check_placement(placement: Any) -> None:
    """OptionError, if this places nothing."""
    if placement is None or isinstance(placement, Place):
        return
    if not isinstance(placement, Mapping):
        way_out = "dv.Isolated(), dv.LocalHost('name'), or a mapping of patterns to them"
        raise OptionError(f"placement={placement!r} is no placement; give {way_out}")
    hosts = dict[str, LocalHost]()
    for pattern, host in placement.items():
        if not isinstance(pattern, str) or not (host is None or isinstance(host, Place)):
            way_out = "a pattern of parts with dv.Isolated(), dv.LocalHost('name') or None"
            what = f"placement={{{pattern!r}: {host!r}}} is no placement"
            raise OptionError(f"{what}; give {way_out}")
        if isinstance(host, LocalHost) and hosts.setdefault(host.group, host) != host:
            raise OptionError(f"the host '{host.group}' is given two sets of options; give one")


def _items(given: Any) -> list[tuple[Any, Any]]:
    if not isinstance(given, Mapping):
        raise OptionError(f"environment={given!r} is no mapping of names to values")
    return list(given.items())


worded(Isolated, LocalHost)
