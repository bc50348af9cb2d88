"""A studio in a process of its own, and a page that is no browser: it says what it likes."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

SCRIPT = """\
import sys
from pathlib import Path
from dovetail.studio.server import serving
if sys.argv[3] != "-":
    serving.SITE = Path(sys.argv[3])
serving.serve(Path(sys.argv[1]), is_trusted=sys.argv[2] == "trusted", opens_browser=False,
              say=lambda text: print(text, flush=True))
"""


class Studio:
    """A studio that serves a folder."""

    def __init__(self, target: Path, site: Path | None, *, trusted: bool = True) -> None:
        words = ["trusted" if trusted else "careful", "-" if site is None else str(site)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(target), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        said = ""
        while not (found := re.search(r"(http://127.0.0.1:(\d+))/#(\S+)", said)):
            line = self.process.stdout.readline()
            assert line, self.process.stderr and self.process.stderr.read()
            said += line
        self.address, self.port, self.token = found[1], int(found[2]), found[3]
        self.cookie = ""

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        """One request; headers that are empty are left out."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {"Host": f"127.0.0.1:{self.port}", "Origin": self.address, "Cookie": self.cookie}
        given.update({name.capitalize(): value for name, value in headers.items()})
        link.putrequest(method, path, skip_host=True)
        for name, value in given.items():
            if value:
                link.putheader(name, value)
        if body is not None:
            link.putheader("Content-Length", str(len(body)))
        link.endheaders()
        if body:
            with suppress(OSError):  # it was refused before it was over
                link.send(body)
        answer = link.getresponse()
        found = answer.status, answer.read(), answer.headers
        link.close()
        return found

    def enter(self) -> None:
        """Turn the token into the cookie."""
        status, _, headers = self.request("POST", "/session", self.token.encode())
        assert status == 204
        self.cookie = str(headers["Set-Cookie"]).partition(";")[0]

    @contextmanager
    def page(self) -> Iterator[FakePage]:
        """A page that is open."""
        if not self.cookie:
            self.enter()
        headers = {"Cookie": self.cookie}
        where = f"ws://127.0.0.1:{self.port}/talk"
        with connect(
            where,
            origin=self.address,
            additional_headers=headers,
            max_size=2**26,  # type: ignore[arg-type]
        ) as link:
            yield FakePage(link)

    def kill(self) -> None:
        """As if the machine had lost its power."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def end(self) -> str:
        """As by Ctrl-C; what it wrote to standard error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class FakePage:
    """A page: what it asks is answered, what is pushed is kept."""

    def __init__(self, link: ClientConnection) -> None:
        self.link = link
        self.number = 0
        self.shown: dict[str, Any] = {}
        self.runs: dict[int, dict[str, Any]] = {}
        self.pages = 0
        self.curves: list[bytes] = []
        while not self.shown:
            self.take()

    def take(self, timeout: float = 30.0) -> Any:
        """The next message, whatever it is."""
        data = self.link.recv(timeout)
        if isinstance(data, bytes):
            size = int.from_bytes(data[:4], "little")
            head = json.loads(data[4 : 4 + size])
            self.curves.append(data)
            return {**head, "numbers": data[4 + size :]}
        found = json.loads(data)
        if "shown" in found:
            self.shown = found["shown"]
        if "pages" in found:
            self.pages = found["pages"]
        if "run" in found:
            self.runs[found["run"]["number"]] = found["run"]
            self.link.send(json.dumps({"seen": found["run"]["number"]}))
        return found

    def ask(self, what: str, **given: Any) -> Any:
        """The whole answer to one request."""
        self.number += 1
        self.link.send(json.dumps({"id": self.number, "ask": what, "with": given}))
        while True:
            found = self.take()
            if found.get("id") == self.number:
                return found

    def do(self, **command: Any) -> None:
        """A command that is not refused."""
        found = self.ask("edit", command=command)
        assert "answer" in found, found

    def until_over(self, number: int) -> dict[str, Any]:
        """What there is to say about a run when it is over."""
        while self.runs.get(number, {}).get("state") not in ("finished", "stopped", "failed"):
            self.take()
        return self.runs[number]
