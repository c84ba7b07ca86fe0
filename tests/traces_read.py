"""A trace's file, read and checked: Chrome's format for events, and that times nest."""

import gzip
import json
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

from minijax import profiler

# What an event has beside "ph": by its phase, and of which types.
EVERY = {"ph": str, "name": str, "pid": int, "tid": int, "args": dict}
FIELDS = {"X": EVERY | {"cat": str, "ts": float, "dur": float}, "M": EVERY}
NAMES = {"process_name", "thread_name"}


def check_event(event: dict) -> None:
    """AssertionError where an event is not as the format has it."""
    fields = FIELDS[event["ph"]]
    assert event.keys() == fields.keys(), event
    for name, kind in fields.items():
        assert type(event[name]) is kind, (name, event)
    if event["ph"] == "M":
        assert event["name"] in NAMES and type(event["args"]["name"]) is str
    else:
        assert event["ts"] >= 0 and event["dur"] >= 0


def check_nesting(events: list) -> None:
    """AssertionError where two spans of one row overlap, and neither holds the other."""
    rows = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin = round(1000 * event["ts"])
            rows[event["pid"], event["tid"]].append((begin, begin + round(1000 * event["dur"])))
    for spans in rows.values():
        open_until = []
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            assert not open_until or end <= open_until[-1], (begin, end, open_until)
            open_until.append(end)


def read(file: Path) -> list:
    """The events of a file, checked."""
    with gzip.open(file, "rt", encoding="utf-8") as content:
        events = json.load(content)["traceEvents"]
    for event in events:
        check_event(event)
    check_nesting(events)
    return events


def trace_file(folder: Path) -> Path:
    (file,) = folder.glob("plugins/profile/*/*.trace.json.gz")
    return file


@contextmanager
def traced(folder: Path, **options):
    """A context that is recorded; its list has the spans, as events, when it has ended."""
    events = []
    with profiler.trace(folder, **options):
        yield events
    events += [event for event in read(trace_file(folder)) if event["ph"] == "X"]


def named(events: list, name: str) -> list:
    """The spans whose names begin so."""
    return [event for event in events if event["name"].startswith(name)]


def is_in(inner: dict, outer: dict) -> bool:
    begin, end = outer["ts"], outer["ts"] + outer["dur"]
    return begin <= inner["ts"] and inner["ts"] + inner["dur"] <= end + 1e-3
