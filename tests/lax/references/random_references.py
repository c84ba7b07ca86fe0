"""Random programs that read and write references, and what they come to in NumPy.

A program is a list of steps, which are data: the same steps are carried out by a package, on its
references, and by NumPy, on arrays that it changes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

SHAPE = (4, 3)
# Indices of an array of SHAPE: their text, in which `i` is a number that may be traced.
INDICES = (
    "...", "0", "-1", "i", "1, 2", "i, 1", "-1, i", "i, i", ":", "1:3", "::2", ":, 1", "::3, i",
    "1:, :2", "..., 2", "ds(i, 2)", "ds(i, 2), 1", "1, ds(0, 2)", "A", "A, 1", ":, A", "A, A",
    "i, A", "1:3, A", "A, ::2", "A, ds(i, 2)", "B, A",
)  # fmt: skip
ARRAYS = {"A": np.array([2, 0]), "B": np.array([[1], [3]])}


class Step(NamedTuple):
    """`kind` of "set", "add", "swap", "get", at an index of one reference; or of "scan", "cond",
    "while", "jit", with steps of its own."""

    kind: str
    ref: int = 0
    index: str = "..."
    steps: tuple = ()


def index_of(text: str, i: Any, ds: Callable) -> Any:
    names = {"i": i, "ds": ds, "s": np.s_, **ARRAYS}
    return eval(f"s[{text}]", names)


simple = st.builds(
    Step, st.sampled_from(["set", "add", "swap", "get"]), st.integers(0, 1),
    st.sampled_from(INDICES),
)  # fmt: skip
nested = st.builds(
    Step, st.sampled_from(["scan", "cond", "while", "jit"]), st.just(0), st.just(""),
    st.lists(simple, min_size=1, max_size=3).map(tuple),
)  # fmt: skip
deeper = st.builds(
    Step, st.sampled_from(["scan", "cond", "while", "jit"]), st.just(0), st.just(""),
    st.lists(st.one_of(simple, nested), min_size=1, max_size=2).map(tuple),
)  # fmt: skip
programs = st.lists(st.one_of(simple, nested, deeper), min_size=1, max_size=4).map(tuple)


def value_for(part: Any, x: Any) -> Any:
    """What is written to a part: numbers that depend on what is there, and on x."""
    return part * 0.5 + x


def run(package: Any, steps: tuple, refs: list, x: Any, i: Any) -> Any:
    """Carries the steps out on references; returns a sum of what was read."""
    jnp, lax = package.numpy, package.lax
    for step in steps:
        index = index_of(step.index, i, package.ds) if step.index else None
        ref = refs[step.ref]
        if step.kind == "get":
            x = x + 0.25 * jnp.sum(ref[index])
        elif step.kind == "set":
            ref[index] = value_for(ref[index], x)
        elif step.kind == "add":
            package.ref.addupdate(ref, index, value_for(ref[index], x))
        elif step.kind == "swap":
            x = x + 0.25 * jnp.sum(package.ref.swap(ref, index, value_for(ref[index], x)))
        elif step.kind == "jit":
            x = package.jit(lambda x, i, s=step: run(package, s.steps, refs, x, i))(x, i)
        elif step.kind == "scan":
            body = lambda x, j, s=step: (run(package, s.steps, refs, x, j), j)  # noqa: E731
            x, _ = lax.scan(body, x, jnp.arange(2))
        elif step.kind == "cond":
            taken = partial(run, package, step.steps, refs)
            x = lax.cond(i > 0, taken, lambda x, i: x * 0.5, x, i)
        else:
            body = lambda c, s=step: (c[0] + 1, run(package, s.steps, refs, c[1], c[0]))  # noqa: E731
            x = lax.while_loop(lambda c: c[0] < 2, body, (i * 0, x))[1]
    return x


def run_in_numpy(steps: tuple, arrays: list, x: Any, i: int) -> Any:
    """The same on arrays that NumPy changes."""
    for step in steps:
        array = arrays[step.ref]
        index = index_of(step.index, i, lambda start, size: slice(start, start + size)) \
            if step.index else None
        if step.kind == "get":
            x = x + 0.25 * array[index].sum()
        elif step.kind == "set":
            array[index] = value_for(array[index], x)
        elif step.kind == "add":
            np.add.at(array, index, value_for(array[index], x))
        elif step.kind == "swap":
            old = array[index].sum()
            array[index] = value_for(array[index], x)
            x = x + 0.25 * old
        elif step.kind == "jit":
            x = run_in_numpy(step.steps, arrays, x, i)
        elif step.kind == "scan" or step.kind == "while":
            for j in range(2):
                x = run_in_numpy(step.steps, arrays, x, j)
        else:
            x = run_in_numpy(step.steps, arrays, x, i) if i > 0 else x * 0.5
    return x
