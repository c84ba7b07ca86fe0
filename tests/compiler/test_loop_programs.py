"""Loops around every primitive, compiled beside NumPy: random nests of scan, while, fori, cond,
switch, vmap, jvp, jit and checkpoint, of any dtype, shape and strides, with edges of the dtypes.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import interpreted
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.compiler.special_cases import row_loops
from minijax.core.jitting import CompileOptions
from primitive_table import COMPILED, EVERY, NUMBERS, Rule

# Of each part. `make backends` runs 2,000 in all.
PROGRAMS = int(os.environ.get("COMPILED_PROGRAMS", "12"))
DTYPES = [*EVERY, "int8", "uint16", "uint32", "int64", "uint64", "complex128"]

# Reading and writing by indices, which the table has once each: modes, and indices outside.

MODES = ["clip", "fill", "promise_in_bounds"]


def indexing(mode: str, indices: tuple, how: str) -> Rule:
    if mode == "promise_in_bounds":
        indices = tuple(i % 4 for i in indices)

    def function(x):
        places = jnp.array(indices, "int32")
        if how == "get":
            return x.at[places].get(mode=mode, fill_value=1)
        return getattr(x.at[places], how)(x[: len(indices)], mode=mode)

    name = {"get": "gather", "set": "scatter", "add": "scatter_add", "multiply": "scatter_mul"}
    dtypes = NUMBERS if how in ("add", "multiply") else EVERY
    name = f"{name.get(how, how)} {mode} {indices}"
    return Rule(name, function, None, (((4,),), ((4, 2),)), dtypes)


indexings = st.builds(
    indexing, st.sampled_from(MODES),
    st.lists(st.integers(-6, 6), min_size=1, max_size=4).map(tuple),
    st.sampled_from(["get", "set", "add", "multiply", "min", "max"]),
)  # fmt: skip


# Nests. Each way around a function (k, *xs) -> results gives another one; k counts, from anywhere.


def turned(k, xs):
    """The operands of a later step: those of a length are run through from either end."""
    return [x if not x.ndim else jnp.where(k % 2 == 0, x, x[::-1]) for x in xs]


def by_scan(f: Callable, reverse: bool = False) -> Callable:
    def g(k, *xs):
        def step(carry, i):
            k, xs = carry
            return (k + 1, turned(k, xs)), f(k + i, *xs)

        return lax.scan(step, (k, list(xs)), jnp.arange(3, dtype="int32"), reverse=reverse)[1]

    return g


def by_rows(f: Callable) -> Callable:
    def g(k, *xs):
        pairs = [jnp.stack([x, x[::-1] if x.ndim else x]) for x in xs]
        return lax.scan(lambda k, rows: (k + 1, f(k, *rows)), k, pairs)[1]

    return g


def nothing(f: Callable, k, *xs):
    return [jnp.zeros(x.shape, x.dtype) for x in jax.eval_shape(f, k, *xs)]


def by_fori(f: Callable) -> Callable:
    def g(k, *xs):
        def step(i, carry):
            xs, _ = carry
            return turned(k + i, xs), f(k + i, *xs)

        start = list(xs), nothing(f, k, *xs)
        return lax.fori_loop(jnp.int32(0), jnp.int32(3), step, start)[1]

    return g


def by_while(f: Callable) -> Callable:
    def g(k, *xs):
        def step(carry):
            i, xs, _ = carry
            return i + 1, turned(i, xs), f(i, *xs)

        start = k, list(xs), nothing(f, k, *xs)
        return lax.while_loop(lambda carry: carry[0] < 2, step, start)[2]

    return g


def by_cond(f: Callable) -> Callable:
    return lambda k, *xs: lax.cond(k % 2 == 0, f, partial(nothing, f), k, *xs)


def by_switch(f: Callable) -> Callable:
    def g(k, *xs):
        ways = [f, lambda k, *xs: f(k, *turned(jnp.int32(1), xs)), partial(nothing, f)]
        return lax.switch(k - 1, ways, k, *xs)

    return g


def by_vmap(f: Callable) -> Callable:
    def g(k, *xs):
        pairs = [jnp.stack([x, x[::-1] if x.ndim else x], x.ndim // 2) for x in xs]
        return jax.vmap(f, (0, *(x.ndim // 2 for x in xs)))(jnp.stack([k, k - 1]), *pairs)

    return g


def by_jvp(f: Callable) -> Callable:
    """The tangents, where all operands are floats."""
    def g(k, *xs):
        if not all(jnp.issubdtype(x.dtype, np.inexact) for x in xs):
            return f(k, *xs)
        outs, tangents = jax.jvp(lambda *xs: f(k, *xs), xs, tuple(map(jnp.ones_like, xs)))
        return [t if t.dtype == x.dtype else x for x, t in zip(outs, tangents, strict=True)]

    return g


WAYS = {
    "scan": by_scan, "scan back": partial(by_scan, reverse=True), "rows": by_rows,
    "fori": by_fori, "while": by_while, "cond": by_cond, "switch": by_switch, "vmap": by_vmap,
    "jvp": by_jvp, "jit": jax.jit, "checkpoint": jax.checkpoint,
    "barrier": lambda f: lambda k, *xs: f(k, *lax.optimization_barrier(xs)),
}  # fmt: skip
LOOPS = ["scan", "scan back", "rows", "fori", "while"]


# Numbers: those of the table, and edges.


def edges(dtype: np.dtype) -> np.ndarray:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, 0, 1, info.max // 2], dtype)
    if dtype.kind == "c":
        return np.array([complex(np.nan, 1), complex(np.inf, 0), -0.0, 1e-4j], dtype)
    if dtype.kind == "b":
        return np.array([True, False])
    return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-4, 3e4], dtype)


def strided(x: np.ndarray, how: str) -> np.ndarray:
    """The same array, that lies otherwise in memory."""
    if not x.ndim or how == "plain":
        return x
    if how == "columns":
        return np.asfortranarray(x)
    if how == "back":
        return np.ascontiguousarray(x[::-1])[::-1]
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


class Program(NamedTuple):
    rules: Sequence[Rule]
    shape: int
    dtype: str
    ways: Sequence[str]
    strides: str
    edge: int
    start: int
    seed: int

    def inputs(self) -> list[np.ndarray]:
        rng, [first, *_] = np.random.default_rng(self.seed), self.rules
        dtype = np.dtype(getattr(ml_dtypes, self.dtype, self.dtype))
        found = [np.array(self.start, np.int32)]
        for shape in first.shapes[self.shape % len(first.shapes)]:
            x = np.asarray(rng.uniform(*first.domain, shape)).astype(dtype)
            if self.edge and x.size:
                places = rng.integers(0, x.size, self.edge)
                x.reshape(-1)[places] = rng.choice(edges(dtype), self.edge)
            found.append(strided(x, self.strides))
        return found

    def function(self) -> Callable:
        def f(k, *xs):
            """The first one's results, and the others' of them where they take them."""
            outs = []
            for rule in self.rules:
                if len(rule.shapes[0]) == len(xs):
                    outs += jax.tree.leaves(rule.function(*xs))
            return outs

        for way in self.ways:
            f = WAYS[way](f)
        return f


@st.composite
def programs(draw) -> Program:
    rules = [draw(st.one_of(st.sampled_from(COMPILED), indexings))]
    dtype = draw(st.sampled_from(DTYPES))
    if draw(st.booleans()):
        like = [r for r in COMPILED if (r.shapes, r.domain) == (rules[0].shapes, rules[0].domain)]
        rules += draw(st.lists(st.sampled_from(like), max_size=2)) if like else []
    inside = draw(st.lists(st.sampled_from(sorted(WAYS)), max_size=2))
    outside = draw(st.lists(st.sampled_from(sorted(WAYS)), max_size=1))
    return Program(
        rules, draw(st.integers(0, 3)), dtype, [*inside, draw(st.sampled_from(LOOPS)), *outside],
        draw(st.sampled_from(["plain", "columns", "back", "steps"])),
        draw(st.sampled_from([0, 0, 1, 3])), draw(st.integers(-1, 2)), draw(st.integers(0, 99)),
    )  # fmt: skip


def epsilon(dtype: np.dtype) -> float:
    return float(ml_dtypes.finfo(dtype).eps) if dtype.kind not in "c" else np.finfo(dtype).eps


def assert_near(x: np.ndarray, y: np.ndarray) -> None:
    assert (x.shape, x.dtype) == (y.shape, y.dtype)
    if x.dtype.kind in "biu":
        return np.testing.assert_array_equal(x, y)
    bound = 256 * epsilon(x.dtype)
    wide = "complex128" if x.dtype.kind == "c" else "float64"
    x, y = x.astype(wide), y.astype(wide)
    # Some of BLAS's complex products end with * (1 + 0j), which makes NaN of an infinity.
    lost = ~np.isfinite(x) & ~np.isfinite(y) if x.dtype.kind == "c" else np.False_
    for part in ("real", "imag"):
        a, b = getattr(x, part), getattr(y, part)
        size = np.where(np.isfinite(abs(y)), abs(y), 1)
        with np.errstate(invalid="ignore"):
            near = (a == b) | (np.isnan(a) & np.isnan(b)) | (abs(a - b) <= bound * (1 + size))
            near |= lost
        assert near.all(), (part, x[~near], y[~near])
    return None


def agree(program: Program) -> None:
    with jax.enable_x64(True):
        f, inputs = program.function(), program.inputs()
        try:
            closed = jax.make_jaxpr(lambda *xs: jax.tree.leaves(f(*xs)))(*inputs)
        except (TypeError, ValueError):
            assert any(program.dtype not in rule.dtypes for rule in program.rules)
            return
        except NotImplementedError:  # there is no such derivative
            assert "jvp" in program.ways
            return
        executable = Executable(closed, CompileOptions("program", ()))
        steps = zip(executable.steps, executable.sources, strict=True)
        left = {step.eqn.primitive.name for step, source in steps if source is None}
        assert left.isdisjoint({"scan", "while", "cond"})
        got = list(map(np.asarray, executable(*map(jnp.asarray, inputs))))
        for x, y in zip(got, interpreted(closed, *map(jnp.asarray, inputs)), strict=True):
            assert_near(x, y)


def check(part: int, some: st.SearchStrategy[Program]) -> None:
    check_all = settings(
        max_examples=PROGRAMS, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    seed(part)(check_all(given(some)(agree)))()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_loops_around_random_programs_agree(part):
    check(part, programs())


def vmapped(program: Program) -> Program:
    """A loop for each of two examples; without the edges of complex numbers."""
    [loop, *_] = [way for way in program.ways if way in LOOPS]
    return program._replace(ways=[loop, "vmap"], edge=0 if "complex" in program.dtype else 1)


@pytest.mark.filterwarnings("ignore")
def test_vmapped_loops_agree_row_by_row(monkeypatch):
    made = []
    for name, value in {"LARGE": 1, "SOME": 1, "STRIPS": 2}.items():
        monkeypatch.setattr(row_loops, name, value)
    monkeypatch.setattr(row_loops, "row_loop", lambda eqn, of=row_loops.row_loop: (
        made.append(of(eqn)) or made[-1]))  # fmt: skip
    check(4, programs().map(vmapped))
    assert any(made)
