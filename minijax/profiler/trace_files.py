"""A recording as files: events in the format of Chrome's tracing, which Perfetto reads too, and
the planes that XProf reads.

The folders are JAX's: LOG_DIR/plugins/profile/TIME/HOST.trace.json.gz, and HOST.xplane.pb.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from minijax.core.errors import format_name_stack
from minijax.lax.elementwise.arithmetic import shown
from minijax.profiler.recordings import Recording, Span
from minijax.profiler.xplanes import space

Event = dict[str, Any]

# Events.


def trace_events(recording: Recording) -> list[Event]:
    """The events of a recording, those that name processes and threads first.

    Spans are events of the phase "X": `ts` and `dur` are microseconds, from when the recording
    began.
    """
    process = os.getpid()
    events = [_name("process_name", "minijax on the CPU", process, 0)]
    for number, title, spans in rows_of(recording):
        events.append(_name("thread_name", title, process, number))
        events += [_event(span, recording, process, number) for span in spans]
    return events


def rows_of(recording: Recording) -> Iterator[tuple[int, str, Sequence[Span]]]:
    """The rows of a viewer: number, title and spans of each.

    A row is a thread. Below each thread whose spans are in named scopes, a row shows the scopes.
    """
    threads = list(recording.threads.items())
    spans = sorted(recording.spans, key=lambda span: (span.begin, -span.end))
    for thread, number in threads:
        own = [span for span in spans if span.thread == number]
        yield number, thread.name, own
        if scopes := list(scope_spans(own)):
            yield number + len(threads), f"named scopes: {thread.name}", scopes


def _name(kind: str, name: str, process: int, thread: int) -> Event:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def arguments_of(span: Span) -> dict[str, Any]:
    """What is told of a span beside its name and times: numbers and texts."""
    arguments = {name: _plain(value) for name, value in span.details.items()}
    if span.source is not None and span.source.code is not None:
        arguments["line"] = str(span.source)
    if scope := _scope(span):
        arguments["scope"] = scope
    return arguments


def _event(span: Span, recording: Recording, process: int, thread: int) -> Event:
    return {
        "ph": "X", "name": span.name, "cat": span.category, "pid": process, "tid": thread,
        "ts": (span.begin - recording.began) / 1000, "dur": (span.end - span.begin) / 1000,
        "args": arguments_of(span),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """What JSON can hold of a user's value: numbers and texts, all else as a message shows it."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value is None or type(value) in (bool, int, str) or type(value) is float and value == value:
        return value if value not in (float("inf"), float("-inf")) else str(value)
    return shown(value)


def scope_spans(spans: Sequence[Span]) -> Iterator[Span]:
    """The named scopes of a thread's operations: each from its first to its last, one in the other.

    `spans` are in the order in which they begin. Operations that follow each other in one scope
    are in one span of it.
    """
    opened: list[tuple[str, int]] = []  # the scopes that are open, and when each began
    last: Span | None = None  # the latest operation in a scope
    for span in spans:
        is_operation = span.category in ("kernel", "numpy") and span.source is not None
        if not is_operation or last is not None and span.begin < last.end:
            continue  # or it is a part of the latest
        names, shared = _scopes(span), 0
        while shared < min(len(names), len(opened)) and names[shared] == opened[shared][0]:
            shared += 1
        if last is not None:
            yield from _closed(opened, shared, last)
        opened += [(name, span.begin) for name in names[shared:]]
        last = span if names else last
    if last is not None:
        yield from _closed(opened, 0, last)


def _scopes(span: Span) -> list[str]:
    """The scopes of a span, from the outside in; transformations stand round their functions'."""
    scope = _scope(span)
    return scope.split("/") if scope else []


def _scope(span: Span) -> str:
    return "" if span.source is None else format_name_stack(span.source.name_stack)


def _closed(opened: list[tuple[str, int]], kept: int, last: Span) -> Iterator[Span]:
    while len(opened) > kept:
        name, begin = opened.pop()
        yield last._replace(name=name, category="scope", begin=begin, end=last.end, source=None,
                            details={})  # fmt: skip


# Files.


def write_trace(recording: Recording, log_dir: Path, for_perfetto: bool) -> Path:
    """Writes a recording below `log_dir`; returns the file, or the one that is Perfetto's alone.

    OSError where it can't be written.
    """
    stamp = time.strftime("%Y_%m_%d_%H_%M_%S", time.localtime(recording.wall_clock // 10**9))
    folder = log_dir / "plugins" / "profile" / stamp
    folder.mkdir(parents=True, exist_ok=True)
    trace = {"displayTimeUnit": "ns", "traceEvents": trace_events(recording)}
    metadata = {"highres-ticks": True, "began": recording.wall_clock, "dropped": recording.dropped}
    file = _free(folder, f"{socket.gethostname()}.trace.json.gz")
    _write_json(file, {**trace, "metadata": metadata})
    planes = space(recording, rows_of(recording), arguments_of)
    file.with_name(file.name.replace(".trace.json.gz", ".xplane.pb")).write_bytes(planes)
    if for_perfetto:
        file = folder / "perfetto_trace.json.gz"
        _write_json(file, trace)
    return file


def _free(folder: Path, name: str) -> Path:
    """A file of this name; of a further one, where a recording of the same second has it."""
    names = (name if k == 0 else f"{k}.{name}" for k in range(10**6))
    return next(folder / name for name in names if not (folder / name).exists())


def _write_json(file: Path, content: Any) -> None:
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=5) as out:
        json.dump(content, out, allow_nan=False)


# Perfetto's viewer asks for a file at this port of the machine on which the browser is.

PORT = 9001


def show_in_perfetto(file: Path, port: int = PORT) -> None:
    """Prints a link that opens a trace in Perfetto's viewer, and waits until the viewer has it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != f"/{file.name}":
                return self.send_error(404)
            content = file.read_bytes()
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "https://ui.perfetto.dev")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            taken.append(True)
            return None

        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    taken: list[bool] = []
    with HTTPServer(("127.0.0.1", port), Handler) as server:
        print(f"Open URL in browser: https://ui.perfetto.dev/#!/?url="
              f"http://127.0.0.1:{port}/{file.name}", flush=True)  # fmt: skip
        while not taken:
            server.handle_request()
