"""Hostile frames and handshakes, against a server of parts, a master, and a part beside others.

    python benchmarks/network_fuzz.py [--count N] [--seed K]

Handshakes, first frames behind a good one, requests to a part in use, all nearly right or not at
all; a fifth are answers to a master, another fifth what a part is sent by one that steps beside it,
some of it in place of a TLS handshake. A finding is a server that does not answer any more, an
exception that is none of Dovetail's, a name that is not published in anything that was sent or
logged, or memory that grows. Exit code 1 if there was any.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from hostile_frames import answer_of, frame, hostile, liar, linked, requests, veiled
from hostile_neighbours import WHY, met, plan, strange, wrong
from machines import SECRET, offered, serving, spring

import dovetail as dv
from dovetail.machines.greeting import Hello
from dovetail.machines.requests import FrameKind
from dovetail.machines.tickets import MARK, run_certificate
from dovetail.machines.wire import HEAD
from dovetail.machines.wire import MARK as FRAME

BATCH, CHUNK, GROWTH = 200, 500, 150e6  # requests of one use, answers of one liar, bytes


def resident() -> int:
    """Bytes that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return 4096 * pages


def nearly(chance: random.Random, good: list[bytes], number: int) -> bytes:
    """A whole frame with hostile content, so that the next one is read as well."""
    data = bytearray(chance.choice(good)[HEAD.size :] or b"x")
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 0.2:
        data = data[: chance.randrange(len(data) + 1)] * chance.randrange(1, 4)
    kind = chance.choice([*range(18, 26), *range(27, 40), 2**31])
    return HEAD.pack(FRAME, kind, number, len(data)) + bytes(data)


def against_server(count: int, chance: random.Random) -> tuple[list[str], int]:
    """Findings, and how many frames were sent."""
    hello, good = frame(FrameKind.HELLO, Hello("user").data()), requests()
    found, sent, heard = list[str](), 0, 0
    with serving(veiled(), most=16) as (place, said):
        before = 0
        while sent < count:
            words, way = [], chance.random()
            if way < 0.6:
                words = [hostile(chance, [hello, MARK + b"0" * 64])]
            elif way < 0.97:
                words = [hello, hostile(chance, good)]
            else:
                opened = [hello, good[1], good[3], good[4]][: chance.randrange(2, 5)]
                words = [*opened, *(nearly(chance, good, k + 9) for k in range(BATCH))]
            answer = b""
            with linked(place) as link, suppress(ConnectionError):
                for word in words:
                    link.sendall(word)
                with suppress(OSError):
                    link.shutdown(socket.SHUT_WR)
                answer = answer_of(link)
            sent, heard = sent + len(words), heard + len(answer)
            if SECRET.encode() in answer or SECRET in "".join(said):
                found.append(f"frame {sent}: a name that is not published: {answer[:200]!r}")
            said.clear()
            if sent > count // 10 and not before:
                before = resident()
        if dv.parts(place)[0].name != "part":
            found.append("the server does not answer as before")
        if resident() - before > GROWTH:
            found.append(f"memory grew by {(resident() - before) / 1e6:.0f} MB")
    print(f"server: {sent} frames, {heard} bytes heard, {len(found)} findings", flush=True)
    return found, sent


def against_master(count: int, chance: random.Random) -> tuple[list[str], int]:
    """Findings, and how many answers were given."""
    offer = offered(spring())
    described = offer.described() | {"members": ["snapshot"]}
    good = [
        frame(FrameKind.PLAIN, json.dumps(described).encode(), 1),
        frame(FrameKind.PLAIN, json.dumps([offer.listing()]).encode(), 1),
        frame(69, bytes(32) + b"\0", 1),
    ]
    found, given, outcomes, before = list[str](), 0, Counter[str](), 0
    while given < count:
        lies = [hostile(chance, good) for _ in range(min(CHUNK, count - given))]
        with liar(lies) as place:
            for k in range(len(lies)):
                try:
                    if k % 2:
                        dv.parts(place, timeout=5.0)
                    else:
                        dv.load(f"{place}/part", timeout=5.0)
                    outcomes["believed"] += 1
                except dv.InputError:
                    outcomes["refused"] += 1
                except Exception as error:
                    found.append(f"answer {given + k}: {type(error).__name__}: {error}")
        given += len(lies)
        before = before or resident()
    if resident() - before > GROWTH:
        found.append(f"memory grew by {(resident() - before) / 1e6:.0f} MB")
    print(f"master: {given} answers, {dict(outcomes)}, {len(found)} findings", flush=True)
    return found, given


def against_neighbours(count: int, chance: random.Random) -> tuple[list[str], int]:
    """Findings, and how many neighbours there were."""
    found, outcomes, before = list[str](), Counter[str](), 0
    certificate, key = run_certificate()
    for k in range(count):
        data, early = strange(chance), chance.random() < 0.5
        try:
            if k % 200:
                answer = met(data, early=early)
                outcomes[answer.why if answer.why in WHY else "closed"] += 1
                if what := wrong(answer):
                    found.append(f"neighbour {k}: {what}")
            else:  # where TLS is awaited
                met(data, early=early, given=plan(certificate, (certificate, key), early=early))
                found.append(f"neighbour {k}: {data[:40]!r} was taken for TLS")
        except OSError:
            outcomes["no TLS"] += 1
        except Exception as error:
            found.append(f"neighbour {k}: {type(error).__name__}: {error}")
        before = before or (resident() if k > count // 10 else 0)
    if resident() - before > GROWTH:
        found.append(f"memory grew by {(resident() - before) / 1e6:.0f} MB")
    print(f"neighbours: {count}, {dict(outcomes)}, {len(found)} findings", flush=True)
    return found, count


def main() -> int:
    """Attack all; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    begin, chance = time.monotonic(), random.Random(given.seed)
    share = given.count // 5
    found, total = list[str](), 0
    for attack, count in (
        (against_server, given.count - 2 * share),
        (against_master, share),
        (against_neighbours, share),
    ):
        more, sent = attack(count, chance)
        found, total = [*found, *more], total + sent
    for line in dict.fromkeys(found):
        print("---", line)
    print(f"{total} frames in {time.monotonic() - begin:.0f} s, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
