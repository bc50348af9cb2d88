"""What the elements of an .ssd refer to: values, mappings, dictionaries, inline or in files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ...core.errors import FileError
from .complaints import Complaints
from .document import MAPPING, SIGNALS, VALUES, Binding, Entry, Parameter, Sort
from .nodes import Node, read_nodes
from .package import Home
from .values import dictionary_of, entries_of, parameters_of, sort_of
from .vendors import remark

Found = TypeVar("Found")


class Files:
    """Reads what stands inline, or in a file that a source names."""

    def __init__(self, home: Home, complaints: Complaints) -> None:
        self.home, self.complaints = home, complaints

    def bindings(self, node: Node, component: Path | None) -> tuple[Binding, ...]:
        """The values for an element; `component` is where its own files are."""
        nodes = node.all("ssd:ParameterBindings/ssd:ParameterBinding")
        return tuple(b for b in (self._binding(n, component) for n in nodes) if b is not None)

    def _binding(self, node: Node, component: Path | None) -> Binding | None:
        self.note_unread(node)
        if not self._is_known(node, VALUES):
            return None
        found = self._external(
            node, node.one("ssd:ParameterValues"), "ssv:ParameterSet", component, parameters_of
        )
        mapping = node.one("ssd:ParameterMapping")
        entries: tuple[Entry, ...] | None = None
        if mapping is not None:
            if not self._is_known(mapping, MAPPING):
                return None
            entries = self._external(
                mapping, mapping, "ssm:ParameterMapping", component, entries_of
            )
            if entries is None:
                return None
        parameters: tuple[Parameter, ...] = found or ()
        return Binding(parameters, entries, node.get("prefix", ""), node.place)

    def _external(
        self,
        node: Node,
        holder: Node | None,
        root: str,
        component: Path | None,
        read: Callable[[Node, Complaints], Found],
    ) -> Found | None:
        """What stands inline, or in the file that the source names."""
        inline = None if holder is None else holder.one(root)
        address = node.get("source")
        if address is None:
            if inline is None:
                what = f"has neither a source nor a {root} in it"
                self.complaints.problem(node.place, what)
                return None
            return read(inline, self.complaints)
        if inline is not None:
            self.complaints.problem(node.place, "has a source and content of its own; one will do")
        home = self.home
        if node.get("sourceBase", "SSD") == "component":
            if component is None:
                self.complaints.problem(node.place, "is relative to a component without a source")
                return None
            home = self.attempt(node, lambda: _inside(component, self.home)) or home
        path = self.attempt(node, lambda: home.find(address))
        if path is None:
            return None
        try:
            opened = read_nodes(path, home.name(path), root, self.complaints)
        except FileError as error:
            self.complaints.problem(node.place, f"'{address}' cannot be read: {error}")
            return None
        remark(opened, self.complaints)
        return read(opened, self.complaints)

    def dictionary(self, node: Node) -> tuple[str, dict[str, Sort]]:
        """The name and the signals of a dictionary."""
        name, found = node.get("name", ""), None
        if self._is_known(node, SIGNALS):
            found = self._external(node, node, "ssb:SignalDictionary", None, self._signals)
        return name, found or {}

    def _signals(self, node: Node, complaints: Complaints) -> dict[str, Sort]:
        dictionary = dictionary_of(node, complaints)
        found: dict[str, Sort] = {}
        for entry in node.all("ssb:DictionaryEntry"):
            sort = sort_of(entry, dictionary, complaints)
            if sort is None:
                complaints.problem(entry.place, "lacks a type")
            elif entry.get("name") in found:
                complaints.problem(entry.place, "there is an entry of this name already")
            else:
                found[entry.get("name", "")] = sort
        return found

    def _is_known(self, node: Node, type_: str) -> bool:
        given = node.get("type", type_).strip()
        if given != type_:
            what = f"is of type '{given}', which is not supported; '{type_}' is"
            self.complaints.unsupported(node.place, what)
        return bool(given == type_)

    def attempt(self, node: Node, find: Callable[[], Found]) -> Found | None:
        """What is found, or None where it cannot be, which is reported."""
        try:
            return find()
        except (ValueError, FileError) as error:
            self.complaints.unsupported(node.place, str(error))
            return None

    def note_unread(self, node: Node) -> None:
        """Notes about what is there and is not looked at."""
        if node.one("ssc:MetaData") is not None:
            self.complaints.note(node.place, "its MetaData is not looked at")
        if node.one("ssc:Signature") is not None:
            self.complaints.note(node.place, "its Signature is not verified")


def _inside(component: Path, home: Home) -> Home:
    """Where the files of an FMU are."""
    from ...fmi.archive.archive import Archive

    folder = Archive.open(component).directory
    return Home(folder, str(component), folder)
