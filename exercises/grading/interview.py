"""The conversation with a child: each task's process is told one case at a time.

All visible cases of a submission come first, then all hidden ones: while anything runs of which a
student may read what it says, nothing that is hidden has left the grader. What comes back is
believed as the answer to the last question, and as nothing else.
"""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from exercises.grading.confine import Limits
from exercises.grading.facts import Fact

STARTING = 5  # seconds for what is the grader's own


class Job(NamedTuple):
    """What a task's process is to do: an order, then cases."""

    task: str
    order: dict[str, Any]
    visible: Sequence[dict[str, Any]]
    hidden: Sequence[dict[str, Any]]


class Channel:
    """A socket to a child, in lines of JSON. `theirs` is the end that the child inherits."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.unread = bytearray()

    def say(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # who does not read, or is gone, will not answer
            self.ours.send(json.dumps(message).encode() + b"\n")

    def hear(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """The messages that are whole with this piece."""
        self.unread += piece
        if b"\n" in piece:
            *lines, self.unread = self.unread.split(b"\n")
            for line in lines:
                with contextlib.suppress(ValueError, RecursionError):
                    if isinstance(message := json.loads(line), dict):
                        yield message

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self.ours.shutdown(socket.SHUT_RDWR)


class Talk(Channel):
    """Questions to one process. The first is its order; who can't follow that says why."""

    def __init__(self, order: dict[str, Any], cases: Sequence[dict[str, Any]]) -> None:
        super().__init__()
        self.questions = [order, *cases] if cases else []
        self.answers: list[Fact] = []

    def ask(self) -> None:
        self.say(self.questions[len(self.answers)])

    @property
    def failed(self) -> Fact | None:
        """What prevented all of its cases."""
        return self.answers[0] if self.answers and self.answers[0] else None

    @property
    def left(self) -> int:
        """How many questions are not answered."""
        return len(self.questions) - len(self.answers)

    @property
    def is_over(self) -> bool:
        return bool(self.failed) or not self.left


class Asked:
    """What a task's processes told, and what ended them, where something did."""

    def __init__(self, number: int, job: Job) -> None:
        self.number, self.task, self.ended = number, job.task, ""
        self.talks = [Talk(job.order, job.visible), Talk(job.order, job.hidden)]
        self.visible, self.hidden = self.talks
        self.seconds = self.cpu_seconds = 0.0

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to ask."""
        return bool(self.visible.failed) or (self.visible.is_over and self.hidden.is_over)


class Interview:
    """Asks all tasks of a submission, and gives each as much time as `limits` say."""

    def __init__(self, jobs: Sequence[Job], limits: Limits) -> None:
        self.control, self.limits = Channel(), limits
        self.asked = [Asked(number, job) for number, job in enumerate(jobs)]
        self.left = iter([*((each, each.visible) for each in self.asked),
                          *((each, each.hidden) for each in self.asked)])  # fmt: skip
        self.now: Asked | None = None
        self.talk: Talk | None = None
        self.looked, self.cpu_seconds, self.last = time.monotonic(), 0.0, float("inf")

    @property
    def channels(self) -> list[Channel]:
        return [self.control, *(talk for each in self.asked for talk in each.talks)]

    def argument(self) -> str:
        """What tells a child which sockets are its own."""
        pairs = [[talk.theirs.fileno() for talk in each.talks] for each in self.asked]
        return json.dumps([self.control.theirs.fileno(), pairs])

    def take(self, channel: Channel, piece: bytes) -> None:
        """What came on a channel."""
        for message in channel.hear(piece):
            if channel is self.control:
                self.take_report(message)
            elif channel is self.talk and not self.talk.is_over:
                self.talk.answers.append(message)
                if self.talk.is_over:
                    self.talk.end()
                    self.go_on()
                else:
                    self.talk.ask()

    def take_report(self, message: dict[str, Any]) -> None:
        """That the child is there, or how a task's process ended."""
        if not message:
            self.go_on()
        for each in self.asked:
            if each.number == message.get("ended"):
                each.ended = each.ended or how(message.get("code"))
                if each is self.now:
                    self.go_on()

    def go_on(self) -> None:
        """The next part of the next task of which anything can be asked."""
        self.count()
        self.now, self.last = None, float("inf")
        for each, talk in self.left:
            if talk is each.visible:
                self.control.say({"start": each.number})
            elif each.ended or each.is_whole:
                talk.end()
                continue
            self.now, self.talk = each, talk
            talk.ask()
            return
        self.control.end()

    def look(self, cpu_seconds: float) -> str:
        """Counts the time, of which the child has used as much, and ends a task that is over its
        own. What ends the whole, or nothing."""
        self.count()
        if each := self.now:
            each.cpu_seconds += cpu_seconds - self.cpu_seconds
            over = each.seconds > self.limits.seconds \
                or each.cpu_seconds > self.limits.cpu_seconds  # fmt: skip
            if over and not each.ended:
                each.ended, self.last = "timeout", self.looked + STARTING
                self.control.say({"end": each.number})
        self.cpu_seconds = cpu_seconds
        return "timeout" if self.looked > self.last else ""

    def count(self) -> None:
        moment = time.monotonic()
        if self.now:
            self.now.seconds += moment - self.looked
        self.looked = moment


def how(code: Any) -> str:
    return "timeout" if code in (-signal.SIGXCPU, 128 + signal.SIGXCPU) else "crash"
