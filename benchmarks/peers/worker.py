"""One peer in a process of its own: nobody disturbs anybody else's clock or memory.

Reads one JSON object from standard input and answers with one on the last line of its output.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from typing import Any

from .case import Case
from .peer import Peer
from .roll import PEERS


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """What was asked for: the series of some cases, or what one costs."""
    peer, (case, *more) = PEERS[asked["peer"]], map(Case.from_json, asked["cases"])
    if asked["what"] == "series":
        return {"series": list(told(peer, (case, *more), asked["windows"]))}
    with tempfile.TemporaryDirectory() as folder:
        setup, window = peer.cost(case, folder if asked["what"] == "recorded" else None)
    # of a program that it starts a process cannot tell how large it grew: what it was itself
    # when it forked counts as well
    most = 0 if peer.is_program else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"setup": setup, "window": window, "megabytes": most / 1024}


def told(peer: Peer, cases: Iterable[Case], windows: int) -> Iterator[Any]:
    """Their series, up to the first that the peer cannot run: it may leave anything behind."""
    for case in cases:
        try:
            yield peer.series(case, windows)
        except Exception:
            traceback.print_exc()
            yield None
            return


def main() -> None:
    asked = json.load(sys.stdin)
    told = os.dup(1)
    os.dup2(2, 1)  # libraries write messages to standard output
    found = answer(asked)
    os.write(told, (json.dumps(found) + "\n").encode())
    os._exit(0)  # some do not survive their own clean-up


if __name__ == "__main__":
    main()
