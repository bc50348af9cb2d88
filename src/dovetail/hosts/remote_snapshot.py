"""A snapshot of a part in a host, as it is held here."""

from __future__ import annotations

import weakref

from .host import PartsHost


class RemoteSnapshot:
    """A snapshot in a host, which is dropped there when nothing refers to it here."""

    def __init__(self, host: PartsHost, number: int, kept: set[int]) -> None:
        self.key = host.key()
        kept.add(self.key)
        weakref.finalize(self, _dropped, host, number, self.key, kept).atexit = False


def _dropped(host: PartsHost, number: int, key: int, kept: set[int]) -> None:
    kept.discard(key)
    host.drop(number, key)
