"""Small whole programs, as people write them who have never looked at the compiler.

Each file is a kind, and ends with the two sizes of each of its programs: at the small one a call
takes JAX some tenths of a millisecond, at the large one some tens of milliseconds.
"""

from collections.abc import Callable

from benchmarks.programs import (
    grids,
    images,
    learning,
    matrices,
    physics,
    recurrent,
    sequences,
    statistics,
    tables,
)

FILES = (physics, grids, recurrent, sequences, tables, statistics, learning, matrices, images)
KINDS: dict[str, dict[Callable, tuple[int, int]]] = {
    file.__name__.rpartition(".")[2]: file.SIZES for file in FILES}
SIZES = {program: sizes for kind in KINDS.values() for program, sizes in kind.items()}
PROGRAMS = {program.__name__: program for program in SIZES}
