"""Two parts on two "machines" of loopback, side by side: a window beside what a message costs.

    python benchmarks/side_by_side.py

Parts that do next to nothing, each in a process of its own behind a server of its own. Times are
slopes between a short and a long run, medians of rounds in turns with the limit: by TCP a
ping-pong of two C programs that poll, by TLS one of two Python programs with the ssl module.
"""

from __future__ import annotations

import os
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from orchestration import Trivial

import dovetail as dv
from dovetail.machines.access import Access
from dovetail.machines.address import Address
from dovetail.machines.authority import make_certificates
from dovetail.machines.offer import PartOffer
from dovetail.machines.publication import Publication
from dovetail.machines.sealed import Seal
from dovetail.machines.server import PartServer

ROUNDS, STEPS = 7, (500, 5_500)
HERE = Path(__file__).parent


def serve(folder: str) -> None:
    """A server with one part, until standard input ends."""
    lab, access = Path(folder), Access()
    if folder:
        pem = {n: str(lab / f) for n, f in (("cert", "server.pem"), ("key", "server-key.pem"))}
        access = Access(**pem, ca=str(lab / "ca.pem"))
    offer = PartOffer(Trivial(), Publication("part"), Seal(None))
    here = Address("127.0.0.1", 0)
    with PartServer(here, access, {"part": offer}, insecure=not folder) as server:
        print(server.address.port, flush=True)
        sys.stdin.read()


@contextmanager
def served(folder: str) -> Any:
    """The address of one in a process of its own."""
    command = [sys.executable, __file__, "--serve", folder]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            yield f"dovetail://127.0.0.1:{int(process.stdout.readline())}/part"
        finally:
            process.stdin.close()
            process.wait(20)


def window(places: list[str], options: dict[str, str]) -> float:
    """Seconds of a window."""
    system = dv.System("two")
    for name, place in zip("ab", places, strict=True):
        system.add(name, dv.load(place, **options))
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    took = []
    ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(1.0), "quiet": True}
    for count in STEPS:
        with dv.Session(system, stop=float(count), **ways) as session:
            session.proceed()
            begin = time.perf_counter()
            session.run()
            took.append(time.perf_counter() - begin)
    return (took[1] - took[0]) / (STEPS[1] - STEPS[0])


def c_limit(program: Path) -> float:
    """Seconds of a round by TCP between two C programs."""
    return float(subprocess.run([program, "20000"], capture_output=True, check=True).stdout)


def tls_limit(lab: Path, count: int = 3000) -> float:
    """Seconds of a round by TLS between two Python programs."""
    listener = socket.create_server(("127.0.0.1", 0))
    pid = os.fork()
    if pid == 0:
        context = ssl.create_default_context(cafile=str(lab / "ca.pem"))
        link = socket.create_connection(listener.getsockname()[:2])
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with context.wrap_socket(link, server_hostname="localhost") as there:
            while data := there.recv(64):
                there.sendall(data)
        os._exit(0)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(lab / "server.pem", lab / "server-key.pem")
    link = listener.accept()[0]
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with context.wrap_socket(link, server_side=True) as here:
        for k in range(count):
            if k == count // 10:
                begin = time.perf_counter()
            here.sendall(bytes(24))
            here.recv(64)
        took = (time.perf_counter() - begin) / (count - count // 10)
    os.waitpid(pid, 0)
    return took


def main() -> None:
    """Measure both, and both limits."""
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with ExitStack() as stack:
        lab = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_certificates(lab)
        program = lab / "ping"
        subprocess.run(["gcc", "-O2", "-o", program, HERE / "tcp_ping_pong.c"], check=True)
        given = {"ca": "ca.pem", "cert": "client.pem", "key": "client-key.pem"}
        secured = {name: str(lab / file) for name, file in given.items()}
        plain = [stack.enter_context(served("")) for _ in "ab"]
        behind = [stack.enter_context(served(str(lab))) for _ in "ab"]
        found: dict[str, list[float]] = {"tcp": [], "C": [], "tls": [], "ssl": []}
        for _ in range(ROUNDS):
            found["C"].append(c_limit(program))
            found["tcp"].append(window(plain, {}))
            found["ssl"].append(tls_limit(lab))
            found["tls"].append(window(behind, secured))
    for ours, limit, bar in (("tcp", "C", "25 us"), ("tls", "ssl", "2.0")):
        a, b = (1e6 * statistics.median(found[n]) for n in (ours, limit))
        ratio = statistics.median(x / y for x, y in zip(found[ours], found[limit], strict=True))
        print(f"{ours}: {a:.1f} us a window, {limit} ping-pong {b:.1f} us, {ratio:.2f} (bar {bar})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        main()
