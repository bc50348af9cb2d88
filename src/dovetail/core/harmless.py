"""Text of others, made safe to be shown in a terminal."""

from __future__ import annotations


def harmless(text: str) -> str:
    """A text without characters that steer a terminal, which a name in a file may hold.

    Ends of lines and tabs stay. Everything else that is not printed, such as escapes and what
    turns the direction of writing around, is shown as a question mark in a box.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def harmless_line(text: str) -> str:
    """The same in one line."""
    return harmless(" ".join(text.splitlines()).replace("\t", " "))
