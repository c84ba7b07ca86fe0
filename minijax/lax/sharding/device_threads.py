"""One program on many devices: a thread for each, and a place where they meet.

So devices run that may go different ways, or of which some are other processes'. What all others
do is one program (`abreast.py`).

Each thread runs the same program on values of its own, and knows which device it is. In a
collective, it brings its value to a meeting with those devices that differ from it along the named
axes alone; the last to come computes what each of them takes away. Values go through memory, and
none is copied: nobody writes to one.

All threads go through the same program, so the n-th thing that one of them shares with others is
the n-th of every other: its number tells which meeting it is. Where threads disagree, all of them
wait for what can't come. That is noticed, and ends the run, as does an error in any thread.
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from functools import partial
from itertools import product
from queue import SimpleQueue
from typing import Any

import numpy as np

from minijax.compiler.executable import workers
from minijax.compiler.maths import blas
from minijax.core.config import config
from minijax.core.errors import JaxRuntimeError
from minijax.core.jitting import running
from minijax.core.tracing import trace_ctx
from minijax.lax.sharding.processes import current, waiting

# Which device a thread is.


class Place:
    """A device's coordinates, by the names of axes, and how far its program has come."""

    def __init__(self, run: Run, sizes: dict, coordinates: dict, before: tuple = ()) -> None:
        self.run, self.sizes, self.coordinates, self.before = run, sizes, coordinates, before
        self.count = 0

    def owners(self, names: Sequence, members: Sequence[int]) -> list[int]:
        """The processes of those devices that have these numbers along the axes."""
        if not self.run.owners:
            return [current.world.index] * len(members)
        found, shape = [], [self.sizes[name] for name in names]
        for member in members:
            numbers = zip(names, np.unravel_index(member, shape), strict=True)
            at = {**self.coordinates, **dict(numbers)}
            found.append(self.run.owners[tuple(at[name] for name in self.run.axes)])
        return found

    def next_key(self) -> tuple:
        """The number of the next thing that is shared; inside of a run inside, several numbers."""
        self.count += 1
        return (*self.before, self.count)


class _Here(threading.local):
    """The device that this thread is, where it runs a program of devices'."""

    place: Any = None


here = _Here()


# Runs.


class Stopped(Exception):
    """Another device's thread failed: this one need not go on."""


class Run:
    """The threads of one program: how many are at work, who waits where, and the first error."""

    def __init__(self, sizes: dict, owners: dict) -> None:
        self.axes, self.owners = tuple(sizes), owners  # coordinates -> process, if not all are here
        self.lock = threading.Lock()
        self.meetings: dict[tuple, Meeting] = {}
        self.at_work = 0  # threads that neither wait for others nor have finished
        self.error: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        with self.lock:
            self._end(error)

    def _end(self, error: BaseException) -> None:
        """All who wait go on. The caller holds the lock."""
        self.error = self.error or error
        for meeting in self.meetings.values():
            meeting.open()

    def leaves(self) -> None:
        """A thread goes to wait, or has finished. Where it was the last at work, none will go on.
        The caller holds the lock."""
        self.at_work -= 1
        if not self.at_work and self.meetings:
            self._end(_disagreement(list(self.meetings.values())))


class Meeting:
    """One collective of one group of devices."""

    def __init__(self, owners: list[int], what: str) -> None:
        self.values: list[Any] = [None] * len(owners)
        self.owners, self.what, self.is_over = owners, what, False
        self.missing = self.here = owners.count(current.world.index)
        self.results: Sequence[Any] = ()
        self.doors: list[threading.Lock] = []  # of those who wait, each behind its own

    def door(self) -> threading.Lock:
        """A lock that is free again when the meeting is over, or never will be."""
        door = threading.Lock()
        door.acquire()
        self.doors.append(door)
        return door

    def open(self) -> None:
        while self.doors:
            self.doors.pop().release()


def meet(
    fun_name: str, names: Sequence, value: Any, combine: Callable, groups: Any = None,
    across: Callable | None = None,
) -> Any:  # fmt: skip
    """What this device takes away from a meeting along the named axes.

    `combine` maps the values of all that meet, in the order of their numbers, to one result for
    each. Where `groups` lists groups of these numbers, only those of one group meet. Where some are
    devices of other processes, `across` does it: of a group of processes, a name for messages, the
    values that are here, and each one's process.
    """
    place = here.place
    run, number, size = place.run, axis_number(place, names), _size(place, names)
    members = list(range(size))
    if groups is not None:
        members = next(list(group) for group in groups if number in group)
    others = tuple(i for name, i in place.coordinates.items() if name not in names)
    key = (place.next_key(), fun_name, tuple(names), others, tuple(members))
    seat, door = members.index(number), None
    with run.lock:
        if run.error is not None:
            raise Stopped
        if key not in run.meetings:
            run.meetings[key] = Meeting(place.owners(names, members), f"{fun_name} over {names}")
        meeting = run.meetings[key]
        meeting.values[seat], meeting.missing = value, meeting.missing - 1
        if meeting.missing:
            door = meeting.door()
            run.leaves()
    if door is not None:
        door.acquire()
        if not meeting.is_over:
            raise Stopped
        return meeting.results[seat]
    if meeting.here == len(members):  # outside of the lock: other groups go on
        results = combine(meeting.values)
    else:
        results = _meet_others(run, meeting, key[2:], across)
    with run.lock:
        meeting.results, meeting.is_over = results, True
        run.meetings.pop(key)
        run.at_work += meeting.here - 1  # on behalf of those that go on
        meeting.open()
    return results[seat]


def _meet_others(run: Run, meeting: Meeting, key: tuple, across: Any) -> Sequence[Any]:
    """The results of those that are here, where some are devices of other processes."""
    def check() -> None:
        if run.error is not None:
            raise Stopped

    owners, what = meeting.owners, meeting.what
    waiting.check = check  # type: ignore[method-assign]
    try:
        group = current.world.group(list(dict.fromkeys(owners)), key)
        return across(group, what, meeting.values, owners)
    finally:
        del waiting.check


def axis_number(place: Place, names: Sequence) -> int:
    """The number of a device among those along some axes."""
    return number_of(place.coordinates, names, place.sizes)


def number_of(coordinates: dict, names: Sequence, sizes: dict) -> int:
    """The number of coordinates along some axes of a grid: the last one varies fastest."""
    number = 0
    for name in names:
        number = number * sizes[name] + coordinates[name]
    return number


def _size(place: Place, names: Sequence) -> int:
    return math.prod(place.sizes[name] for name in names)


def _disagreement(waiting: Sequence[Meeting]) -> JaxRuntimeError:
    texts = sorted({f"{m.what} ({m.missing} of {len(m.values)} missing)" for m in waiting})
    return JaxRuntimeError(
        f"Devices wait for each other, and none will go on: {'; '.join(texts)}.\nAll devices must "
        f"come to the same collectives. Make those in a cond or while_loop depend on a predicate "
        f"that is the same on all of them."
    )


def run_on_devices(
    program: Callable[..., Any], sizes: dict, operands: Sequence[Sequence[Any]],
    owners: Sequence[int] = (),
) -> list[Any]:  # fmt: skip
    """What `program` returns on each device of a grid, in row-major order.

    `sizes` has the grid's axes, by name; `operands` has each device's. Where `owners` names their
    processes, only this one's devices run, and the others have None. Inside of such a run, the
    devices of the grid are also told apart along the outer run's axes. The first error is raised,
    when all threads have ended.
    """
    outer, grid = here.place, list(product(*map(range, sizes.values())))
    run = outer.run if outer else Run(sizes, _owners(grid, owners))
    known = (outer.sizes, outer.coordinates, outer.next_key()) if outer else ({}, {}, ())
    places = [
        Place(run, {**known[0], **sizes},
              {**known[1], **dict(zip(sizes, at, strict=True))}, known[2])
        for at in grid
    ]  # fmt: skip
    results: list[Any] = [None] * len(places)
    first, *others = [i for i, at in enumerate(grid) if outer or _is_here(run, at)]
    left, ended = 1 + len(others), threading.Lock()
    ended.acquire()

    def work(i: int) -> None:
        nonlocal left
        here.place = places[i]
        try:
            results[i] = program(*operands[i])
        except Stopped:
            pass
        except BaseException as error:  # Ctrl-C too
            run.fail(error)
        finally:
            here.place = outer if i == first else None
            with run.lock:
                left -= 1
                if left:
                    run.leaves()
                else:
                    ended.release()  # the last one's place at work is the caller's

    with run.lock:
        run.at_work += left - (1 if outer else 0)
    with shared_among(left):
        state = _thread_state()
        try:
            for i in others:
                threads.start(partial(copy_context().run, _with_state, state, partial(work, i)))
        except BaseException as error:  # no more threads are to be had
            run.fail(error)
            raise
        work(first)
        while not ended.acquire(timeout=1.0):  # in steps, so that Ctrl-C comes through
            pass
    if run.error is not None:
        if outer:
            raise Stopped
        raise run.error
    return results


@contextmanager
def shared_among(number: int) -> Iterator[None]:
    """Inside, as many threads are at work at the same time: each has a part of the processors."""
    own = vars(running)
    outer = own.get("workers")
    count, pool = (outer or workers)()
    with blas.shared_among(number):
        own["workers"] = lambda: (max(1, count // number), pool)
        try:
            yield
        finally:
            own.pop("workers") if outer is None else own.update(workers=outer)


def _owners(grid: list[tuple], owners: Sequence[int]) -> dict:
    is_shared = any(owner != current.world.index for owner in owners)
    return dict(zip(grid, owners, strict=True)) if is_shared else {}


def _is_here(run: Run, at: tuple) -> bool:
    return not run.owners or run.owners.get(at) == current.world.index


# What a new thread takes over from the one that starts the run.


def _thread_state() -> tuple:
    return dict(vars(config)), dict(vars(running)), trace_ctx.source, trace_ctx.name_stack


def _with_state(state: tuple, work: Callable) -> None:
    settings, backend, source, name_stack = state
    with ExitStack() as stack:
        for kept, new in ((vars(config), settings), (vars(running), backend)):
            stack.callback(kept.clear)
            kept.clear()
            kept.update(new)
        trace_ctx.source, trace_ctx.name_stack = source, name_stack
        work()


class Threads:
    """Threads that are kept for the next run. There are never too few: a run needs all of its own
    at the same time."""

    def __init__(self) -> None:
        self.idle: deque[SimpleQueue] = deque()

    def start(self, work: Callable[[], None]) -> None:
        try:
            jobs = self.idle.pop()
        except IndexError:
            jobs = SimpleQueue()
            threading.Thread(
                target=self._serve, args=(jobs,), name="minijax device", daemon=True
            ).start()
        jobs.put(work)

    def _serve(self, jobs: SimpleQueue) -> None:
        while True:
            work = jobs.get()
            work()
            del work  # and what it holds
            self.idle.append(jobs)


threads = Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.idle.clear)
