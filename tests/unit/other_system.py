"""Imports all of Dovetail as if on another operating system; `python other_system.py win32`.

What Dovetail builds on is imported first, as on Linux. Then what only POSIX has is taken away, and
Dovetail's own modules are imported anew. What is to be seen there is printed as JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import signal
import sys
import warnings
from pathlib import Path

POSIX_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty")
POSIX_NAMES = (
    *("fork", "forkpty", "geteuid", "getuid", "getpgid", "killpg", "mkfifo", "register_at_fork"),
    *("sched_getaffinity", "set_blocking", "setsid", "statvfs", "sysconf", "uname", "wait4"),
    *("RTLD_NOW", "RTLD_LOCAL", "O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW"),
)
SIGNALS = ("SIGALRM", "SIGBUS", "SIGHUP", "SIGKILL", "SIGUSR1", "setitimer", "pthread_kill")
DARWIN_LACKS = ("sched_getaffinity",)


def modules() -> list[str]:
    """Every module of the package, imported."""
    import dovetail

    names = [one.name for one in pkgutil.walk_packages(dovetail.__path__, "dovetail.")]
    names = [
        name for name in names if not name.endswith(("__main__", "._kernel", "._shim", "._beside"))
    ]
    for name in names:
        importlib.import_module(name)
    return names


def main(system: str) -> None:
    """Import, pretend, import again, and print what was seen."""
    before = modules()
    for name in [n for n in sys.modules if n == "dovetail" or n.startswith("dovetail.")]:
        del sys.modules[name]
    if system == "win32":
        for name in POSIX_MODULES:
            sys.modules[name] = None  # type: ignore[assignment]
        for name in SIGNALS:
            if hasattr(signal, name):
                delattr(signal, name)
    for name in POSIX_NAMES if system == "win32" else DARWIN_LACKS:
        if hasattr(os, name):
            delattr(os, name)
    sys.platform = system
    after = modules()
    from dovetail.fmi import kernel
    from dovetail.fmi.archive.platforms import Platform
    from dovetail.fmi.native.threads import worthwhile
    from dovetail.xml import cache

    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        loaded = kernel.kernel()
    Step = kernel.NativeMember
    members = (Step * 2)(*(Step(timed=9, quickest=1.0) for _ in range(2)))
    seen = {
        "modules": len(after),
        "missing": sorted(set(before) - set(after)),
        "kernel": kernel.NAME,
        "loaded": loaded is not None,
        "noted": [str(one.message) for one in noted],
        "suffix": Platform.here().suffix,
        "cache": Path(cache.folder()).as_posix(),
        "threads": worthwhile(members),
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main(sys.argv[1])
