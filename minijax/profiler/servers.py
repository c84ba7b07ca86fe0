"""A server that lets one look into a process that is running: it records a trace when it is asked.

JAX's speaks gRPC with XProf. This one speaks HTTP with a browser, or with curl, on this machine.
"""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

from minijax.lax.elementwise.arithmetic import shown
from minijax.profiler.memory_profiles import device_memory_profile
from minijax.profiler.traces import start_trace, stop_trace

MOST_SECONDS = 600.0
USAGE = (
    "Ask for /trace.json.gz?seconds=2, which https://ui.perfetto.dev opens, "
    "or for /memory.pprof, which pprof does.\n"
)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/memory.pprof":
            return self._answer(200, device_memory_profile())
        if asked.path != "/trace.json.gz":
            return self._answer(404, USAGE.encode())
        try:
            return self._answer(200, _recorded(_seconds(asked.query)))
        except ValueError as error:
            return self._answer(400, f"{error}\n".encode())
        except RuntimeError:
            return self._answer(409, b"A trace is being recorded already. Ask when it has ended.\n")

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "https://ui.perfetto.dev")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        """Says nothing."""


def _seconds(query: str) -> float:
    """How long a trace is to be: 2 seconds, unless it is said."""
    [text] = parse_qs(query).get("seconds", ["2"])[:1]
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"Give seconds from 0 to {MOST_SECONDS:g}.")
    return seconds


def _recorded(seconds: float) -> bytes:
    """A trace of what this process does from now on. RuntimeError while another is recorded."""
    with TemporaryDirectory() as folder:
        start_trace(folder)
        time.sleep(seconds)
        stop_trace()
        [file] = Path(folder).glob("plugins/profile/*/*.trace.json.gz")
        return file.read_bytes()


class ProfilerServer:
    """The server that runs, at its `port`."""

    def __init__(self, port: int) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


_running: list[ProfilerServer] = []
_lock = threading.Lock()


def start_server(port: int, requires_backend: bool = True) -> ProfilerServer:
    """Starts a server on this machine that records what the process does, when it is asked to.

    `http://127.0.0.1:PORT/trace.json.gz?seconds=2` is a trace of the next two seconds, which
    https://ui.perfetto.dev and chrome://tracing open; `/memory.pprof` says which arrays there are.
    (JAX's server is asked by XProf and TensorBoard, by gRPC; these can't ask this one.)
    `requires_backend` means nothing here. At the port 0, it finds one that is free.

    TypeError for a port that is no integer; ValueError while there is a server; RuntimeError where
    the port is taken, or is none.

    >>> server = start_server(0)
    >>> stop_server()
    """
    if not isinstance(port, int):
        raise TypeError(f"start_server takes a port, and got {shown(port)}. Give an int.")
    with _lock:
        if _running:
            raise ValueError(
                f"start_server was called while there is a server, at the port {_running[0].port}. "
                f"Call profiler.stop_server() first."
            )
        try:
            _running.append(ProfilerServer(port))
        except (OSError, OverflowError) as error:
            raise RuntimeError(
                f"start_server can't listen at the port {port}: {error}. Give another port."
            ) from error
        return _running[0]


def stop_server() -> None:
    """Stops the server that `start_server` started. ValueError where there is none."""
    with _lock:
        if not _running:
            raise ValueError(
                "stop_server was called, and there is no server. Call profiler.start_server(port) "
                "first."
            )
        _running.pop().stop()
