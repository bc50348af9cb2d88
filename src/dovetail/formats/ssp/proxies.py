"""Addresses of libcosim for an FMU in a process of its own."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from .complaints import Complaints, Place

_PROXY = "proxyfmu://localhost?"


def unproxied(address: str, place: Place, complaints: Complaints) -> str:
    """The file behind an address; it runs here all the same, which is noted."""
    if not address.startswith(_PROXY):
        return address
    complaints.note(place, "runs in this process, not in one of proxyfmu")
    return parse_qs(urlsplit(address).query).get("file", [address])[0]
