"""Arithmetic as a list of operations, each on earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, field

Operand = int  # a place on the tape


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `value` is that of a constant; `name` says which symbol."""

    op: str
    operands: tuple[Operand, ...] = ()
    value: float = 0.0
    name: str = ""


@dataclass(slots=True)
class Tape:
    """Operations in the order in which they are done; equal ones stand there once."""

    operations: list[Operation] = field(default_factory=list)
    _places: dict[tuple[object, ...], Operand] = field(default_factory=dict)

    def put(self, op: str, *operands: Operand, value: float = 0.0, name: str = "") -> Operand:
        """The place of an operation; a new one if it is new."""
        key = op, operands, value.hex(), name
        if key not in self._places:
            self._places[key] = len(self.operations)
            self.operations.append(Operation(op, operands, value, name))
        return self._places[key]

    def constant(self, value: float) -> Operand:
        """A number."""
        return self.put("constant", value=float(value))

    def symbol(self, name: str) -> Operand:
        """A variable."""
        return self.put("symbol", name=name)

    def needed(self, results: list[Operand]) -> list[Operand]:
        """The places that these results depend on, in order, themselves among them."""
        wanted = set(results)
        for place in range(len(self.operations) - 1, -1, -1):
            if place in wanted:
                wanted.update(self.operations[place].operands)
        return sorted(wanted)
