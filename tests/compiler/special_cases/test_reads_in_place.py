"""Blocks in loops that are read where they lie, and those that are not, since someone writes there;
products of blocks, and transposes that BLAS reads."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.compiler.special_cases.reads_in_place import lies_in_a_row
from minijax.core.jitting import CompileOptions

RANDOM = np.random.default_rng(0)
X, Y = (RANDOM.normal(size=(64, 64)).astype(np.float32) for _ in range(2))


def text_of(fun, *args) -> str:
    return Executable(jax.make_jaxpr(fun)(*args), CompileOptions("program", ())).as_text()


def rows(x, i, n=8):
    return lax.dynamic_slice_in_dim(x, i * n, n)


def columns(x, i, n=32):
    return lax.dynamic_slice_in_dim(x, i * n, n, 1)


def looped(step, *start, turns=2):
    """The last of what a loop carries; the step takes its turn, too."""
    def fun(*start):
        return lax.fori_loop(0, turns, lambda i, c: step(i, *c), start)

    return fun


def python_loop(step, *start, turns=2):
    for i in range(turns):
        start = step(i, *start)
    return start


STEPS = {
    # A block that is only read; of an array that the loop changes, elsewhere or in that block.
    "read": (lambda i, x, t: (x, t + jnp.sin(rows(x, i)).sum()), True),
    "changed": (lambda i, x, t: (x.at[0].set(t), t + jnp.sort(rows(x, i), axis=1).sum()), False),
    "written": (
        lambda i, x, t: (lax.dynamic_update_slice(x, rows(x, 1 - i) + t, (8 * i, 0)), t + 1), False,
    ),
    "kept": (lambda i, x, t: (x * 2, t + lax.cumsum(rows(x, i)).sum()), None),
    "exchanged": (lambda i, x, t: (lax.rev(x, (0,)), t + jnp.sort(rows(x, i)).sum()), None),
    "returned": (lambda i, x, t: (jnp.concatenate([rows(x, i)] * 8), t + 1), None),
    "changed itself": (lambda i, x, t: (x, t + rows(x, i).at[1].set(t).sum()), None),
    "block of a block": (lambda i, x, t: (x, t + jnp.sort(rows(rows(x, i), i, 4)).sum()), True),
    "squeezed": (lambda i, x, t: (x, t + jnp.sort(rows(x, i, 1)[0]).sum()), True),
    "columns": (lambda i, x, t: (x, t + jnp.sort(columns(x, i)).sum()), False),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_loops_with_blocks_are_what_python_loops_are(name, on_numba):
    step, in_place = STEPS[name]
    start = X, np.float32(0.5)
    found = jax.jit(looped(step))(*start)
    for x, expected in zip(found, python_loop(step, *map(jnp.asarray, start)), strict=True):
        np.testing.assert_allclose(x, expected, rtol=2e-4, atol=1e-4)
    if in_place is not None:
        assert ("# dynamic_slice" not in text_of(looped(step), *start)) == in_place


@pytest.mark.parametrize("sizes, shape, found", [
    ((2, 4), (8, 4), True), ((1, 1, 4), (2, 3, 4), True), ((1, 2, 4), (2, 3, 4), True),
    ((2, 2, 4), (2, 3, 4), False), ((8, 2), (8, 4), False), ((), (), True), ((3,), (9,), True),
])  # fmt: skip
def test_which_blocks_lie_in_a_row(sizes, shape, found):
    assert lies_in_a_row(sizes, shape) == found


# Products.

PRODUCTS = {
    "onto": (
        lambda i, z, x, y: (z + columns(x, i) @ rows(y, i, 32), x, y), ("product_onto_f32", 1),
    ),
    "onto, from the right": (
        lambda i, z, x, y: (columns(x, i) @ rows(y, i, 32) + z, x, y), ("product_onto_f32", 1),
    ),
    "onto, read too": (
        lambda i, z, x, y: (z + columns(x, i) @ rows(y, i, 32), x + z, y), ("product_onto_f32", 1),
    ),
    "alone": (lambda i, z, x, y: (columns(x, i) @ rows(y, i, 32), x, y), ("product_f32", 1)),
    "of transposes": (lambda i, z, x, y: (x.T @ y.T, z, y), ("product_f32", 1)),
    "used twice": (
        lambda i, z, x, y: ((p := columns(x, i) @ rows(y, i, 32)) + z, x + p, y),
        ("product_f32", 1),
    ),
    "after a choice": (
        lambda i, z, x, y: (lax.cond(i == 0, jnp.zeros_like, lambda z: z, z)
                            + columns(x, i) @ rows(y, i, 32), x, y),
        ("product_onto_f32", 1),
    ),
    "onto a multiple": (
        lambda i, z, x, y: (z * x[:, :1] + columns(x, i) @ rows(y, i, 32), x, y),
        ("product_onto_f32", 1),
    ),
    "onto a multiple that is read": (
        lambda i, z, x, y: ((m := z * x[:, :1]) + columns(x, i) @ rows(y, i, 32), m, y),
        ("product_onto_f32", 0),
    ),
    "with itself": (lambda i, z, x, y: (z + columns(x, i) @ columns(x, 1 - i).T, z, y),
                    ("product_onto_f32", 1)),
    "small": (lambda i, z, x, y: (z.at[:4, :4].add(x[:4] @ y[:, :4]), x, y), ("product", 0)),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_blocks_in_loops(name, dtype, on_numba):
    step, (function, count) = PRODUCTS[name]
    with jax.enable_x64(dtype == "float64"):
        start = [a.astype(dtype) / 8 for a in (X + 1, X, Y)]
        found = jax.jit(looped(step))(*start)
        for x, expected in zip(found, python_loop(step, *map(jnp.asarray, start)), strict=True):
            np.testing.assert_allclose(x, expected, rtol=1e-3, atol=1e-4)
        text = text_of(looped(step), *start).replace("_f64", "_f32")
    assert text.count(f" {function}(") == count, text


def test_examples_of_products_of_blocks(on_numba):
    step, _ = PRODUCTS["onto"]
    start = [np.stack([a, a[::-1]]) for a in (X, X, Y)]
    found = jax.jit(jax.vmap(looped(step)))(*start)
    for k in range(2):
        expected = python_loop(step, *(jnp.asarray(a[k]) for a in start))
        np.testing.assert_allclose(found[0][k], expected[0], rtol=1e-4, atol=1e-4)
