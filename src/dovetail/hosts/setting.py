"""A new host, from the fork to its first request: what it is started with, and where."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path

from .process import die_with_parent
from .sandbox import enter, scrub
from .worker import NOT_BEGUN, work


@dataclass(frozen=True, slots=True)
class Setting:
    """What a host is started with; `reads`: what it may read, if it is in a sandbox."""

    folder: Path
    environment: dict[str, str]
    changed: dict[str, str | None]  # variables of its master since its server was started
    directory: str | None
    reads: list[str] | None

    def enter(self) -> None:
        """In the new host: be there; OSError if that cannot be."""
        if self.directory is not None or self.reads is not None:
            os.chdir(self.directory or self.folder)
        for name, value in self.changed.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if self.reads is not None:
            scrub(self.environment, str(self.folder))
        os.environ.update(self.environment)
        os.environ["TMPDIR"] = str(self.folder)
        if self.reads is not None:
            more = [] if self.directory is None else [self.directory]
            enter(self.reads, [str(self.folder), *more])


def begin(
    server: int,
    talk: int,
    streams: tuple[int, int, int],
    setting: Setting,
    unneeded: list[int],
) -> None:
    """In the new host: leave the server behind, and serve the master."""
    code = 1
    try:
        die_with_parent(server)
        os.setsid()
        for fd in unneeded:
            os.close(fd)
        for fd, place in zip(streams[:2], (1, 2), strict=True):
            os.dup2(fd, place)
            os.close(fd)
        code = NOT_BEGUN
        asked = socket.socket(fileno=talk)
        setting.enter()
        code = 1
        code = work(asked, streams[2], setting.folder)
    except OSError as error:
        os.write(2, f"{error.strerror or error}\n".encode())
    finally:
        os._exit(code)
