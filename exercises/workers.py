"""Workers: processes of the grader's own that judge.

No student's code runs in them. But to take apart what a student wrote may bring a process down, or
take it hours; then the worker goes, and the grader stays.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.judge import Judge
from exercises.overlay import copy_package
from exercises.scratch import end_by_signals, scratch_folder

FAILED = "the grader itself failed: "


def serve(pipe: Any) -> None:
    """Judges what comes through the pipe, until it closes."""
    signal.signal(signal.SIGINT, lambda *_: None)  # the grader says when it is over
    end_by_signals()
    try:
        with scratch_folder("original") as folder:
            copy_package(folder)
            answer(pipe, folder)
    except Exception as error:  # the submissions that it was to judge are not to blame
        with contextlib.suppress(EOFError, OSError):
            while pipe.recv():
                pipe.send(f"{FAILED}{type(error).__name__}: {error}")


def answer(pipe: Any, original: Path) -> None:
    while True:
        try:
            given, text, ids = pipe.recv()
        except EOFError:
            return
        try:
            judge = Judge(**given, original=original)
            pipe.send([result.to_json() for result in judge.judge(text, ids)])
        except Exception as error:
            pipe.send(f"{FAILED}{type(error).__name__}: {error}")


class Worker:
    """A process that judges, started when it is first asked."""

    def __init__(self) -> None:
        self.process: Any = None

    def ask(self, given: dict[str, Any], text: str, ids: Sequence[str], seconds: float) -> Any:
        """The results as data, or a sentence on why there are none."""
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self.pipe, theirs = context.Pipe()
            self.process = context.Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
        try:
            self.pipe.send((given, text, ids))
            if self.pipe.poll(seconds):
                return self.pipe.recv()
            said = "it took too long to take it apart"
        except (EOFError, OSError):
            said = "it brought down the process that takes it apart"
        self.close()
        return said

    def kill(self) -> None:
        """Ends it at once. Whoever waits for its answer is told that there is none."""
        if process := self.process:
            process.kill()

    def close(self) -> None:
        if self.process is not None:
            self.pipe.close()
            self.process.join(2)  # it ends by itself, unless it hangs
            self.process.kill()
            self.process.join()
            self.process = None
