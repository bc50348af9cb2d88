"""A machine that serves the same models: parts of a drawing live there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core.errors import OptionError
from ..core.options import worded
from ..hosts.placement import Elsewhere
from .address import Address
from .listing import parts
from .offer import model_digest
from .remote_model import LONGEST, RemoteModel, addressed

if TYPE_CHECKING:
    from ..drawing.system import System


class RemoteHost(Elsewhere):
    """Parts live on another machine, by pattern: `{"plant": dv.RemoteHost("dovetail://lab:4850")}`.

    No model travels: the server there must offer the same model, with all of its variables. FMUs
    are known by their content, models in Python by what they do.

    Args:
        address: The server, as "dovetail://lab.example:4850".
        ca: Certificate of the authority that the server is believed by (PEM).
        cert: Certificate to be shown (PEM).
        key: Its key (PEM).
        token: A token that both sides know.
        token_file: A file with it.
        timeout: The longest that one call of a part may last, in s of waiting.
    """

    def __init__(
        self,
        address: str,
        *,
        ca: str | None = None,
        cert: str | None = None,
        key: str | None = None,
        token: str | None = None,
        token_file: str | None = None,
        timeout: float = LONGEST,
    ) -> None:
        given = {"ca": ca, "cert": cert, "key": key, "token": token, "token_file": token_file}
        self._options: dict[str, Any] = {n: v for n, v in given.items() if v is not None}
        self._options["timeout"] = timeout
        self.address = addressed(address, self._options, part=False)[0].place

    def __repr__(self) -> str:
        return f"RemoteHost('{self.address}')"

    def stand_ins(self, system: System, names: Sequence[str]) -> dict[str, RemoteModel]:
        """The same models there; OptionError for those that are not."""
        offered = parts(self.address, **self._options)
        by_model = {one.model: one for one in offered if one.model}
        found: dict[str, RemoteModel] = {}
        place = Address.parse(self.address)
        for name in names:
            one = by_model.get(model_digest(system.parts[name].model))
            if one is None:
                some = ", ".join(f"'{p.name}'" for p in offered[:6]) or "nothing"
                raise OptionError(
                    f"part '{name}' cannot live at {self.address}: the same model, with all of its "
                    f"variables, is not offered there, but {some}; serve a folder that holds it, "
                    f"or leave it here, placement={{'{name}': None, ...}}"
                )
            whole = str(Address(place.host, place.port, one.name))
            model = RemoteModel.load(whole, **self._options)
            found[name] = replace(model, stands_for=system.parts[name].model)
        return found


worded(RemoteHost)
