"""The list of commands in the help, by what somebody wants to do."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class SectionedGroup(TyperGroup):
    """Commands under the headings that they were registered with, in that order."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order in which they were registered."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            title = getattr(command, "rich_help_panel", None)
            rows = sections.setdefault(title if isinstance(title, str) else "Commands", [])
            rows.append((name, command.short_help or ""))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
