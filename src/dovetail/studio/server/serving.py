"""The studio from its start to its end, on this machine alone."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ...core.errors import FileError, OptionError
from ...results.files.needs import need
from ..folder import WorkFolder
from ..library import TrustNeeded

SITE = Path(__file__).resolve().parents[1] / "page"  # where hatch_build.py puts the page
HOST = "127.0.0.1"
_NAMES = [HOST, "localhost"]


def serve(
    target: Path,
    *,
    port: int = 0,
    is_trusted: bool = False,
    opens_browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the page until Ctrl-C; `target` is a folder, or a file that is opened in its folder."""
    for library in ("starlette", "uvicorn", "websockets", "cloudpickle"):
        need(library, "studio")
    if not (SITE / "index.html").is_file():
        what = "the page of the studio is not in this installation"
        raise FileError(SITE, what, "install Node.js with npm, which build it, and reinstall")
    import uvicorn

    from .app import application

    folder, name = opened_at(target)
    with listening(port) as door:
        port = int(door.getsockname()[1])
        token = secrets.token_urlsafe(32)
        app, hub = application(folder, SITE, token, port, _NAMES, is_trusted=is_trusted)
        if name is not None:
            with suppress(TrustNeeded):  # the page asks
                hub.desk.do_open(name)
        address = f"http://{HOST}:{port}/#{token}"
        say(f"The studio has {folder.root} open. Its page is at\n\n  {address}\n\nCtrl-C ends it.")
        if opens_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        config = uvicorn.Config(
            app, log_level="warning", ws="websockets-sansio", ws_max_size=2**21,
            lifespan="on", timeout_graceful_shutdown=2, server_header=False,
        )  # fmt: skip
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[door])


def opened_at(target: Path) -> tuple[WorkFolder, str | None]:
    """The folder to open, and the file in it that was named."""
    if target.is_dir():
        return WorkFolder.of(target), None
    if not target.exists():
        raise FileError(target, "there is no such file or folder", "name one that is there")
    folder = WorkFolder.of(target.parent)
    return folder, target.name


def listening(port: int) -> socket.socket:
    """A socket on the loopback device; port 0 takes one that is free."""
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((HOST, port))
        door.listen(128)
    except (OSError, OverflowError) as error:
        door.close()
        raise OptionError(f"port {port} cannot be had: {error}; leave --port out") from error
    return door
