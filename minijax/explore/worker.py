"""The process that runs one program, and is gone: a line of JSON comes in, one goes out.

It has imported what programs need before the line comes, so that the answer is quick.
"""

from __future__ import annotations

import json
import os
import sys

CPU_SECONDS, MEMORY = 20, 2 << 30
ANSWER = 16 << 20  # bytes


def main() -> None:
    """Answers what stands in the first line of standard input, on what was standard output."""
    answer = os.dup(1)
    os.dup2(2, 1)  # what a program prints past Python is no answer
    from minijax.explore.confined import confine
    from minijax.explore.walks import walk

    warm_up()
    with os.fdopen(answer, "wb") as out:
        out.write(b"ready\n")
        out.flush()
        asked = json.loads(sys.stdin.readline())
        confine(CPU_SECONDS, MEMORY)
        shown = walk(asked["text"], asked["expression"], asked["arguments"])
        told = json.dumps({"html": shown.html, "failed": shown.failed})
        if len(told) > ANSWER:
            told = json.dumps({"html": "", "failed": "The answer is too long."})
        out.write(told.encode())


def warm_up() -> None:
    """Runs what a first program would wait for, and what loads libraries."""
    from minijax.explore.walks import walk

    text = "def f(x): return jnp.linalg.cholesky(jnp.eye(2) + x * jnp.sin(x) @ jnp.ones((2, 2)))"
    walk(text, "jax.jit(f)", "(jnp.ones((2, 2)),)")


if __name__ == "__main__":
    main()
