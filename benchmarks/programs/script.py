"""A script of one program, from the process's start to its result: nothing that it doesn't need is
imported.

    python -m benchmarks.programs.script minijax nbody 400 $(date +%s.%N)
        prints the seconds from then to the program's result, and the bytes of the process's peak
"""

import sys
import time

from benchmarks.libraries import load
from benchmarks.processes import peak
from benchmarks.programs import PROGRAMS


def main(library: str, name: str, size: str, started: str = "0") -> None:
    lib = load(library)
    function, args = PROGRAMS[name](lib, int(size))
    lib.block_until_ready(function(*args))
    print(time.time() - float(started), peak())


if __name__ == "__main__":
    main(*sys.argv[1:])
