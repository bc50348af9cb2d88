"""A connection to another machine, with all that can go wrong as one sentence."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress

from ..hosts.frames import Ended, Garbled, TooLate
from .access import Access, alert, sentence_of
from .address import Address
from .greeting import Hello, Refused, dial
from .unreachable import Unreachable, said
from .wire import GREETING, FrameLink


def dialled(address: Address, access: Access, mine: Hello) -> FrameLink:
    """A connection that was greeted; Unreachable says what is wrong."""
    wire = FrameLink(_secured(address, access, _linked(address)), address.place)
    try:
        dial(wire, mine, access.secret)
        return wire
    except Refused as refused:
        what, remedy = f"refused: {said(refused)}", ""
    except TooLate:
        what, remedy = f"did not answer within {GREETING:g} s", "is it a server of Dovetail?"
    except Garbled as garbled:
        what, remedy = "does not answer as a server of Dovetail does", ""
        if bytes(garbled.args[0] if garbled.args else b"")[:1] == b"\x15":  # an alert
            what, remedy = "speaks TLS", "give ca=, the certificate of its authority"
    except Ended as ended:
        why = alert(str(ended))
        what = "closed the connection" + ("" if why == "closed" else f": {said(why)}")
        remedy = ""
        if access.is_plain:
            remedy = "if it speaks TLS, give ca=, the certificate of its authority"
    except BaseException:
        wire.close()
        raise
    wire.close()
    raise Unreachable(address.place, what, remedy)


def _linked(address: Address) -> socket.socket:
    try:
        return socket.create_connection((address.host, address.port), GREETING)
    except TimeoutError:
        what = f"did not answer within {GREETING:g} s"
        raise Unreachable(address.place, what, "is the machine there, and its port open?") from None
    except ConnectionRefusedError:
        remedy = "start one there with 'dovetail serve FOLDER'"
        raise Unreachable(address.place, "no server listens there", remedy) from None
    except OSError as error:
        what = f"cannot be reached: {said(error.strerror or error)}"
        raise Unreachable(address.place, what) from None


def _secured(address: Address, access: Access, link: socket.socket) -> socket.socket:
    try:
        context = access.dialling(address)
        if context is None:
            return link
        link.settimeout(GREETING)
        return context.wrap_socket(link, server_hostname=address.host)
    except (ssl.SSLError, OSError) as error:
        with suppress(OSError):
            link.close()
        late = isinstance(error, TimeoutError)
        what = f"did not answer within {GREETING:g} s" if late else sentence_of(error)
        remedy = ""
        if isinstance(error, ssl.SSLCertVerificationError) and access.ca is None:
            remedy = "give ca=, the certificate of its authority"
        raise Unreachable(address.place, said(what), remedy) from None
    except BaseException:
        link.close()
        raise
