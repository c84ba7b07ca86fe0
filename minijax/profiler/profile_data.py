"""Traces in XProf's format, read: planes of lines of events, as jax.profiler.ProfileData has them.

A file may be large, so each part is read when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from minijax.core.errors import JaxRuntimeError, api_boundary
from minijax.lax.elementwise.arithmetic import shown
from minijax.profiler.protocol_buffers import decoded
from minijax.profiler.xplanes import MESSAGES

Fields = dict[str, list[Any]]


def _read(message: str, data: memoryview) -> Fields:
    try:
        return decoded(MESSAGES, message, data)
    except ValueError as error:
        raise RuntimeError(
            f"ProfileData reads what start_trace has written for XProf, HOST.xplane.pb, and got "
            f"other bytes: {error}. Give such a file, as it was written."
        ) from error


def _last(found: list[Any], default: Any) -> Any:
    return found[-1] if found else default


class ProfileEvent:
    """Something that took time. Its times are nanoseconds: `start_ns` since 1970."""

    def __init__(self, fields: Fields, began: int, plane: ProfilePlane) -> None:
        self._fields, self._began, self._plane = fields, began, plane

    @property
    def name(self) -> str:
        return self._plane._names["event_metadata"].get(self._number, "")

    @property
    def _number(self) -> int:
        return _last(self._fields["metadata_id"], 0)

    @property
    def start_ns(self) -> float:
        return float(self._began + _last(self._fields["offset_ps"], 0) // 1000)

    @property
    def duration_ns(self) -> float:
        return float(_last(self._fields["duration_ps"], 0) // 1000)

    @property
    def end_ns(self) -> float:
        return self.start_ns + self.duration_ns

    @property
    def stats(self) -> Iterator[tuple[str | None, Any]]:
        """What is told of it: names with values."""
        return self._plane._stats(self._fields["stats"])


class ProfileLine:
    """A row of events, as a viewer shows them: a thread, say."""

    def __init__(self, fields: Fields, plane: ProfilePlane) -> None:
        self._fields, self._plane = fields, plane

    @property
    def name(self) -> str:
        return _last(self._fields["name"], "")

    @property
    def events(self) -> Iterator[ProfileEvent]:
        """The events, as they are written."""
        began = _last(self._fields["timestamp_ns"], 0)
        for data in self._fields["events"]:
            yield ProfileEvent(_read("XEvent", data), began, self._plane)


class ProfilePlane:
    """What one place did: the threads of a process, or a device."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    @property
    def name(self) -> str:
        return _last(self._fields["name"], "")

    @property
    def lines(self) -> Iterator[ProfileLine]:
        """The lines, as they are written."""
        for data in self._fields["lines"]:
            yield ProfileLine(_read("XLine", data), self)

    @property
    def stats(self) -> Iterator[tuple[str | None, Any]]:
        """What is told of it: names with values."""
        return self._stats(self._fields["stats"])

    @cached_property
    def _names(self) -> dict[str, dict[int, str]]:
        """The names of events and of stats, by their numbers."""
        return {kind: dict(map(_named, self._fields[kind]))
                for kind in ("event_metadata", "stat_metadata")}  # fmt: skip

    def _stats(self, stats: Iterable[memoryview]) -> Iterator[tuple[str | None, Any]]:
        names = self._names["stat_metadata"]
        for data in stats:
            fields = _read("XStat", data)
            number = _last(fields.pop("metadata_id"), 0)
            kind, value = next(
                ((kind, found[-1]) for kind, found in fields.items() if found), (None, None)
            )
            if number not in names or kind is None:
                yield None, None
                continue
            yield names[number], names.get(value, "") if kind == "ref_value" else (
                str(value, "utf-8", "replace") if kind == "bytes_value" else value
            )


def _named(entry: memoryview) -> tuple[int, str]:
    fields = _read("Entry", entry)
    inside = _read("Metadata", _last(fields["value"], memoryview(b"")))
    return _last(fields["key"], 0), _last(inside["name"], "")


class ProfileData:
    """What a trace has recorded, from the bytes of an XSpace: `HOST.xplane.pb`.

    TypeError for what is not bytes, RuntimeError for bytes that are something else.

    >>> import tempfile, pathlib
    >>> from minijax.profiler.traces import trace
    >>> from minijax.profiler.annotations import TraceAnnotation
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with trace(folder), TraceAnnotation("read the data"):
    ...         rows = list(range(10))
    ...     [file] = pathlib.Path(folder).glob("plugins/profile/*/*.xplane.pb")
    ...     found = ProfileData.from_file(str(file))
    >>> [event.name for plane in found.planes for line in plane.lines for event in line.events]
    ['read the data']
    """

    @api_boundary
    def __init__(self, serialized_xspace: bytes) -> None:
        if not isinstance(serialized_xspace, bytes):
            raise TypeError(
                f"ProfileData takes the bytes of an XSpace, and got {shown(serialized_xspace)}. "
                f"Give bytes, or use ProfileData.from_file."
            )
        self._planes = [
            ProfilePlane(_read("XPlane", data))
            for data in _read("XSpace", memoryview(serialized_xspace))["planes"]
        ]

    @classmethod
    def from_serialized_xspace(cls, serialized_xspace: bytes) -> ProfileData:
        """The same from bytes."""
        return cls(serialized_xspace)

    @classmethod
    @api_boundary
    def from_file(cls, proto_file_path: str) -> ProfileData:
        """The same from a file. TypeError for what is no text, JaxRuntimeError where it can't be
        read."""
        if not isinstance(proto_file_path, str):
            raise TypeError(
                f"ProfileData.from_file takes a file's path, and got {shown(proto_file_path)}. "
                f"Give a string."
            )
        try:
            return cls(Path(proto_file_path).read_bytes())
        except OSError as error:
            raise JaxRuntimeError(
                f"ProfileData.from_file can't read {proto_file_path}: {error.strerror}. Give a "
                f"file that start_trace has written, HOST.xplane.pb."
            ) from error

    @property
    def planes(self) -> Iterator[ProfilePlane]:
        """The planes, as they are written."""
        return iter(self._planes)

    def find_plane_with_name(self, name: str) -> ProfilePlane | None:
        """The first plane of this name; None where there is none."""
        return next((plane for plane in self._planes if plane.name == name), None)
