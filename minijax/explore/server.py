"""The explorer, live: a server for this machine's own browser.

It listens on the loopback alone. The address that it prints holds a token, without which nothing is
answered; a page of another origin, which doesn't know it, gets nothing, nor does one that has the
name of its own machine lead here. What a reader writes is run by a process of its own, which is
held (`confined.py`), and ended when it takes too long.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from minijax.explore.pages import live_page, walk_page
from minijax.explore.worker import ANSWER

LONGEST = 64 << 10  # bytes of a question
SECONDS = 30.0  # for one program
START = 60.0  # for a process to be ready
NEWER = "The page asked something else meanwhile."
PACKAGE = Path(__file__).resolve().parents[1]


class Runner:
    """Runs programs one by one, each in a process of its own that was started beforehand.

    A page has one question at a time: a newer one ends the process of an older one, or keeps it
    from being asked.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.lock = threading.Lock()  # whose holder runs a program
        self.state = threading.Lock()  # of the next two
        self.newest: dict[str, object] = {}  # by page, its question that waits or runs
        self.running: tuple[str, subprocess.Popen[bytes]] | None = None  # of which page
        self.folder = tempfile.TemporaryDirectory(prefix="minijax-explore-")
        self.waiting = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-s", "-m", "minijax.explore.worker"]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=self.folder.name, env=environment(self.folder.name), start_new_session=True,
        )  # fmt: skip

    def run(self, asked: dict[str, str], page: str = "") -> dict[str, str]:
        """What a worker answers, or why it didn't, under "failed". `page` is the name of the page
        that asks; of those without a name, each question counts."""
        with self.state:
            self.newest[page] = asked
            if page and self.running and self.running[0] == page:
                kill(self.running[1])
        with self.lock:
            child, failed = self.waiting, ""
            try:
                with self.state:
                    if self.is_old(page, asked):
                        return {"html": "", "failed": NEWER}
                    self.running = page, child
                answer = self.ask(child, asked)
            except (TimeoutError, EOFError) as error:
                answer, failed = b"", str(error)
            finally:
                is_old = self.finish(page, asked)
        try:
            return json.loads(answer)
        except ValueError:
            why = NEWER if is_old else failed or why_ended(child.returncode)
            return {"html": "", "failed": why}

    def is_old(self, page: str, asked: dict[str, str]) -> bool:
        return bool(page) and self.newest.get(page) is not asked

    def finish(self, page: str, asked: dict[str, str]) -> bool:
        """A process that was given a program is over, and the next one is started. Returns whether
        the page has asked something else meanwhile."""
        with self.state:
            was_given, self.running = self.running is not None, None
            is_old = self.is_old(page, asked)
            if self.newest.get(page) is asked:
                del self.newest[page]
        if was_given:
            end(self.waiting)
            self.waiting = self.start()
        return is_old

    def ask(self, child: subprocess.Popen[bytes], asked: dict[str, str]) -> bytes:
        assert child.stdin and child.stdout
        read(child.stdout, START, until=b"ready\n")
        try:
            child.stdin.write(json.dumps(asked).encode() + b"\n")
            child.stdin.close()
        except BrokenPipeError:
            raise EOFError("The process that runs programs could not be started.") from None
        return read(child.stdout, self.seconds)

    def close(self) -> None:
        end(self.waiting)
        self.folder.cleanup()


def environment(folder: str) -> dict[str, str]:
    """Of this process's own, where Python looks for modules. Nothing is kept on disk."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    kept["PYTHONPATH"] = os.pathsep.join([str(PACKAGE.parent), *filter(None, sys.path)])
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    return {**kept, **threads, "HOME": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1",
            "MINIJAX_COMPILATION_CACHE_DIR": ""}  # fmt: skip


def read(pipe: Any, seconds: float, until: bytes = b"") -> bytes:
    """What comes through a pipe up to its end, or up to a line.

    Raises:
      TimeoutError: it takes longer.
      EOFError: it ends before that line.
    """
    last, found = time.monotonic() + seconds, b""
    while not until or not found.endswith(until):
        left = last - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise TimeoutError(f"It took more than {seconds:g} seconds, and was stopped.")
        more = os.read(pipe.fileno(), 1 if until else 1 << 16)
        if not more:
            if until:
                raise EOFError("The process that runs programs could not be started.")
            return found
        found += more
        if len(found) > ANSWER + 1024:
            raise EOFError("The answer is too long.")
    return found


def kill(child: subprocess.Popen[bytes]) -> None:
    """Ends a worker, and what is in its session, for whoever waits for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def end(child: subprocess.Popen[bytes]) -> None:
    kill(child)
    child.wait()


def why_ended(code: int) -> str:
    if code == -signal.SIGXCPU:
        return "It took too much of the processor's time, and was stopped."
    return "The process that ran it ended without an answer: it may have asked for too much memory."


class Handler(BaseHTTPRequestHandler):
    """Answers the page of the address that was printed, and its questions. No others."""

    server: Server
    timeout = 30

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path != "/":
            return self.refuse(HTTPStatus.NOT_FOUND, "There is one page here, /.")
        given = parse_qs(address.query).get("token", [""])[0]
        if self.is_ours(given):
            self.answer(live_page().encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        if not self.is_ours(self.headers.get("X-Token", "")):
            return
        if self.path != "/walk":
            return self.refuse(HTTPStatus.NOT_FOUND, "Questions go to /walk.")
        try:
            asked = question(self.rfile, self.headers.get("Content-Length", ""))
        except ValueError as error:
            return self.refuse(HTTPStatus.BAD_REQUEST, str(error))
        found = self.server.runner.run(asked, self.headers.get("X-Page", ""))
        told = {"failed": found["failed"], "page": walk_page("Your program", found["html"])}
        self.answer(json.dumps(told).encode(), "application/json")

    def is_ours(self, token: str) -> bool:
        """Whether the page that this server gave is asking. Whoever else asks is refused."""
        here = {f"{name}:{self.server.server_port}" for name in ("127.0.0.1", "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in here:
            said = "This server answers as 127.0.0.1 alone."
        elif origin is not None and origin not in {f"http://{one}" for one in here}:
            said = "A page of another origin may not ask."
        elif not secrets.compare_digest(token.encode(), self.server.token.encode()):
            said = "The token is missing or wrong: open the address that was printed."
        else:
            return True
        self.refuse(HTTPStatus.FORBIDDEN, said)
        return False

    def refuse(self, status: HTTPStatus, said: str) -> None:
        self.answer(said.encode(), "text/plain; charset=utf-8", status)

    def answer(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer", "Content-Security-Policy": POLICY,
            "Connection": "close",
        }  # fmt: skip
        for name, value in headers.items():
            self.send_header(name, value)
        with contextlib.suppress(ConnectionError):  # a page that has asked something else
            self.end_headers()
            self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed of a question: its address holds the token."""


POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; frame-src 'self' about:; base-uri 'none'; form-action 'none'"
)


def question(file: Any, length: str) -> dict[str, str]:
    """What a page asks: the texts of a program, a function and arguments.

    Raises:
      ValueError: it is too long, or is something else.
    """
    if not length.isdecimal() or int(length) > LONGEST:
        raise ValueError(f"A question has up to {LONGEST} bytes, and says how many.")
    wrong = ValueError('A question is JSON: {"text": ..., "expression": ..., "arguments": ...}.')
    try:
        asked = json.loads(file.read(int(length)))
    except ValueError:
        raise wrong from None
    names = ("text", "expression", "arguments")
    if not isinstance(asked, dict) or any(not isinstance(asked.get(name), str) for name in names):
        raise wrong
    return {name: asked[name] for name in names}


class Server(ThreadingHTTPServer):
    """Listens on the loopback. Close it when it is done with.

    Attributes:
      token: what an address must hold.
      address: of the page.
    """

    daemon_threads = True

    def __init__(self, port: int = 0, seconds: float = SECONDS) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.token = secrets.token_urlsafe(24)
        self.runner = Runner(seconds)
        self.address = f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    def server_close(self) -> None:
        super().server_close()
        self.runner.close()
