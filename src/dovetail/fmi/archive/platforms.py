"""What the versions of FMI call the folder with the binaries for this machine."""

from __future__ import annotations

import platform
import struct
import sys
from dataclasses import dataclass

_MACHINES = {
    "amd64": "x86_64",
    "arm64": "aarch64",
    "i386": "x86",
    "i486": "x86",
    "i586": "x86",
    "i686": "x86",
    "armv6l": "aarch32",
    "armv7l": "aarch32",
    "armv8l": "aarch32",
}
_NARROW = {"x86_64": "x86", "aarch64": "aarch32"}  # what a 32-bit process on such a machine needs
_SYSTEMS = {"win32": "windows", "cygwin": "windows", "darwin": "darwin"}
_SUFFIXES = {"windows": ".dll", "darwin": ".dylib"}
_OLD_NAMES = {
    "x86_64-linux": "linux64",
    "x86-linux": "linux32",
    "x86_64-windows": "win64",
    "x86-windows": "win32",
    "x86_64-darwin": "darwin64",
    "x86-darwin": "darwin32",
    "aarch64-darwin": "darwin64",  # where universal binaries lie
}


@dataclass(frozen=True, slots=True)
class Platform:
    """A kind of machine, by its name in FMI 3: architecture and system."""

    architecture: str
    system: str

    @staticmethod
    def here() -> Platform:
        """The machine this process runs on."""
        machine = platform.machine().lower()
        architecture = _MACHINES.get(machine, machine)
        if struct.calcsize("P") == 4:
            architecture = _NARROW.get(architecture, architecture)
        return Platform(architecture, _SYSTEMS.get(sys.platform, "linux"))

    def __str__(self) -> str:
        return f"{self.architecture}-{self.system}"

    @property
    def suffix(self) -> str:
        """How the name of a shared library ends."""
        return _SUFFIXES.get(self.system, ".so")

    def folders(self, version: str) -> tuple[str, ...]:
        """Folders of binaries that fit, that of this FMI version first.

        FMI 1 and 2 know `linux64` and its like, and use the names of FMI 3 for newer machines.
        """
        new, old = str(self), _OLD_NAMES.get(str(self))
        if old is None:
            return (new,)
        if version.startswith("3") or self == Platform("aarch64", "darwin"):
            return (new, old)
        return (old, new)
