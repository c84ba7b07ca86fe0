"""Products of vectors, matrices and stacks of them, against NumPy."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(dtype)


MATMUL_SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((5, 2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (1, 3, 4)),
    ((1, 2, 3), (1, 3, 4)),
    ((1, 2, 3), (3, 4)),
    ((6, 1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (6, 5, 3, 4)),
    ((6, 1, 2, 3), (1, 5, 3, 4)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
]
DOT_SHAPES = [
    ((), ()),
    ((), (3,)),
    ((2, 3), ()),
    ((3,), (3,)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (6, 3, 4)),
]


@pytest.mark.parametrize("a, b", MATMUL_SHAPES)
def test_matmul(a, b):
    x, y = numbers(*a), numbers(*b)
    expected = np.matmul(x, y)
    np.testing.assert_array_equal(jnp.matmul(x, y), expected)
    np.testing.assert_array_equal(jnp.asarray(x) @ y, expected)
    np.testing.assert_array_equal(x @ jnp.asarray(y), expected)
    np.testing.assert_array_equal(jax.jit(jnp.matmul)(x, y), expected)


@pytest.mark.parametrize("a, b", DOT_SHAPES)
def test_dot(a, b):
    x, y = numbers(*a), numbers(*b)
    np.testing.assert_array_equal(jnp.dot(x, y), np.dot(x, y))
    np.testing.assert_array_equal(jnp.asarray(x).dot(y), np.dot(x, y))


@pytest.mark.parametrize("a, b", [((), (3,)), ((3,), (3,)), ((2, 3), (3,)), ((5, 2, 3), (4, 3))])
def test_inner(a, b):
    x, y = numbers(*a), numbers(*b)
    np.testing.assert_array_equal(jnp.inner(x, y), np.inner(x, y))


@pytest.mark.parametrize("a, b", [((), (3,)), ((2,), (3,)), ((2, 3), (4,))])
def test_outer(a, b):
    x, y = numbers(*a), numbers(*b)
    np.testing.assert_array_equal(jnp.outer(x, y), np.outer(x, y))


def test_vdot():
    x, y = numbers(2, 3), numbers(6)
    np.testing.assert_array_equal(jnp.vdot(x, y), np.vdot(x, y))


@pytest.mark.parametrize(
    "a, b, axes",
    [
        ((2, 3), (2, 3), 2),
        ((2, 3), (3, 4), 1),
        ((2,), (3,), 0),
        ((5, 2, 3), (2, 3, 4), 2),
        ((5, 2, 3), (3, 5), ((0, 2), (1, 0))),
        ((5, 2, 3), (4, 3), (-1, -1)),
    ],
)
def test_tensordot(a, b, axes):
    x, y = numbers(*a), numbers(*b)
    np.testing.assert_array_equal(jnp.tensordot(x, y, axes), np.tensordot(x, y, axes))


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ("int32", "float32", "float32"),
        ("bool", "bool", "bool"),
        ("float16", "float32", "float32"),
        ("bfloat16", "bfloat16", "bfloat16"),
        ("int8", "int32", "int32"),
        ("complex64", "float32", "complex64"),
    ],
)
def test_dtypes(a, b, expected):
    for f in (jnp.dot, jnp.matmul):
        result = f(jnp.ones((2, 3), a), jnp.ones((3, 2), b))
        assert result.dtype == np.dtype(expected)
        np.testing.assert_array_equal(result, np.full((2, 2), True if a == "bool" else 3))
    assert jnp.dot(2, 3).weak_type


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: jnp.dot(jnp.ones((2, 3)), jnp.ones((2, 3))), TypeError),
        (lambda: jnp.matmul(jnp.ones((2, 3)), jnp.ones(2)), TypeError),
        (lambda: jnp.matmul(jnp.ones((2, 2, 3)), jnp.ones((3, 3, 2))), ValueError),
        (lambda: jnp.matmul(jnp.ones(3), 2), ValueError),
        (lambda: 2 @ jnp.ones(3), ValueError),
        (lambda: jnp.ones(3) @ [1, 2, 3], TypeError),
        (lambda: jnp.dot([1], [2]), TypeError),
        (lambda: jnp.tensordot(jnp.ones(3), jnp.ones(3), 2), TypeError),
        (lambda: jnp.tensordot(jnp.ones(3), jnp.ones(3), ((0, 1), (0,))), TypeError),
        (lambda: jnp.vdot(jnp.ones(3), jnp.ones(2)), TypeError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("a, b", [s for s in MATMUL_SHAPES if 0 not in s[0] + s[1]])
def test_derivatives(a, b):
    """The product is linear in each operand, so its derivative is the product again."""
    x, y, dx, dy = (jnp.asarray(numbers(*s) + 0.5 * i) for i, s in enumerate((a, b, a, b)))
    product, tangent = jax.jvp(jnp.matmul, (x, y), (dx, dy))
    np.testing.assert_allclose(tangent, dx @ y + x @ dy, rtol=1e-5)
    cotangent = jnp.ones(product.shape)
    x_bar, y_bar = jax.vjp(jnp.matmul, x, y)[1](cotangent)
    np.testing.assert_allclose((x_bar * dx).sum() + (y_bar * dy).sum(), tangent.sum(), rtol=1e-4)


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0), (1, 0), (2, 1)])
def test_batches(in_axes):
    x, y = numbers(3, 3, 3), numbers(3, 3, 3) + 1
    pick = lambda z, axis, i: z if axis is None else np.take(z, i, axis)  # noqa: E731
    expected = [pick(x, in_axes[0], i) @ pick(y, in_axes[1], i) for i in range(3)]
    np.testing.assert_array_equal(jax.vmap(jnp.matmul, in_axes)(x, y), np.stack(expected))


PRODUCTS = {
    "dot": jnp.dot, "matmul": jnp.matmul, "inner": jnp.inner, "vdot": jnp.vdot,
    "tensordot": lambda a, b, **kwargs: jnp.tensordot(a, b, 1, **kwargs),
}  # fmt: skip


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_dtype_of_a_product_can_be_asked_for(name):
    x = jnp.arange(6.0)
    got = PRODUCTS[name](x, x, precision="highest", preferred_element_type="float16")
    assert got.dtype == np.float16 and got == 55
    assert not jnp.dot(2, 3, preferred_element_type=float).weak_type
    assert jnp.inner(2, 3, preferred_element_type=float).dtype == np.float32


@pytest.mark.parametrize("name", PRODUCTS)
def test_sizes_that_differ_are_named(name):
    with pytest.raises(TypeError, match=f"jnp.{name} sums over (?s:.*)axes of one size"):
        PRODUCTS[name](jnp.ones((2, 3)), jnp.ones((2, 4)))


@pytest.mark.parametrize("axes", [(0, 1, 2), (0,), "a", "ab", 1.0, None, ((0, 1), (0,))])
def test_what_tensordot_cannot_take_as_axes(axes):
    with pytest.raises(TypeError, match="jnp.tensordot"):
        jnp.tensordot(jnp.ones((2, 2)), jnp.ones((2, 2)), axes)
