"""Object files, put into memory by hand: LLVM's library takes longer to load than all its kernels.

An object file has sections, such as code and constants, and a list of holes in them, where the
addresses of things go. Loading is: memory for the sections, addresses into the holes, and leave to
run the memory. Files in which a hole is more than an address are LLVM's to load.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

# The tables of an ELF file, of 64 bits (Tool Interface Standard, ELF specification 1.2, 1995).
_HEADER = struct.Struct("<4sBB10xHHIQQQIHHHHHH")
_SYMBOL = struct.Struct("<IBBHQQ")
_HOLE = struct.Struct("<QIIq")
_X86_64, _ADDRESS = 62, 1  # a processor; a hole of eight bytes, for an address
_DATA, _SYMBOLS, _HOLES = 1, 2, 4  # kinds of sections
_WRITTEN, _NEEDED = 1, 2  # flags of theirs: needed in memory, and written to there


class Section(NamedTuple):
    """A section, as the file describes it. Of a list, `link` and `info` tell what it belongs to."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    item: int


_SECTION = struct.Struct("<IIQQQQIIQQ")


def sections_of(code: bytes) -> list[Section]:
    """The sections of a file; none if it is not of this form, or for another processor."""
    if len(code) < _HEADER.size:
        return []
    header = _HEADER.unpack_from(code)
    if header[:3] != (b"\x7fELF", 2, 1) or header[4] != _X86_64:
        return []
    offset, count = header[8], header[14]
    table = code[offset : offset + count * _SECTION.size]
    return [Section(*fields) for fields in _SECTION.iter_unpack(table)]


def content(code: bytes, section: Section) -> bytes:
    return code[section.offset : section.offset + section.size]


def layout(sections: Sequence[Section]) -> tuple[dict[int, int], int]:
    """Where in memory each section goes that is needed there, and the size of all."""
    places, size = dict[int, int](), 0
    for k, section in enumerate(sections):
        is_needed = section.flags & (_NEEDED | _WRITTEN) == _NEEDED
        if section.kind == _DATA and is_needed and section.size:
            places[k] = -(-size // section.align) * section.align
            size = places[k] + section.size
    return places, size


def address_of(name: str) -> int | None:
    """Where something is that the process has by this name; None: it has nothing."""
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name))
    except ValueError:
        return None


def symbols_of(code: bytes, sections: Sequence[Section], places: Mapping[int, int]) -> list[tuple]:
    """Each symbol's name and address, where it is known; `places` are addresses."""
    [table] = [section for section in sections if section.kind == _SYMBOLS]
    names, found = content(code, sections[table.link]), []
    for at, _, _, section, value, _ in _SYMBOL.iter_unpack(content(code, table)):
        name = names[at : names.index(b"\0", at)].decode()
        if section:
            found.append((name, places[section] + value if section in places else None))
        else:
            found.append((name, address_of(name)))
    return found


def put_in_memory(code: bytes) -> tuple[Any, int] | None:
    """The memory, and where `entry` begins in it; None where it is LLVM's to load."""
    sections = sections_of(code)
    places, size = layout(sections)
    if not places:
        return None
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for k, place in places.items():
        memory[place : place + sections[k].size] = content(code, sections[k])
    symbols = symbols_of(code, sections, {k: start + place for k, place in places.items()})
    for section in sections:
        if section.kind != _HOLES or section.info not in places:
            continue
        for offset, kind, symbol, more in _HOLE.iter_unpack(content(code, section)):
            address = symbols[symbol][1]
            if kind != _ADDRESS or address is None:
                return None
            struct.pack_into("<Q", memory, places[section.info] + offset, address + more)
    may = mmap.PROT_READ | mmap.PROT_EXEC
    if ctypes.pythonapi.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), may):
        return None
    return memory, dict(symbols)["entry"]
