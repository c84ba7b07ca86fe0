"""Processes that run one program together: who there are, and how values go between them.

A process alone is the only one of its world. `jax.distributed.initialize` puts MPI's world in the
place of that. All processes run the same script, so all come to the same collectives in the same
order. Each says first to what it has come: where another has come to something else, or has ended,
an error says so in place of a wait without end.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from minijax.core.errors import JaxRuntimeError

DEVICES_OF_A_PROCESS = 2048  # numbers that each process has for its devices, used or not


class World:
    """A process alone."""

    index, count = 0, 1
    device_counts: tuple[int, ...] | None = None  # of each process; None: this one's own

    def group(self, ranks: Sequence[int], key: Hashable = ()) -> Group:
        raise AssertionError("A process alone meets no others.")


class Waiting(threading.local):
    """What a thread asks now and then while it waits: it may raise an error, and so end that."""

    check: Callable[[], None] = staticmethod(lambda: None)


waiting = Waiting()
_ENDED, _FIRST_TAG = 1, 2  # MPI's numbers for what processes tell each other beside values
_GRACE = 2.0  # seconds for what was sent before a process ended to arrive
_WORDS = 64  # bytes that say to what a process has come


class MPIWorld(World):
    """The processes that mpiexec has started."""

    def __init__(self, mpi: Any, devices: int) -> None:
        self.mpi, self.all = mpi, mpi.COMM_WORLD
        self.index, self.count = self.all.rank, self.all.size
        self.news = self.all.Dup()  # on which processes say that they end
        self.ended: set[int] = set()
        self.groups: dict[tuple, Group] = {}
        self.device_counts = tuple(self.all.allgather(devices))

    def group(self, ranks: Sequence[int], key: Hashable = ()) -> Group:
        """Some processes, this one among them. The first time, all of them must come here.

        What several threads do at a time has a key for each: then nothing is taken for another's.
        """
        place = (*ranks, key)
        if place not in self.groups:
            tag = _FIRST_TAG + zlib.crc32(repr(place).encode()) % (1 << 14)
            self._await(ranks, tag)
            members = self.all.group.Incl(list(ranks))
            self.groups[place] = Group(self, self.all.Create_group(members, tag), tuple(ranks))
        return self.groups[place]

    def _await(self, ranks: Sequence[int], tag: int) -> None:
        """Until all of these are here: MPI makes a group in one go, which nobody could end."""
        others, nothing = [rank for rank in ranks if rank != self.index], np.zeros(0, np.uint8)
        requests = [self.news.Isend(nothing, rank, tag) for rank in others]
        requests += [self.news.Irecv(nothing, rank, tag) for rank in others]
        for request in requests:
            self.wait(request, "the first operation that they share")

    def wait(self, request: Any, what: str) -> None:
        """Until a request is done. JaxRuntimeError where a process ends that it waits for."""
        began, noticed = time.monotonic(), None
        while not request.Test():
            waited = time.monotonic() - began
            if waited > 1e-3:  # the usual ones take less
                time.sleep(min(1e-3, waited / 10))
                waiting.check()
                self.hear()
                noticed = (noticed or time.monotonic()) if self.ended else None
                if noticed and time.monotonic() - noticed > _GRACE:
                    raise JaxRuntimeError(
                        f"Process {min(self.ended)} of {self.count} has ended its script, and "
                        f"process {self.index} waits for it in {what}.\nHave all processes run the "
                        f"same operations on arrays that they share."
                    )

    def hear(self) -> None:
        """Whether any of the others has ended."""
        status = self.mpi.Status()
        while message := self.news.improbe(tag=_ENDED, status=status):
            message.recv()
            self.ended.add(status.source)

    def end(self) -> None:
        """Tells the others that this process ends, and waits until all of them do."""
        others = [rank for rank in range(self.count) if rank != self.index]
        sent = [self.news.isend(None, rank, _ENDED) for rank in others]
        while len(self.ended) < len(others):
            self.hear()
            time.sleep(1e-3)
        self.mpi.Request.Waitall(sent)


class Group:
    """Processes that come to a collective. Values are NumPy arrays whose elements lie in a row."""

    def __init__(self, world: MPIWorld, comm: Any, ranks: tuple[int, ...]) -> None:
        self.world, self.comm, self.ranks = world, comm, ranks

    def agree(self, what: str, x: np.ndarray) -> None:
        """JaxRuntimeError unless all have come to the same with values of one type."""
        mine = f"{what} of {x.dtype}{list(x.shape)}"
        words = np.zeros((len(self.ranks), _WORDS), np.uint8)
        text = np.frombuffer(mine.encode()[:_WORDS].ljust(_WORDS), np.uint8)
        self.world.wait(self.comm.Iallgather(text, words), mine)
        for rank, other in zip(self.ranks, words, strict=True):
            if (other != text).any():
                theirs = other.tobytes().decode(errors="replace").strip()
                raise JaxRuntimeError(
                    f"Process {self.world.index} has come to {mine}, and process {rank} to "
                    f"{theirs}.\nHave all processes run the same operations on arrays that they "
                    f"share, with values of the same shapes."
                )

    def gathered(self, what: str, x: np.ndarray) -> np.ndarray:
        """The values of all processes, along a new first axis."""
        self.agree(what, x)
        out = np.empty((len(self.ranks), *x.shape), x.dtype)
        self.world.wait(self.comm.Iallgather(_bytes(x), _bytes(out)), what)
        return out

    def reduced(self, what: str, x: np.ndarray, ufunc: np.ufunc) -> np.ndarray:
        """The sum, maximum or minimum of the values of all processes."""
        operation = self._operation(x.dtype, ufunc)
        if operation is None:  # which MPI doesn't know
            return np.asarray(ufunc.reduce(self.gathered(what, x), axis=0, dtype=x.dtype))
        self.agree(what, x)
        out = np.empty_like(x)
        self.world.wait(self.comm.Iallreduce(np.ascontiguousarray(x), out, operation), what)
        return out

    def scattered(self, what: str, x: np.ndarray, ufunc: np.ufunc) -> np.ndarray:
        """Of the sum of values with a part for each process along their first axis, this one's."""
        operation = self._operation(x.dtype, ufunc)
        if operation is None:
            return np.asarray(self.reduced(what, x, ufunc)[self.comm.rank])
        self.agree(what, x)
        out = np.empty(x.shape[1:], x.dtype)
        request = self.comm.Ireduce_scatter_block(np.ascontiguousarray(x), out, operation)
        self.world.wait(request, what)
        return out

    def exchanged(self, what: str, x: np.ndarray) -> np.ndarray:
        """The i-th part of the result is the part for this process of the i-th process's value."""
        self.agree(what, x)
        out = np.empty_like(x, order="C")
        self.world.wait(self.comm.Ialltoall(_bytes(x), _bytes(out)), what)
        return out

    def permuted(self, what: str, x: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
        """The value of the process that a pair (from, to) sends here; zeros where none does."""
        self.agree(what, x)
        out, x, me = np.zeros_like(x, order="C"), np.ascontiguousarray(x), self.comm.rank
        requests = [self.comm.Irecv(_bytes(out), source) for source, to in pairs if to == me]
        requests += [self.comm.Isend(_bytes(x), to) for source, to in pairs if source == me]
        for request in requests:
            self.world.wait(request, what)
        return out

    def combined(
        self, what: str, values: Sequence[Any], owners: Sequence[int], combine: Callable
    ) -> Sequence[Any]:
        """What `combine` makes of the values of all, of which this process has those that it owns.
        """
        seats = [[i for i, owner in enumerate(owners) if owner == rank] for rank in self.ranks]
        mine = [x for x in values if x is not None]
        rest = [mine[0]] * (max(map(len, seats)) - len(mine))  # all give equally many
        given = self.gathered(what, np.stack([*mine, *rest]))
        everything = list(values)
        for places, theirs in zip(seats, given, strict=True):
            for i, x in zip(places, theirs, strict=False):
                everything[i] = x
        return combine(everything)

    def _operation(self, dtype: np.dtype, ufunc: np.ufunc) -> Any:
        known = {np.add: "SUM", np.maximum: "MAX", np.minimum: "MIN"}
        # MPI's maximum of NaN and a number is either.
        is_known = dtype.char in "bhilqBHILQ" or (dtype.char in "fdFD" and ufunc is np.add)
        return getattr(self.world.mpi, known[ufunc]) if is_known and ufunc in known else None


def _bytes(x: np.ndarray) -> np.ndarray:
    """The same memory as bytes: MPI moves elements of any dtype."""
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8)


class _Current:
    """The world that this process belongs to."""

    world = World()


current = _Current()
