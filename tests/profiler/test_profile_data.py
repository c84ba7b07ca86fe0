"""Traces in XProf's format, read back: what was written, and what is refused."""

import random
from pathlib import Path

import pytest

import minijax as jax
from minijax.profiler.protocol_buffers import encoded
from minijax.profiler.xplanes import MESSAGES

METADATA = [{"key": 1, "value": {"id": 1, "name": "one"}}, {"key": 2, "value": {"name": "two"}}]
SPACE = {"planes": [{
    "id": 1, "name": "host", "event_metadata": METADATA, "stat_metadata": METADATA,
    "stats": [{"metadata_id": 1, "str_value": "all"}],
    "lines": [{"id": 3, "name": "line", "timestamp_ns": 5, "events": [
        {"metadata_id": 1, "offset_ps": 1500, "duration_ps": 2500, "stats": [
            {"metadata_id": 1, "int64_value": -7}, {"metadata_id": 2, "double_value": 1.5},
            {"metadata_id": 1, "str_value": "text"}, {"metadata_id": 9, "str_value": "nameless"},
            {"metadata_id": 1},
        ]},
        {"metadata_id": 44},
    ]}],
}, {"id": 2, "name": "other"}]}  # fmt: skip
BYTES = encoded(MESSAGES, "XSpace", SPACE)


def told(data):
    return [
        (plane.name, list(plane.stats), [
            (line.name, [(e.name, e.start_ns, e.duration_ns, e.end_ns, list(e.stats))
                         for e in line.events])
            for line in plane.lines
        ])
        for plane in data.planes
    ]  # fmt: skip


def test_what_was_written_is_read():
    data = jax.profiler.ProfileData(BYTES)
    stats = [("one", -7), ("two", 1.5), ("one", "text"), (None, None), (None, None)]
    events = [("one", 6.0, 2.0, 8.0, stats), ("", 5.0, 0.0, 5.0, [])]
    assert told(data) == [("host", [("one", "all")], [("line", events)]), ("other", [], [])]
    assert data.find_plane_with_name("other").name == "other"
    assert data.find_plane_with_name("third") is None


def test_a_trace_is_read(tmp_path):
    with jax.profiler.trace(tmp_path), jax.profiler.TraceAnnotation("told", a=-1.5, b=3):
        pass
    [file] = Path(tmp_path).glob("plugins/profile/*/*.xplane.pb")
    [plane] = jax.profiler.ProfileData.from_file(str(file)).planes
    [event] = [event for line in plane.lines for event in line.events]
    assert event.name == "told" and dict(event.stats).items() >= {"a": -1.5, "b": 3}.items()


def test_damaged_bytes_are_refused_with_one_sentence_or_read():
    make, refused = random.Random(0), 0
    for _ in range(500):
        damaged = bytearray(BYTES[: make.randrange(len(BYTES))] if make.random() < 0.3 else BYTES)
        for _ in range(make.randint(1, 3)):
            if damaged:
                damaged[make.randrange(len(damaged))] = make.randrange(256)
        try:
            told(jax.profiler.ProfileData(bytes(damaged)))
        except RuntimeError as error:
            assert "and got other bytes: " in str(error)
            refused += 1
    assert refused > 100


def test_only_bytes_of_a_file_that_is_there():
    with pytest.raises(TypeError, match="takes the bytes of an XSpace, and got 3. Give"):
        jax.profiler.ProfileData(3)
