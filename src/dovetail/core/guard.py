"""Files that come from elsewhere: only plain files are opened, and what they break is one error.

A damaged file makes a reader, ours or that of a library, raise whatever it likes. Each reader has
one guard around it, which turns that into one FileError.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import DovetailError, FileError, no_such_file

_LONGEST = 160  # letters of what a library says


def check_file(path: str | Path) -> None:
    """Refuse what is no plain file: a pipe would keep us waiting, a device longer."""
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise no_such_file(path) from None
    except (OSError, ValueError) as error:  # ValueError: a zero among the letters
        raise unreadable(path, error) from None
    if stat.S_ISDIR(mode):
        raise FileError(path, "is a folder", "name a file in it")
    if not stat.S_ISREG(mode):
        raise FileError(path, "this is a pipe or a device, not a file", "check the file name")


@contextmanager
def guarded(path: str | Path, what: str, remedy: str = "") -> Iterator[None]:
    """Make whatever a file makes its reader raise one FileError: `what`, and the reason."""
    try:
        yield
    except (DovetailError, Warning):
        raise
    except OSError as error:
        if error.strerror:
            raise unreadable(path, error) from error
        raise FileError(path, f"{what} ({short(error)})", remedy) from error
    except MemoryError as error:
        raise FileError(path, f"{what}: it needs more memory than there is", remedy) from error
    except RecursionError as error:
        raise FileError(path, f"{what}: it is nested too deep", remedy) from error
    except Exception as error:
        raise FileError(path, f"{what} ({short(error)})", remedy) from error


def unreadable(path: str | Path, error: OSError | ValueError) -> FileError:
    """The error for a file that the operating system does not give."""
    said = error.strerror if isinstance(error, OSError) else None
    reason = said or str(error) or type(error).__name__
    return FileError(path, f"cannot be read: {reason.lower()}")


def short(error: BaseException) -> str:
    """What an exception says, on one line and of a bearable length."""
    said = next(iter(str(error).splitlines()), "")
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
