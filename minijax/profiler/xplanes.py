"""A recording in XProf's own format: planes of lines of events, which TensorBoard opens.

The table has those messages of OpenXLA's xla/tsl/profiler/protobuf/xplane.proto that are written
and read here. A map of Protocol Buffers is a list of entries.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from minijax.profiler.protocol_buffers import Messages, Numbers, encoded
from minijax.profiler.recordings import Recording, Span

MESSAGES: Messages = {
    "XSpace": {"planes": (1, "XPlane"), "hostnames": (4, "text")},
    "XPlane": {
        "id": (1, "integer"), "name": (2, "text"), "lines": (3, "XLine"),
        "event_metadata": (4, "Entry"), "stat_metadata": (5, "Entry"), "stats": (6, "XStat"),
    },
    "Entry": {"key": (1, "integer"), "value": (2, "Metadata")},
    "Metadata": {"id": (1, "integer"), "name": (2, "text")},
    "XLine": {
        "id": (1, "integer"), "name": (2, "text"), "timestamp_ns": (3, "integer"),
        "events": (4, "XEvent"),
    },
    "XEvent": {
        "metadata_id": (1, "integer"), "offset_ps": (2, "integer"), "duration_ps": (3, "integer"),
        "stats": (4, "XStat"),
    },
    "XStat": {
        "metadata_id": (1, "integer"), "double_value": (2, "float"), "uint64_value": (3, "natural"),
        "int64_value": (4, "integer"), "str_value": (5, "text"), "bytes_value": (6, "bytes"),
        "ref_value": (7, "natural"),
    },
}  # fmt: skip
HOST_PLANE = "/host:CPU"  # by which name XProf knows what a process's threads did


def space(
    recording: Recording, rows: Iterable[tuple[int, str, Sequence[Span]]],
    arguments_of: Callable[[Span], Mapping[str, Any]],
) -> bytes:  # fmt: skip
    """The bytes of a recording: one plane, whose lines are the rows: number, title and spans.

    Names of events and of what is told of them stand once, by number. A line begins when the
    recording did, on the wall clock; an event so many picoseconds later.
    """
    names, keys = Numbers(1), Numbers(1)

    def event(span: Span) -> dict[str, Any]:
        told = arguments_of(span).items()
        return {
            "metadata_id": names[span.name],
            "offset_ps": (span.begin - recording.began) * 1000,
            "duration_ps": (span.end - span.begin) * 1000,
            "stats": [{"metadata_id": keys[key], **_stat(x)} for key, x in told],
        }

    lines = [
        {"id": number, "name": title, "timestamp_ns": recording.wall_clock,
         "events": list(map(event, spans))}
        for number, title, spans in rows
    ]  # fmt: skip
    plane = {
        "id": 1, "name": HOST_PLANE, "lines": lines, "event_metadata": _entries(names),
        "stat_metadata": _entries(keys),
    }  # fmt: skip
    return encoded(MESSAGES, "XSpace", {"planes": plane, "hostnames": socket.gethostname()})


def _entries(numbers: Numbers) -> list[dict[str, Any]]:
    return [{"key": n, "value": {"id": n, "name": name}} for name, n in numbers.items()]


def _stat(x: Any) -> dict[str, Any]:
    """The field that holds a number or a text; whole numbers have 64 bits."""
    if isinstance(x, float):
        return {"double_value": x}
    if isinstance(x, int) and -(1 << 63) <= x < 1 << 63:
        return {"int64_value": int(x)}
    return {"str_value": x if isinstance(x, str) else str(x)}
