"""Protocol Buffers' bytes: a message is a row of fields, each a number, a kind and a value.

Which fields a message has is a table of whoever writes it. The bytes are those of
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

# By message and field: its number, and what it holds: an integer, a float, a text, or a message.
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


class Numbers(dict):
    """Gives each thing that it is asked for a number, from `first` on, once."""

    def __init__(self, first: int) -> None:
        self.first = first

    def __missing__(self, key: Any) -> int:
        self[key] = len(self) + self.first
        return self[key]
