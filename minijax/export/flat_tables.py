"""Tables of FlatBuffers, the format of JAX's bytes: written and read, as far as these need it.

A table's fields are numbered, and each may be missing. A number stands in the table; of a text, a
vector or another table, how many bytes further on it lies. Which numbers of fields mean what stands
nowhere in the bytes. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from minijax.export.value_format import need


class Number(NamedTuple):
    """A number in a table, by struct's letter of its type: b, B, H, I."""

    letter: str
    value: int


class Numbers(NamedTuple):
    """A vector of numbers of one type."""

    letter: str
    values: Sequence[int]


# Writing. A table is a dict from the numbers of fields to Numbers, texts, bytes, lists and tables.


def written(root: dict[int, Any]) -> bytearray:
    """The bytes of a table and all that it holds."""
    out = bytearray(4)
    struct.pack_into("<I", out, 0, _write_table(out, root))
    return out


def _align(out: bytearray) -> int:
    out.extend(bytes(-len(out) % 4))
    return len(out)


def _write_table(out: bytearray, table: dict[int, Any]) -> int:
    """Before a table stands where in it each field is; what isn't a number stands behind it."""
    letters = {slot: x.letter if isinstance(x, Number) else "I" for slot, x in table.items()}
    by_size = sorted(table, key=lambda slot: -struct.calcsize(letters[slot]))
    places, size = {}, 4
    for slot in by_size:
        places[slot] = size
        size += struct.calcsize(letters[slot])
    slots = 1 + max(table)
    head = _align(out)
    out.extend(struct.pack("<HH", 4 + 2 * slots, size))
    out.extend(struct.pack(f"<{slots}H", *(places.get(slot, 0) for slot in range(slots))))
    start = _align(out)
    out.extend(struct.pack("<i", start - head) + bytes(size - 4))
    for slot in by_size:
        x, place = table[slot], start + places[slot]
        value = x.value if isinstance(x, Number) else _write(out, x) - place
        struct.pack_into(f"<{letters[slot]}", out, place, value)
    return start


def _write(out: bytearray, x: Any) -> int:
    """Writes a table, a text or a vector at the end; where it begins."""
    if isinstance(x, dict):
        return _write_table(out, x)
    start = _align(out)
    if isinstance(x, list):
        out.extend(struct.pack("<I", len(x)) + bytes(4 * len(x)))
        for i, item in enumerate(x):
            place = start + 4 + 4 * i
            struct.pack_into("<I", out, place, _write(out, item) - place)
        return start
    if isinstance(x, Numbers):
        out.extend(struct.pack(f"<I{len(x.values)}{x.letter}", len(x.values), *x.values))
        return start
    data = x.encode() if isinstance(x, str) else bytes(x)
    out.extend(struct.pack("<I", len(data)) + data + (b"\0" if isinstance(x, str) else b""))
    return start


# Reading. Bytes may be anybody's: nothing outside of them is looked at, and not too many tables.

MOST_TABLES = 1_000_000  # several may name one


class Table:
    """A table in bytes. ValueError where a field does not lie inside of them."""

    def __init__(self, data: bytes, place: int, left: list[int]) -> None:
        self.data, self.place, self.left = data, place, left
        left[0] -= 1
        need(left[0] >= 0, "there are too many tables")

    def _unpack(self, letters: str, place: int) -> tuple:
        size = struct.calcsize(f"<{letters}")
        need(0 <= place <= len(self.data) - size, "a field lies outside of the bytes")
        return struct.unpack_from(f"<{letters}", self.data, place)

    def _field(self, slot: int) -> int | None:
        """Where a field is, or None where it is missing."""
        head = self.place - self._unpack("i", self.place)[0]
        entry = 4 + 2 * slot
        if entry >= self._unpack("H", head)[0]:
            return None
        offset = self._unpack("H", head + entry)[0]
        return self.place + offset if offset else None

    def _vector(self, slot: int) -> tuple[int, int]:
        """Where a vector's items begin, and how many there are."""
        place = self._field(slot)
        if place is None:
            return 0, 0
        start = place + self._unpack("I", place)[0]
        return start + 4, self._unpack("I", start)[0]

    def number(self, slot: int, letter: str, default: int = 0) -> int:
        place = self._field(slot)
        return default if place is None else self._unpack(letter, place)[0]

    def numbers(self, slot: int, letter: str) -> tuple[int, ...]:
        start, length = self._vector(slot)
        need(length <= len(self.data), "a vector is longer than the bytes")
        return self._unpack(f"{length}{letter}", start) if length else ()

    def bytes(self, slot: int) -> bytes:
        start, length = self._vector(slot)
        self._unpack(f"{length}x", start)
        return self.data[start : start + length]

    def text(self, slot: int) -> str:
        return self.bytes(slot).decode()

    def table(self, slot: int) -> Table | None:
        place = self._field(slot)
        return None if place is None else self._at(place)

    def _at(self, place: int) -> Table:
        return Table(self.data, place + self._unpack("I", place)[0], self.left)

    def each(self, slot: int, read: Callable[[Table], Any]) -> list[Any]:
        """What `read` gives of each table in a vector of them."""
        start, length = self._vector(slot)
        self._unpack(f"{4 * length}x", start)
        return [read(self._at(start + 4 * i)) for i in range(length)]

    def texts(self, slot: int) -> list[str]:
        """The texts in a vector of them: each begins as a vector does."""
        start, length = self._vector(slot)
        self._unpack(f"{4 * length}x", start)
        return [self._text_at(start + 4 * i) for i in range(length)]

    def _text_at(self, place: int) -> str:
        start = place + self._unpack("I", place)[0]
        length = self._unpack("I", start)[0]
        self._unpack(f"{length}x", start + 4)
        return self.data[start + 4 : start + 4 + length].decode()


def root_table(data: bytes) -> Table:
    """The outermost table of bytes."""
    need(len(data) >= 8, "there are too few of them")
    return Table(data, struct.unpack_from("<I", data)[0], [MOST_TABLES])
