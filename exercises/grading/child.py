"""What runs beside the grader: evaluates cases on an overlay and tells what they come to.

Each task has a process of its own, a copy of this one, which imports the student's piece. The
visible cases run in a copy of that; then the process itself runs the hidden ones. Each is told one
case at a time, on a socket of its own, and answers with a line of JSON: whoever reads it needs
nothing of a student's but data. So where a visible case runs, whose errors a student reads, nothing
hidden has come yet. A student's own prints go to standard error.
"""

import contextlib
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LINUX = sys.platform == "linux"
POLL = 0.005  # seconds from one look at the tasks' processes to the next


def frames(error: BaseException, file: str) -> list[int]:
    """The lines of this file that an exception passed through, from the outside in."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return [error.lineno or 0]
    return [
        frame.lineno or 0
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]


def warned(caught: list[Any], file: str) -> list[tuple[str, int]]:
    """What the first few warnings say, each with the line of this file that it came from, or 0."""
    return [
        (f"{each.category.__name__}: {each.message}", each.lineno if each.filename == file else 0)
        for each in caught[:5]
    ]


def namespace(order: dict[str, Any]) -> dict[str, Any]:
    """The names that a task's cases may use."""
    import numpy as np

    from exercises.grading.facts import raised

    jax = importlib.import_module("minijax")
    jax.config.update("jax_traceback_filtering", "off")
    names = {"__name__": "case", "jax": jax, "np": np}
    names |= {"jnp": jax.numpy, "lax": jax.lax, "random": jax.random, "raised": raised}
    home = importlib.import_module(order["home"]) if order["home"] else None
    return {**{k: x for k, x in vars(home or jax).items() if not k.startswith("__")}, **names}


def told(error: BaseException, file: str) -> dict[str, Any]:
    """The fact of an exception that is no case's own."""
    from exercises.grading.facts import lineage

    text = "".join(traceback.format_exception_only(error)).strip()
    return {"raises": lineage(type(error)), "message": text, "lines": frames(error, file)}


class Piece:
    """A student's piece, imported. `failed` is the fact of what prevented that, and all cases."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.file = order["file"]
        self.names: dict[str, Any] = {}
        self.failed: dict[str, Any] = {}
        os.environ["MINIJAX_JIT_BACKEND"] = order["backend"]
        sys.path.insert(0, order["root"])
        try:
            self.names = namespace(order)
        except BaseException as error:
            self.failed = told(error, self.file)

    def answer(self, lines: Any, tell: Any) -> None:
        """The facts of cases, as they come. Those of a group have a setup and draws in common;
        where the setup fails, each has its exception."""
        from exercises.grading.facts import evaluate, evaluated

        tell(self.failed)
        group: Any = None
        for line in lines:
            asked = json.loads(line)
            if asked["group"] != group:
                group, failed = asked["group"], None
                rng = self.names["np"].random.default_rng(asked["seed"])
                inner = {**self.names, "rng": rng}
                try:
                    if asked["setup"]:
                        evaluate(f"{asked['setup']}\nNone", inner)
                except BaseException as error:
                    failed = told(error, self.file)
            try:
                fact = failed or evaluated(asked["case"], inner, self.lines, self.warnings)
            except BaseException as error:  # sys.exit, for one
                fact = told(error, self.file)
            tell(fact)

    def lines(self, error: BaseException) -> dict[str, Any]:
        return {"lines": frames(error, self.file)}

    def warnings(self, caught: list[Any]) -> dict[str, Any]:
        return {"warned": warned(caught, self.file)}


# The process of a task.


def teller(channel: socket.socket) -> Any:
    def tell(message: Any) -> None:
        channel.sendall(json.dumps(message).encode() + b"\n")

    return tell


def alone(visible: socket.socket, hidden: socket.socket) -> int:
    """A task from its first case to its last; its exit status."""
    os.setpgid(0, 0)
    lines = visible.makefile("r", encoding="utf-8")
    if not (first := lines.readline()):
        return 0
    order = json.loads(first)
    piece = Piece(order) if LINUX else None  # elsewhere its libraries may not outlive a fork
    child = os.fork()
    if child == 0:
        hidden.close()
        (piece or Piece(order)).answer(lines, teller(visible))
        return 0
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code or not is_closed(visible):
        return 128 - code if code < 0 else code or 1
    lines = hidden.makefile("r", encoding="utf-8")
    if lines.readline():
        (piece or Piece(order)).answer(lines, teller(hidden))
    return 0


def is_closed(channel: socket.socket) -> bool:
    """Whether nothing more is asked there: the copy that has ended did so in time."""
    return bool(select.select([channel], [], [], 0)[0]) and not channel.recv(1)


def start(sockets: list[list[int]], number: int, control: socket.socket) -> int:
    """Starts the process of a task, which has its own two sockets and no other."""
    child = os.fork()
    if child:
        for fd in sockets[number]:
            os.close(fd)
        return child
    code = 1
    try:
        control.close()
        for fd in (fd for k, pair in enumerate(sockets) if k != number for fd in pair):
            with contextlib.suppress(OSError):
                os.close(fd)
        code = alone(*(socket.socket(fileno=fd) for fd in sockets[number]))
    finally:
        os._exit(code)


def end(child: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(child, signal.SIGKILL)


def main() -> None:
    """Starts tasks and ends them, as the grader says, and tells how each ended."""
    sys.path.insert(0, str(HERE.parents[1]))
    fd, sockets = json.loads(sys.argv[1])
    control = socket.socket(fileno=fd)
    tell = teller(control)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if LINUX:
        import numpy  # noqa: F401
    tell({})
    running: dict[int, int] = {}  # by a task's number, its process
    unread = b""
    while True:
        if select.select([control], [], [], POLL if running else None)[0]:
            if not (more := control.recv(65536)):
                return
            *lines, unread = (unread + more).split(b"\n")
            for message in map(json.loads, lines):
                if "start" in message:
                    running[message["start"]] = start(sockets, message["start"], control)
                elif message["end"] in running:
                    end(running[message["end"]])
        for number, child in list(running.items()):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                del running[number]
                tell({"ended": number, "code": os.waitstatus_to_exitcode(status)})


if __name__ == "__main__":
    main()
