"""The scripts that let a shell ask, and where each shell looks for them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import FileError, OptionError, did_you_mean

_BASH = r"""
_dovetail_complete() {
    local one
    COMPREPLY=()
    while IFS= read -r one; do
        COMPREPLY+=("$one")
        case "$one" in */ | *. | *= | *:) compopt -o nospace 2>/dev/null ;; esac
    done < <(_DOVETAIL_COMPLETE=bash _DOVETAIL_LINE="${COMP_LINE:0:COMP_POINT}" \
        _DOVETAIL_BREAKS="$COMP_WORDBREAKS" "$1" 2>/dev/null)
}
complete -F _dovetail_complete dovetail
"""
_ZSH = r"""
#compdef dovetail
_dovetail() {
    local word text
    local -a open open_texts full full_texts
    while IFS=$'\t' read -r word text; do
        if [[ $word == *[/.=:] ]]; then
            open+=("$word")
            open_texts+=("$word${text:+  -- $text}")
        else
            full+=("$word")
            full_texts+=("$word${text:+  -- $text}")
        fi
    done < <(_DOVETAIL_COMPLETE=zsh _DOVETAIL_LINE="${(j: :)words[1,CURRENT-1]} $PREFIX" \
        "$words[1]" 2>/dev/null)
    (( $#open )) && compadd -S '' -d open_texts -a open
    (( $#full )) && compadd -d full_texts -a full
}
if [[ $funcstack[1] == _dovetail ]]; then
    _dovetail "$@"
else
    compdef _dovetail dovetail
fi
"""
_FISH = r"""
function __dovetail_complete
    set -lx _DOVETAIL_COMPLETE fish
    set -lx _DOVETAIL_LINE (commandline -cp)
    dovetail 2>/dev/null
end
complete -c dovetail -f -a '(__dovetail_complete)'
"""


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell: its script, where it goes, and lines that its settings need for that."""

    script: str
    place: str
    settings: str = ""
    lines: tuple[str, ...] = ()


SHELLS = {
    "bash": Shell(
        _BASH.lstrip(),
        ".local/share/dovetail/completion.bash",
        ".bashrc",
        ('source "$HOME/.local/share/dovetail/completion.bash"',),
    ),
    "zsh": Shell(
        _ZSH.lstrip(),
        ".zfunc/_dovetail",
        ".zshrc",
        ("fpath+=($HOME/.zfunc)", "autoload -Uz compinit && compinit"),
    ),
    "fish": Shell(_FISH.lstrip(), ".config/fish/completions/dovetail.fish"),
}


def shell_named(name: str) -> Shell:
    """One of the shells; with "auto" the one that is in use."""
    name = _in_use() if name == "auto" else name
    if name not in SHELLS:
        known = ", ".join(SHELLS)
        hint = did_you_mean(name, SHELLS)
        what = f"there is no completion for the shell '{name}'" if name else "which shell is it?"
        raise OptionError(f"{what}; name one of {known}.{hint}")
    return SHELLS[name]


def install(name: str) -> str:
    """Write the script, and the lines that load it; what was done, in a sentence."""
    shell, home = shell_named(name), Path.home()
    place = home / shell.place
    written = [str(place)]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(shell.script, encoding="utf-8")
        if shell.settings:
            settings = home / shell.settings
            before = settings.read_text(encoding="utf-8") if settings.exists() else ""
            lacking = [line for line in shell.lines if line not in before.splitlines()]
            if lacking:
                gap = "" if not before or before.endswith("\n") else "\n"
                text = "\n".join([f"{before}{gap}# completion of dovetail", *lacking])
                settings.write_text(f"{text}\n", encoding="utf-8")
                written.append(str(settings))
    except OSError as error:
        where = error.filename or place
        remedy = "write it yourself with --show-completion"
        raise FileError(where, f"cannot be written: {error.strerror}", remedy) from error
    return f"Written: {' and '.join(written)}. Open a new terminal, and press the tab key."


def _in_use() -> str:
    """The shell that called this program, or else the one that the user logs in with."""
    try:
        import shellingham  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return str(shellingham.detect_shell()[0])
    except Exception:
        return Path(os.environ.get("SHELL", "")).name
