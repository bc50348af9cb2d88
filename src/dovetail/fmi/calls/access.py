"""Reading and writing variables of an instance, type by type, with everything bound once."""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import RunError
from ...core.signals import Discrete, Vector

if TYPE_CHECKING:
    from ..description import FmuVariable
    from .instance import Instance

_C_TYPES: dict[str, Any] = {
    "Float64": c.c_double,
    "Float32": c.c_float,
    "Int8": c.c_int8,
    "UInt8": c.c_uint8,
    "Int16": c.c_int16,
    "UInt16": c.c_uint16,
    "Int32": c.c_int32,
    "UInt32": c.c_uint32,
    "Int64": c.c_int64,
    "UInt64": c.c_uint64,
    "String": c.c_char_p,
    "Binary": c.c_void_p,
}

# FMI type -> the type part of the function's name, and the C type, where they differ from FMI 3
ACCESS: dict[int, dict[str, tuple[str, Any]]] = {
    1: {
        "Float64": ("Real", c.c_double),
        "Int32": ("Integer", c.c_int),
        "Enumeration": ("Integer", c.c_int),
        "Boolean": ("Boolean", c.c_char),
        "String": ("String", c.c_char_p),
    },
    2: {
        "Float64": ("Real", c.c_double),
        "Int32": ("Integer", c.c_int),
        "Enumeration": ("Integer", c.c_int),
        "Boolean": ("Boolean", c.c_int),
        "String": ("String", c.c_char_p),
    },
    3: {
        **{name: (name, kind) for name, kind in _C_TYPES.items()},
        "Enumeration": ("Int64", c.c_int64),
        "Boolean": ("Boolean", c.c_bool),
    },
}
PREFIX = {1: "fmi", 2: "fmi2", 3: "fmi3"}
Check = Callable[[int, str], None]


class Unfit(RunError):
    """A value that a variable of an FMU has no room for."""

    def __init__(self, variable: str, value: object, why: str) -> None:
        super().__init__()
        self.variable, self.value, self.why = variable, value, why

    def __str__(self) -> str:
        return f"its variable '{self.variable}' cannot be {self.value!r}, as {self.why}"


class Channel:
    """Some variables of one FMI type; their scalars have places among reals or discrete values."""

    def __init__(
        self,
        library: Any,
        version: int,
        kind: str,
        references: Sequence[int],
        places: Sequence[int],
        negated: Sequence[bool] = (),
        names: Sequence[str] = (),
    ) -> None:
        self._names = tuple(names)
        name, self._c_type = ACCESS[version][kind]
        self.kind, self._version = kind, version
        self.is_real = kind in ("Float64", "Float32")
        self._negated = np.array(negated, dtype=bool) if any(negated) else None
        self.getter, self.setter = f"{PREFIX[version]}Get{name}", f"{PREFIX[version]}Set{name}"
        self._get, self._set = getattr(library, self.getter), getattr(library, self.setter)
        self.references = np.array(references, dtype=np.uint32)
        self.places = np.array(places, dtype=np.intp)
        self._list = self.places.tolist()
        self._n, self._size = len(references), len(places)
        self._refs = self.references.ctypes.data
        if self.is_real:
            dtype = np.float64 if kind == "Float64" else np.float32
            self._buffer: Any = np.zeros(self._size, dtype)
            self._values = self._buffer.ctypes.data
        else:
            self._buffer = (self._c_type * self._size)()
            self._values = c.addressof(self._buffer)
        self._sizes = (c.c_size_t * self._size)() if kind == "Binary" else None
        self._alive: list[Any] = []  # what the FMU may still point to
        more = (self._size,) if version == 3 else ()
        middle = (c.addressof(self._sizes),) if self._sizes is not None else ()
        self._arguments = (self._refs, self._n, *middle, self._values, *more)

    @property
    def factors(self) -> Vector | None:
        """-1 for each real scalar that is a negated alias, else 1; None where there is none."""
        return None if self._negated is None else np.where(self._negated, -1.0, 1.0)

    @property
    def shown(self) -> tuple[int, int, int, int]:
        """Where the FMU finds references and values, and how many there are of each."""
        return self._refs, self._n, self._values, self._size

    @property
    def room(self) -> int:
        """How many the FMU has for its values, where those are no texts."""
        return c.sizeof(self._buffer)

    def raw(self, discrete: Sequence[Discrete]) -> bytes:
        """These values as the FMU has them, where those are no texts."""
        for k in range(self._size):
            self._put(k, self._sent(k, discrete))
        return bytes(self._buffer)

    def get(self, instance: int, check: Check, reals: Vector, discrete: list[Any]) -> None:
        """Read the variables into their places."""
        if self._get is None:
            check(3, f"{self.getter}, which the binary does not export,")
        check(self._get(instance, *self._arguments), self.getter)
        if self.is_real:
            reals[self.places] = self._buffer
            if self._negated is not None:
                reals[self.places[self._negated]] *= -1
            return
        for k, place in enumerate(self._list):
            discrete[place] = self._value(k)
            if self._negated is not None and self._negated[k]:
                discrete[place] = _opposite(discrete[place])

    def set(self, instance: int, check: Check, reals: Vector, discrete: Sequence[Discrete]) -> None:
        """Write the variables from their places."""
        if self._set is None:
            check(3, f"{self.setter}, which the binary does not export,")
        self.fill(reals, discrete)
        check(self._set(instance, *self._arguments), self.setter)

    def fill(self, reals: Vector, discrete: Sequence[Discrete]) -> None:
        """Put values where the FMU will be shown them."""
        if self.is_real:
            if self.kind == "Float32":
                self._narrow(reals[self.places])
            else:
                self._buffer[:] = reals[self.places]
            if self._negated is not None:
                self._buffer[self._negated] *= -1
        else:
            self._alive = [self._put(k, self._sent(k, discrete)) for k in range(self._size)]

    def _narrow(self, values: Vector) -> None:
        """Doubles as floats; those beyond their range would become infinite."""
        with np.errstate(over="ignore"):
            self._buffer[:] = values
        lost = np.flatnonzero(np.isinf(self._buffer) & np.isfinite(values))
        if lost.size:
            k = int(lost[0])
            raise Unfit(self._name(k), float(values[k]), "it is of type Float32")

    def _name(self, k: int) -> str:
        return self._names[k] if self._names else f"value reference {self.references[0]}"

    def _sent(self, k: int, discrete: Sequence[Discrete]) -> Discrete:
        value = discrete[self._list[k]]
        return _opposite(value) if self._negated is not None and self._negated[k] else value

    def _value(self, k: int) -> Discrete:
        raw = self._buffer[k]
        if self.kind == "String":
            return "" if raw is None else raw.decode("utf-8", "replace")
        if self.kind == "Binary":
            assert self._sizes is not None
            return b"" if not raw else c.string_at(raw, self._sizes[k])
        if self.kind == "Boolean":
            return bool(raw != b"\0") if self._version == 1 else bool(raw)
        return int(raw)

    def _put(self, k: int, value: Any) -> Any:
        if self.kind == "String":
            if "\0" in value:
                raise Unfit(self._name(k), value, "a null character ends a string there")
            try:
                self._buffer[k] = value.encode()
            except UnicodeEncodeError:
                raise Unfit(self._name(k), value, "it has letters that UTF-8 lacks") from None
            return self._buffer[k]
        if self.kind == "Binary":
            assert self._sizes is not None
            data = c.create_string_buffer(value, max(len(value), 1))
            self._buffer[k], self._sizes[k] = c.addressof(data), len(value)
            return data
        if self.kind == "Boolean" and self._version == 1:
            self._buffer[k] = bytes([bool(value)])
        elif self.kind == "Boolean":
            self._buffer[k] = bool(value)
        else:
            self._buffer[k] = int(value)
            if self._buffer[k] != value:
                raise Unfit(self._name(k), value, f"it is of type {self.kind}")
        return None


def _opposite(value: Discrete) -> Discrete:
    """A negated alias of FMI 1, of a number or a truth value."""
    if isinstance(value, bool):
        return not value
    return -value if isinstance(value, int) else value


def channels(
    instance: Instance,
    variables: Sequence[FmuVariable],
    size_of: Callable[[FmuVariable], int],
    clocks: tuple[str, ...] = (),
    wanted: Callable[[FmuVariable], bool] = lambda v: True,
) -> tuple[list[Channel], tuple[int, int]]:
    """One channel per FMI type, in the order of the signals; of wanted ones with these clocks.

    And how many scalars there are in all, real ones and others.
    """
    groups: dict[str, tuple[list[int], list[int], list[bool], list[str]]] = {}
    counts = [0, 0]
    for v in variables:
        size = size_of(v)
        sort = 0 if v.type in ("Float64", "Float32") else 1
        if v.type == "Clock" or v.clocks != clocks or not wanted(v):
            counts[sort] += size
            continue
        references, places, negated, names = groups.setdefault(v.type, ([], [], [], []))
        references.append(v.reference)
        places.extend(range(counts[sort], counts[sort] + size))
        negated.extend([v.negated] * size)
        names.extend([v.name] * size)
        counts[sort] += size
    made = [Channel(instance.library, instance.version, k, *g) for k, g in groups.items()]
    return made, (counts[0], counts[1])
