"""XML from untrusted files: no entities, no document types, nothing fetched, no giants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from lxml import etree

from ..core.errors import FileError
from ..core.guard import check_file
from .report import ProblemReport

LARGEST = 512 * 2**20  # bytes
_BOM = b"\xef\xbb\xbf"
_ROOT = re.compile(rb"(<[A-Za-z][\w.:-]*)")  # the first start tag


def root_of(path: Path, expected: str, report: ProblemReport) -> etree._Element:
    """The root element of an XML file; FileError where it cannot be read or is another."""
    root = read_xml(path, report)
    if "{" in root.tag:
        report.lenient("the elements are in an XML namespace, though FMI has none")
        for element in root.iter(etree.Element):
            element.tag = etree.QName(element).localname
    if root.tag != expected:
        what = f"its root element is '{root.tag}', not '{expected}'"
        raise FileError(report.path, what, "check that the file is what its name says")
    return root


def read_xml(
    path: Path, report: ProblemReport, kind: str = "FMU", spaces: Mapping[str, str] | None = None
) -> etree._Element:
    """The root element of an XML file, whatever it is; `kind` is what messages call its owner.

    `spaces` are namespaces that a file may use by their usual prefixes without declaring them.
    """
    named = report.path
    try:
        check_file(path)
        size = path.stat().st_size
        if size > LARGEST:
            what = f"it has {size >> 20} MiB; at most {LARGEST >> 20} are read"
            raise FileError(named, what, f"export the {kind} with fewer variables")
        content = path.read_bytes()
    except OSError as error:
        raise FileError(named, error.strerror or str(error), "check the file") from error
    body = _trimmed(content, report)
    try:
        return _parsed(named, body, report, kind)
    except _Undeclared:
        for prefix, uri in (spaces or {}).items():
            if f"<{prefix}:".encode() in body and f"xmlns:{prefix}=".encode() not in body:
                body = _ROOT.sub(rb"\1 xmlns:%b='%b'" % (prefix.encode(), uri.encode()), body, 1)
                what = "the namespace of a prefix is not declared; it is taken to be the usual one"
                report.lenient(what, f"'{prefix}'")
        return _parsed(named, body, report, kind)


def _trimmed(content: bytes, report: ProblemReport) -> bytes:
    """The document without what may not stand before it."""
    body = content
    while body.startswith(_BOM) or body[:1].isspace():
        body = body.removeprefix(_BOM).lstrip()
    if body is not content and body != content.removeprefix(_BOM):
        report.lenient("blanks before the XML declaration are skipped")
    return body


def _parsed(path: Path, content: bytes, report: ProblemReport, kind: str) -> etree._Element:
    try:
        root = _root(content)
    except etree.XMLSyntaxError as error:
        if str(error).startswith("Namespace prefix"):
            raise _Undeclared(path, *_reason(error, kind)) from error
        if "encoding" not in str(error) and "UTF-8" not in str(error):
            raise _unreadable(path, error, kind) from error
        try:
            root = _root(content, encoding="windows-1252")
        except (etree.XMLSyntaxError, LookupError):
            raise _unreadable(path, error, kind) from error
        report.lenient("the file is not in the encoding it names, and is read as Windows-1252")
    if root.getroottree().docinfo.internalDTD is not None:
        standard = "FMI" if kind == "FMU" else kind
        what = f"it has a document type definition, which {standard} does not know"
        raise FileError(path, what, "it may have been made to do harm; remove the DOCTYPE")
    return root


def _root(content: bytes, encoding: str | None = None) -> etree._Element:
    parser = etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(content, parser)


class _Undeclared(FileError):
    """A namespace without a declaration."""


def _unreadable(path: Path, error: etree.XMLSyntaxError, kind: str) -> FileError:
    return FileError(path, *_reason(error, kind))


def _reason(error: etree.XMLSyntaxError, kind: str) -> tuple[str, str]:
    line = f"line {error.lineno}: " if error.lineno else ""
    reason = " ".join(str(error.msg or error).partition(", line ")[0].split())
    if "XML_PARSE_HUGE" in reason:  # a guard against files that were made to exhaust the machine
        what = "one text in it is longer than 10 MB, or elements are nested more than 256 deep"
        return f"{line}{what}", f"export the {kind} without what is so large"
    return f"{line}this is not valid XML: {reason}", f"export the {kind} again"
