"""Models whose functions may be compiled: `compile=True`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ..core.errors import ModelError
from ..tracing.traced import Untraceable
from .compiled_membership import CompiledMembership

if TYPE_CHECKING:
    from ..compiling.traced_model import TracedModel

_MADE = ("traced", "in_c")  # made anew wherever the model is sent


class Compilable(CompiledMembership):
    """A model of Python functions that may be traced and compiled.

    What it computes is traced where it is made, and compiled and compared where it is first made
    live; values of closures and globals are those of the first moment.
    """

    compile: bool
    # derivatives of rates and outputs by states and inputs, of one whose functions are in C
    whole_jacobian: Any = None

    def check_compiling(self) -> None:
        """Say now why it cannot be compiled, if it is to be."""
        if self.compile:
            _ = self.traced

    @cached_property
    def traced(self) -> TracedModel:
        """Its functions as arithmetic."""
        from .traced_roles import traced_model

        try:
            return traced_model(self)
        except Untraceable as error:
            raise ModelError(f"compile=True cannot be: {error}; leave compile=True out.") from error

    @cached_property
    def in_c(self) -> Self:
        """The same model with functions in C, of plain vectors."""
        from .in_c import in_c

        made: Self = in_c(self)
        return made

    @property
    def as_run(self) -> Self:
        """The model that its parts are made of."""
        return self.in_c if self.compile else self

    @property
    def is_compiled(self) -> bool:
        """Whether it is to be compiled as it is."""
        return self.compile

    def compiled(self) -> Self:
        """The same model, compiled; ModelError with the reason where it cannot be."""
        made: Self = replace(self, compile=True)  # type: ignore[type-var]
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in _MADE}
