"""Workers: processes of the grader's own that judge.

No student's code runs in them. But to take apart what a student wrote may bring a process down, or
take it hours; then the worker goes, and the grader stays.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grading.judge import Judge
from exercises.grading.overlay import copy_package
from exercises.grading.scratch import end_by_signals, scratch_folder

FAILED = "the grader itself failed: "


def serve(pipe: Any, number: int) -> None:
    """Judges what comes through the pipe, until it closes."""
    signal.signal(signal.SIGINT, lambda *_: None)  # the grader says when it is over
    end_by_signals()
    keep_to_one_core(number)
    with contextlib.suppress(EOFError, OSError):  # the pipe is closed
        while True:
            try:
                with scratch_folder("original") as folder:
                    copy_package(folder)
                    answer(pipe, folder)
            except Exception as error:  # the submission is not to blame; the next one tries again
                pipe.recv()
                pipe.send(f"{FAILED}{type(error).__name__}: {error}")


def answer(pipe: Any, original: Path) -> None:
    """Judges on links to this copy of the package.

    Raises:
      EOFError: the pipe is closed.
    """
    while True:
        given, text, ids = pipe.recv()
        try:
            judge = Judge(**given, original=original)
            pipe.send([result.to_json() for result in judge.judge(text, ids)])
        except Exception as error:
            pipe.send(f"{FAILED}{type(error).__name__}: {error}")


def keep_to_one_core(number: int) -> None:
    """Has this process, and all that it starts, use one processor: then a submission that takes
    all it can get takes it from nobody else's."""
    if hasattr(os, "sched_setaffinity"):
        own = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {own[number % len(own)]})


class Worker:
    """A process that judges, started when it is first asked; the one of this number."""

    def __init__(self, number: int = 0) -> None:
        self.process, self.number = None, number

    def ask(self, given: dict[str, Any], text: str, ids: Sequence[str], seconds: float) -> Any:
        """The results as data, or a sentence on why there are none."""
        try:
            if self.process is None:
                self.start()
        except Exception as error:
            return f"{FAILED}{type(error).__name__}: {error}"
        try:
            self.pipe.send((given, text, ids))
            if self.pipe.poll(seconds):
                return self.pipe.recv()
            said = "it took too long to take it apart"
        except (EOFError, OSError):
            said = "it brought down the process that takes it apart"
        self.close()
        return said

    def start(self) -> None:
        """Starts the process.

        Raises:
          OSError: the machine has none left.
        """
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self.number), daemon=True)
        with theirs:
            process.start()
        self.process = process

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
