"""einsum beside NumPy's: dtypes, shapes, orders of products; under jit, vmap and derivatives."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

RANDOM = np.random.default_rng(3)
SUMS = {
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,jk->ki": [(2, 3), (3, 4)],
    "bij,bjk": [(2, 2, 3), (2, 3, 4)],
    "ii->i": [(3, 3)],
    "ii": [(3, 3)],
    "iji->j": [(3, 2, 3)],
    "iij,j->i": [(2, 2, 3), (3,)],
    "ij->ji": [(2, 0)],
    "i,i->": [(0,), (0,)],
    "ij,k->": [(2, 3), (4,)],
    "ij,ji->j": [(2, 3), (3, 2)],
    "...i,i...->...": [(2, 3), (3, 2)],
    "...ij,...jk->...ik": [(4, 1, 2, 3), (5, 3, 2)],
    "ab,bc,cd->ad": [(2, 3), (3, 4), (4, 2)],
    "abc,cd,da->b": [(4, 3, 5), (5, 2), (2, 4)],
    "a,a,a,a->a": [(3,), (3,), (3,), (3,)],
    ",i->i": [(), (3,)],
    "bthd,bshd->bhts": [(2, 3, 4, 5), (2, 6, 4, 5)],
    "bhts,bshd->bthd": [(2, 4, 3, 6), (2, 6, 4, 5)],
}


def operands(shapes, dtype):
    return [np.asarray(RANDOM.integers(-4, 5, shape), dtype) for shape in shapes]


@pytest.mark.parametrize("subscripts", SUMS)
@pytest.mark.parametrize("dtype", ["float32", "int32", "complex64"])
def test_against_numpy(subscripts, dtype):
    xs = operands(SUMS[subscripts], dtype)
    expected = np.einsum(subscripts, *xs)
    sum_of = lambda *xs: jnp.einsum(subscripts, *xs)  # noqa: E731
    got = sum_of(*xs)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    if dtype == "float32":
        np.testing.assert_allclose(jax.jit(sum_of)(*xs), expected, rtol=1e-6)


@pytest.mark.parametrize("optimize", [True, False, "greedy", "optimal", [(1, 2), (0, 1)]])
def test_the_order_of_products_changes_no_sum(optimize):
    xs = operands([(2, 3), (3, 4), (4, 2)], "int32")
    got = jnp.einsum("ij,jk,kl->il", *xs, optimize=optimize)
    np.testing.assert_array_equal(got, xs[0] @ xs[1] @ xs[2])


def test_integers_instead_of_letters_and_bools():
    x, y = operands([(2, 3), (3, 4)], "int32")
    np.testing.assert_array_equal(jnp.einsum(x, [0, 1], y, [1, 7], [7, 0]), (x @ y).T)
    b = x > 0
    np.testing.assert_array_equal(jnp.einsum("ij->i", b), b.any(1))
    np.testing.assert_array_equal(jnp.einsum("ij,ij->i", b, ~b), [False, False])


@pytest.mark.parametrize("subscripts", ["ij,jk->ki", "iji,j->", "ij,kj,k->i", "...i,i->..."])
def test_derivatives(subscripts):
    shapes = {"ij,jk->ki": [(2, 3), (3, 2)], "iji,j->": [(2, 3, 2), (3,)],
              "ij,kj,k->i": [(2, 3), (4, 3), (4,)], "...i,i->...": [(2, 3), (3,)]}  # fmt: skip
    xs = [np.cos(np.arange(np.prod(s)) + i).reshape(s) for i, s in enumerate(shapes[subscripts])]
    check_derivatives(lambda *xs: jnp.einsum(subscripts, *xs), xs)


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (1, 2), (2, 0)])
def test_batches(in_axes):
    x, y = operands([(3, 3, 3), (3, 3, 3)], "float32")
    take = lambda z, axis, i: z[0] if axis is None else np.take(z, i, axis)  # noqa: E731
    xs = [x[0] if in_axes[0] is None else x, y[0] if in_axes[1] is None else y]
    got = jax.vmap(lambda x, y: jnp.einsum("ij,kj->ik", x, y), in_axes)(*xs)
    expected = [take(x, in_axes[0], i) @ take(y, in_axes[1], i).T for i in range(3)]
    np.testing.assert_array_equal(got, np.stack(expected))


def test_paths_are_worked_out_without_looking_at_values():
    path, account = jnp.einsum_path("ij,jk,kl->il", *operands([(2, 9), (9, 9), (9, 2)], "float32"))
    assert [sorted(step) for step in path] and "Optimized" in str(account)
    assert jax.eval_shape(lambda x: jnp.einsum("ij->j", x), np.ones((2, 3))).shape == (3,)
