"""A model that is offered, and what is published of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..core.errors import OptionError
from ..drawing.fingerprint import digest
from ..drawing.tuning import bare
from ..subsystems.subsystem import Model
from .described import description_data
from .publication import Publication
from .sealed import Seal
from .veil import Veil


@dataclass(frozen=True)
class PartOffer:
    """A model and what is published of it."""

    model: Model
    publication: Publication
    seal: Seal

    @property
    def name(self) -> str:
        """The name it is offered under."""
        return self.publication.name

    @cached_property
    def veil(self) -> Veil:
        """What is shown; OptionError if that names what is not there."""
        shown = self.publication
        if shown.state and not self.seal.is_there:
            raise OptionError(
                f"the state of '{shown.name}' leaves encrypted only, which needs cryptography: "
                "pip install 'dovetail[remote]', or leave 'state: true' out"
            )
        return Veil(self.model.description, shown)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the model and of what is shown of it."""
        found = fingerprint_of(self.model, self.veil.names.description)
        return found if self.veil.names.is_whole else self.seal.mark(found)

    def described(self) -> dict[str, Any]:
        """What is known of it before it is used."""
        description = description_data(self.veil.names.description)
        return {"description": description, "fingerprint": self.fingerprint}

    def listing(self) -> dict[str, Any]:
        """As a list of parts shows it."""
        d = self.veil.names.description
        counts = {"inputs": len(d.inputs), "outputs": len(d.outputs)}
        text = {"name": self.name, "description": self.publication.text, "kind": d.kind}
        more = {"parameters": len(d.parameters), "fingerprint": self.fingerprint}
        more |= {"model": model_digest(self.model)} if self.veil.names.is_whole else {}
        return text | counts | more


def model_digest(model: Model) -> str:
    """A hash of a model by which it is known again, wherever it was loaded from."""
    return digest(bare(model))


def fingerprint_of(model: Model, shown: Any) -> str:
    """A hash of a model and of its description as it is shown."""
    text = json.dumps(description_data(shown), sort_keys=True)
    return hashlib.sha256(f"{model_digest(model)} {text}".encode()).hexdigest()
