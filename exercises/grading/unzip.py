"""Files in zips, of which no more is unpacked than is wanted.

`zipfile` stops early where a file was deflated. bzip2 and LZMA it unpacks in whole pieces of what
was packed, and 4 KB of that may be 100 MB; LZMA takes, besides, as much memory as the file says.
"""

from __future__ import annotations

import bz2
import copy
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any

LARGEST = 64 << 20  # bytes of a zip: its list of files is read as a whole


def listed(path: Path) -> list[zipfile.ZipInfo]:
    """What is in a zip.

    Raises:
      BadZipFile: it is larger than anybody's work. Other exceptions, where it is no zip.
    """
    if path.stat().st_size > LARGEST:
        raise zipfile.BadZipFile(f"it is larger than {LARGEST >> 20} MB")
    with zipfile.ZipFile(path) as archive:
        return archive.infolist()


def read(path: Path, info: zipfile.ZipInfo, most: int) -> bytes:
    """The first bytes of a file in a zip, as many as `most`."""
    with zipfile.ZipFile(path) as archive:
        if info.compress_type not in UNPACKERS:
            with archive.open(info) as file:
                return file.read(most)
        with archive.open(as_it_lies(info)) as file:
            packed = file.read(2 * most)
    data = UNPACKERS[info.compress_type](packed, most)
    if len(data) < most and zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"{info.filename} is damaged")
    return data


def as_it_lies(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """A file as one that was not packed: to read it gives the packed bytes."""
    made: Any = copy.copy(info)
    made.compress_type, made.file_size = zipfile.ZIP_STORED, made.compress_size
    del made.CRC  # of what is unpacked
    return made


def unpack_lzma(packed: bytes, most: int) -> bytes:
    """LZMA as a zip has it: four bytes, of which two tell the length of what describes it."""
    end = 4 + int.from_bytes(packed[2:4], "little")
    kind, size = packed[4], int.from_bytes(packed[5:end], "little")
    lz = {"id": lzma.FILTER_LZMA1, "lc": kind % 9, "lp": kind // 9 % 5, "pb": kind // 45,
          "dict_size": min(max(size, 4096), 2 * most)}  # fmt: skip
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[lz]).decompress(packed[end:], most)


UNPACKERS = {
    zipfile.ZIP_BZIP2: lambda packed, most: bz2.BZ2Decompressor().decompress(packed, most),
    zipfile.ZIP_LZMA: unpack_lzma,
}
