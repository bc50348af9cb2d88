"""One FMU in a process of its own: it may crash, hang, or leave anything behind.

Reads one JSON object from standard input. Tells on standard output how far it came, one JSON
object a line, and leaves the outputs in a file.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from . import by_dovetail, by_fmpy
from .files import Case
from .loose import LooseCase
from .settings import Setting

TOOLS = {"dovetail": by_dovetail.run, "fmpy": by_fmpy.run}


def main() -> None:
    asked = json.load(sys.stdin)
    told = os.dup(1)
    os.dup2(2, 1)  # FMUs write to standard output

    def tell(**facts: Any) -> None:
        os.write(told, (json.dumps(facts) + "\n").encode())

    made = LooseCase if asked["loose"] else Case
    case = made(Path(asked["case"].pop("path")), **asked["case"])
    seconds = math.ceil(asked["limit"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    begin = time.process_time()
    try:
        found = TOOLS[asked["by"]](case, Setting(**asked["how"]), lambda: tell(loaded=True))
    except Exception as error:
        tell(error=f"{type(error).__name__}: {error}")
    else:
        columns = {f"column {k}": values for k, values in enumerate(found.columns.values())}
        np.savez(asked["file"], time=found.time, **columns)
        tell(names=list(found.columns), seconds=time.process_time() - begin)
    os._exit(0)  # some FMUs do not survive their own clean-up


if __name__ == "__main__":
    main()
