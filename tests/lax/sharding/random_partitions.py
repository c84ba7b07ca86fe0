"""Random programs, and random cuts of their arguments and results, for the partitioner."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from lax.sharding.partition_runs import MESH
from minijax import lax

SHAPES = ((), (8,), (4, 8), (8, 8), (8, 6), (2, 4, 8), (8, 1), (16, 3))


class Tried(NamedTuple):
    """Operations, each a function of the values so far; what the arguments are, how all are cut."""

    shapes: tuple
    operations: tuple
    cuts: tuple
    out_cuts: tuple

    def run(self, *args):
        values = list(args)
        for operation in self.operations:
            values.append(operation(values))
        return values[-len(self.out_cuts) :]


def unary(name, fun, needs=lambda x: x.ndim > 0):
    return name, fun, needs


def along(fun):
    """A function of x and an axis, for the last axis or the first."""
    return lambda x, n: fun(x, n % x.ndim)


def step(c, x):
    return jnp.tanh(c + x), c * x


UNARY = (
    unary("sin", lambda x, n: jnp.sin(x), lambda x: True),
    unary("square", lambda x, n: x * x - 0.5, lambda x: True),
    unary("transpose", lambda x, n: x.T),
    unary("moveaxis", lambda x, n: jnp.moveaxis(x, 0, -1)),
    unary("sum", along(lambda x, d: x.sum(d) / 4)),
    unary("sum all", lambda x, n: x.sum() / 9),
    unary("max", along(lambda x, d: x.max(d))),
    unary("prod", along(lambda x, d: (x * 0.5 + 1).min(d))),
    unary("ravel", lambda x, n: x.reshape(-1)),
    unary("halves", lambda x, n: x.reshape(2, -1), lambda x: x.size % 2 == 0 and x.ndim > 0),
    unary("eights", lambda x, n: x.reshape(-1, 8), lambda x: x.size % 8 == 0 and x.ndim > 0),
    unary("fours", lambda x, n: x.reshape(4, 2, -1), lambda x: x.size % 8 == 0 and x.ndim > 0),
    unary("flip", along(jnp.flip)),
    unary("roll", along(lambda x, d: jnp.roll(x, 1, d))),
    unary("cumsum", along(lambda x, d: jnp.cumsum(x, d) / 8)),
    unary("sort", along(lambda x, d: jnp.sort(x, d))),
    unary("argsort", along(lambda x, d: jnp.argsort(jnp.round(x * 8), d) / 8)),
    unary("slice", along(lambda x, d: lax.slice_in_dim(x, 0, max(1, x.shape[d] // 2), axis=d))),
    unary("odd", along(lambda x, d: lax.slice_in_dim(x, 0, x.shape[d], 2, axis=d))),
    unary("pad", along(lambda x, d: jnp.pad(x, [(int(e == d),) * 2 for e in range(x.ndim)]))),
    unary("take", along(lambda x, d: jnp.take(x, np.array([0, 1, 0, 1]) % x.shape[d], axis=d))),
    unary("at", lambda x, n: x.at[n % x.shape[0]].add(1.0)),
    unary("dynamic", lambda x, n: lax.dynamic_slice_in_dim(x, n, max(1, x.shape[0] // 2))),
    unary("repeat", lambda x, n: jnp.broadcast_to(x, (4, *x.shape)), lambda x: x.ndim < 3),
    unary("tile", lambda x, n: jnp.tile(x, 2)),
    unary("softmax", along(lambda x, d: jax.nn.softmax(x, axis=d))),
    unary("iota", lambda x, n: x + jnp.arange(x.shape[-1]) / 8),
    unary("noise", lambda x, n: x + jax.random.uniform(jax.random.key(n), x.shape)),
    unary("grad", lambda x, n: jax.grad(lambda y: (jnp.sin(y) * y).sum())(x), lambda x: True),
    unary("scan", lambda x, n: lax.scan(step, x[0], x)[n % 2]),
    unary("fori", lambda x, n: lax.fori_loop(0, 3, lambda i, c: c * 0.5 + c.sum() / 99, x)),
    unary("while", lambda x, n: lax.while_loop(lambda c: c.sum() < 0, lambda c: c + 1, x)),
    unary("cond", lambda x, n: lax.cond(x.sum() > 0, jnp.sin, lambda y: jnp.flip(y, 0), x)),
    unary("jit", lambda x, n: jax.jit(lambda y: jnp.cos(y).T)(x)),
    unary("checkpoint", lambda x, n: jax.checkpoint(lambda y: jnp.tanh(y) * y)(x)),
    unary("vmap", lambda x, n: jax.vmap(lambda r: r - r.mean())(x)),
)
BINARY = (
    ("add", lambda x, y: x + y, lambda x, y: spreads(x, y)),
    ("where", lambda x, y: jnp.where(x > y, x, 0.5 * y), lambda x, y: spreads(x, y)),
    ("matmul", lambda x, y: x @ y / 8, lambda x, y: multiplies(x, y)),
    ("outer", lambda x, y: jnp.outer(x, y), lambda x, y: x.size * y.size <= 1024),
    ("einsum", lambda x, y: jnp.einsum("i...,i...->...", x, y) / 8,
     lambda x, y: x.shape == y.shape and x.ndim > 0),
    ("concat", lambda x, y: jnp.concatenate([x, y], -1), lambda x, y: joins(x, y)),
    ("update", lambda x, y: x.at[: y.shape[0]].set(y),
     lambda x, y: x.ndim == y.ndim > 0 and x.shape[1:] == y.shape[1:]
     and x.shape[0] >= y.shape[0]),
)  # fmt: skip


def spreads(x, y):
    sizes = zip(reversed(x.shape), reversed(y.shape), strict=False)
    return all(n == m or 1 in (n, m) for n, m in sizes)


def multiplies(x, y):
    return x.ndim in (1, 2) and y.ndim in (1, 2) and x.shape[-1] == y.shape[0]


def joins(x, y):
    return x.ndim == y.ndim > 0 and x.shape[:-1] == y.shape[:-1] and x.ndim < 3


@st.composite
def cuts(draw, shape):
    """A cut that divides an array of a shape."""
    left, cut = draw(st.permutations(list(MESH))), []
    for size in shape:
        names = []
        while left and draw(st.booleans()):
            name = left.pop()
            if size % int(np.prod([MESH[n] for n in (*names, name)])) == 0:
                names.append(name)
        cut.append(tuple(names))
    return tuple(cut)


@st.composite
def programs(draw):
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    known = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    operations = []
    for _ in range(draw(st.integers(1, 6))):
        operation = draw(operation_on(known))
        out = jax.eval_shape(operation, known)
        if out.size > 2048 or out.size == 0:
            continue
        known.append(out)
        operations.append(operation)
    given = tuple(draw(st.one_of(st.none(), cuts(shape), cuts(shape))) for shape in shapes)
    count = min(len(known), draw(st.integers(1, 2)))
    wanted = tuple(
        draw(st.one_of(st.none(), st.none(), cuts(x.shape))) for x in known[len(known) - count :]
    )
    return Tried(tuple(shapes), tuple(operations), given, wanted)


@st.composite
def operation_on(draw, known):
    if draw(st.booleans()):
        pairs = [(fun, i, j) for _, fun, fits in BINARY for i, x in enumerate(known)
                 for j, y in enumerate(known) if fits(x, y)]  # fmt: skip
        fun, i, j = draw(st.sampled_from(pairs))
        return lambda values: fun(values[i], values[j])
    i = draw(st.integers(0, len(known) - 1))
    fun = draw(st.sampled_from([fun for _, fun, fits in UNARY if fits(known[i])]))
    n = draw(st.integers(0, 2))
    return lambda values: fun(values[i], n)
