"""Options that may stand alone or with a value: `--live` and `--live 'prey.*'`."""

from __future__ import annotations

import os
from collections.abc import Sequence

OPTIONAL = {"--live": "*", "--isolate": ""}  # what each means alone


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The arguments with every such option given its value.

    The next word is its value unless it is another option, or a file, as in `--live drive.yaml`.
    """
    found: list[str] = []
    for place, word in enumerate(arguments):
        if word == "--":
            return [*found, *arguments[place:]]
        after = arguments[place + 1] if place + 1 < len(arguments) else "-"
        alone = after.startswith("-") or os.path.isfile(after)  # long words are values
        found.append(f"{word}={OPTIONAL[word]}" if word in OPTIONAL and alone else word)
    return found
