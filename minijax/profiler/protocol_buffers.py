"""Protocol Buffers' bytes: a message is a row of fields, each a number, a kind and a value.

Which fields a message has is a table of whoever writes it. The bytes are those of
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

# By message and field: its number, and what it holds: an integer, one from 0 on ("natural"), a
# float, a text, bytes, or a message.
Messages = Mapping[str, Mapping[str, tuple[int, str]]]


def varint(n: int) -> bytes:
    """An integer from 0 on, seven bits a byte, the lowest first.

    >>> varint(300).hex()
    'ac02'
    """
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def encoded(messages: Messages, message: str, fields: Mapping[str, Any]) -> bytes:
    """The bytes of a message. A field that is given a list is there once for each of its items.

    >>> encoded({"Line": {"function": (1, "integer"), "line": (2, "integer")}}, "Line",
    ...         {"function": 3, "line": 300}).hex()
    '080310ac02'
    """
    out = bytearray()
    for name, value in fields.items():
        number, kind = messages[message][name]
        for item in value if isinstance(value, list) else [value]:
            if kind == "integer":  # one below 0 as 64 bits
                out += varint(number << 3) + varint(item if item >= 0 else item + (1 << 64))
            elif kind == "float":
                out += varint(number << 3 | 1) + struct.pack("<d", item)
            else:
                data = item.encode() if kind == "text" else encoded(messages, kind, item)
                out += varint(number << 3 | 2) + varint(len(data)) + data
    return bytes(out)


def decoded(messages: Messages, message: str, data: memoryview) -> dict[str, list[Any]]:
    """The fields of a message, by name: a list of what each has, in order. Messages inside are
    bytes, to be decoded when they are wanted; fields that are not in the table are passed over.

    ValueError for bytes that are no message.

    >>> table = {"Line": {"function": (1, "integer"), "line": (2, "integer")}}
    >>> decoded(table, "Line", memoryview(bytes.fromhex("080310ac02")))
    {'function': [3], 'line': [300]}
    """
    names = {number: (name, kind) for name, (number, kind) in messages[message].items()}
    found: dict[str, list[Any]] = {name: [] for name in messages[message]}
    for number, is_bytes, value in _fields(data):
        name, kind = names.get(number, ("", ""))
        if name:
            if is_bytes != (kind not in ("integer", "natural", "float")):
                raise ValueError(f"the field {name} of {message} is of another kind")
            found[name].append(_READ.get(kind, memoryview)(value))
    return found


_READ = {
    "integer": lambda n: n - (1 << 64) if n >> 63 else n, "natural": int,
    "float": lambda n: struct.unpack("<d", struct.pack("<Q", n))[0],
    "text": lambda data: str(data, "utf-8", "replace"),
}  # fmt: skip
_WIDTHS = {1: 8, 5: 4}  # of numbers that are not in bytes of seven bits, by their wire types


def _fields(data: memoryview) -> Iterator[tuple[int, bool, Any]]:
    """The number of each field, whether it is a row of bytes, and these or the integer."""
    at = 0
    while at < len(data):
        key, at = _varint_at(data, at)
        wire, size = key & 7, 0
        if wire == 0:
            value, at = _varint_at(data, at)
        elif wire == 2 or wire in _WIDTHS:
            if wire == 2:
                size, at = _varint_at(data, at)
            size = _WIDTHS.get(wire, size)
            part, at = data[at : at + size], at + size
            value = part if wire == 2 else int.from_bytes(part, "little")
        else:
            raise ValueError(f"a field has the wire type {wire}")
        if at > len(data):
            raise ValueError("the last field is cut off")
        yield key >> 3, wire == 2, value


def _varint_at(data: memoryview, at: int) -> tuple[int, int]:
    """The integer that begins there, and where it ends."""
    n = shift = 0
    for end in range(at, min(at + 10, len(data))):
        n |= (data[end] & 0x7F) << shift
        if data[end] < 0x80:
            return n & (1 << 64) - 1, end + 1
        shift += 7
    raise ValueError("an integer is cut off, or has more than 64 bits")


class Numbers(dict):
    """Gives each thing that it is asked for a number, from `first` on, once."""

    def __init__(self, first: int) -> None:
        self.first = first

    def __missing__(self, key: Any) -> int:
        self[key] = len(self) + self.first
        return self[key]
