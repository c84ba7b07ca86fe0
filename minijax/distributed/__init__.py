"""Several processes, on one machine or many, whose devices are one: by the names of
`jax.distributed`.

They are started together, by `python -m minijax.distributed -n 4 SCRIPT.py` or by MPI's own
`mpiexec -n 4 python -m minijax SCRIPT.py`, and find each other over MPI, which mpi4py speaks:
`pip install "minijax[mpi]"`.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
import traceback
from collections.abc import Sequence
from types import ModuleType, TracebackType
from typing import Any

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.sharding import meshes
from minijax.lax.sharding.processes import MPIWorld, World, current

__all__ = ["initialize", "is_initialized", "shutdown"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

# What those who start processes for MPI tell each of them: MPICH, Open MPI, and others.
_STARTED = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "MPI_LOCALRANKID")
_FORWARDED = 0.3  # seconds in which mpiexec shows what a process has printed, before that ends


def initialize(
    coordinator_address: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    local_device_ids: int | Sequence[int] | None = None,
    cluster_detection_method: str | None = None,
    **timeouts: Any,
) -> None:
    """Makes one world of the processes that MPI has started: call it before anything else.

    Afterwards `devices()` are those of all processes, and `local_devices()` this one's. MPI knows
    how many processes there are and which this is: what is given must be that, and an address is
    not needed. ValueError where this process was not started by MPI, or for other numbers than
    MPI's; RuntimeError where it is called a second time or too late, or mpi4py isn't installed.
    """
    if is_initialized():
        raise RuntimeError("distributed.initialize was called in this process. Call it once.")
    if not any(name in os.environ for name in _STARTED):
        raise ValueError(
            "distributed.initialize finds no other processes: this one was not started by MPI. "
            "Start all of them with python -m minijax.distributed -n 4 SCRIPT.py."
        )
    if meshes.all_devices.cache_info().currsize:
        raise RuntimeError(
            "distributed.initialize comes too late: the devices of this process are made. Call it "
            "before anything that asks for devices or makes arrays."
        )
    mpi = _mpi()
    _check("num_processes", num_processes, mpi.COMM_WORLD.size)
    _check("process_id", process_id, mpi.COMM_WORLD.rank)
    current.world = MPIWorld(mpi, meshes.wanted_devices())
    atexit.register(shutdown)
    sys.excepthook = _end_all


def _mpi() -> ModuleType:
    try:
        from mpi4py import MPI  # which starts MPI
    except ImportError as error:
        raise RuntimeError(
            f"distributed.initialize needs mpi4py and an MPI ({error}). Install them: "
            f'pip install "minijax[mpi]".'
        ) from None
    return MPI


def _check(name: str, given: int | None, found: int) -> None:
    if given not in (None, found):
        raise ValueError(
            f"distributed.initialize got {name}={given}, and MPI has {found}. Leave it out."
        )


def is_initialized() -> bool:
    """Whether `initialize` was called in this process.

    >>> is_initialized()
    False
    """
    return isinstance(current.world, MPIWorld)


def shutdown() -> None:
    """Waits until all processes have come to the end, and leaves them. Called again, or by a
    process alone, it does nothing."""
    world = current.world
    if isinstance(world, MPIWorld):
        atexit.unregister(shutdown)
        world.end()
        current.world = World()


def _end_all(kind: type, error: BaseException, where: TracebackType | None) -> None:
    """An error that nobody has caught ends all processes: the others would wait for this one."""
    world, text = current.world, "".join(traceback.format_exception(kind, error, where))
    if isinstance(world, MPIWorld):
        text += (
            f"minijax: process {world.index} of {world.count} has ended with {kind.__name__}, and "
            f"ends the others.\n"
        )
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
    if isinstance(world, MPIWorld):
        time.sleep(_FORWARDED)
        world.all.Abort(1)


guard(sys.modules[__name__])
