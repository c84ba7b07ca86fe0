"""Convolutions: what the oracle's cases and the table of primitives don't hold, and kernels."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import interpreted
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.core.jitting import CompileOptions
from minijax.lax.windows import convolution_routines
from numerics import directional

RANDOM = np.random.default_rng(3)
LAST = ("NHWC", "HWIO", "NHWC")
ODD = ("HCNW", "WIHO", "CWNH")


def numbers(shape, dtype="float32"):
    return jnp.asarray(RANDOM.integers(-3 if dtype != "uint8" else 0, 4, shape)).astype(dtype)


# By name: shapes, strides, padding, and what else is said.
CONVOLUTIONS = {
    "first": ((2, 3, 5, 6), (4, 3, 2, 3), (2, 1), "SAME", {}),
    "spread out": ((2, 3, 5, 6), (4, 3, 2, 3), (1, 1), ((1, 2), (-1, 3)),
                   {"lhs_dilation": (1, 2), "rhs_dilation": (2, 1)}),
    "feature groups": ((2, 3, 5, 6), (6, 1, 2, 3), (2, 1), "SAME", {"feature_group_count": 3}),
    "batch groups": ((4, 3, 5, 6), (6, 3, 2, 3), (1, 1), "SAME", {"batch_group_count": 2}),
    "last": ((2, 5, 6, 3), (2, 3, 3, 4), (1, 1), "SAME", {"dimension_numbers": LAST}),
    "each feature": ((2, 5, 6, 3), (2, 3, 1, 6), (1, 1), "SAME",
                     {"dimension_numbers": LAST, "feature_group_count": 3}),
    "odd": ((5, 3, 2, 6), (3, 3, 2, 4), (2, 1), "SAME", {"dimension_numbers": ODD}),
    "one axis": ((1, 1, 40), (1, 1, 5), (1,), "SAME", {}),
    "no axis": ((5, 16), (24, 16), (), "SAME", {}),
    "three axes": ((1, 2, 4, 3, 5), (3, 2, 2, 3, 1), (1, 2, 1), "SAME", {}),
    "one number": ((1, 1, 3), (1, 1, 3), (1,), "VALID", {}),
}  # fmt: skip
LARGE = {
    "large, first": ((2, 16, 12, 13), (16, 16, 3, 3), (1, 1), "SAME", {}),
    "large, apart": ((2, 16, 12, 13), (16, 16, 3, 3), (2, 2), "VALID", {}),
    "large, last": ((2, 12, 13, 16), (3, 3, 16, 24), (1, 1), "SAME", {"dimension_numbers": LAST}),
    "large, groups": ((2, 16, 12, 13), (32, 4, 3, 3), (1, 1), "SAME", {"feature_group_count": 4}),
    "large, batch groups": ((4, 16, 12, 13), (32, 16, 3, 3), (1, 1), "SAME",
                            {"batch_group_count": 2}),
    "large, odd": ((12, 16, 5, 10), (16, 16, 3, 3), (1, 1), "SAME", {"dimension_numbers": ODD}),
    "points": ((2, 16, 12, 13), (32, 16, 1, 1), (1, 1), "SAME", {}),
    "points, last": ((2, 12, 13, 16), (1, 1, 16, 32), (1, 1), "SAME", {"dimension_numbers": LAST}),
    "points, apart": ((2, 24, 26, 16), (1, 1, 16, 32), (2, 2), "SAME",
                      {"dimension_numbers": LAST}),
}  # fmt: skip


def forms(name):
    """The function, its operands, and a cotangent."""
    lhs, rhs, strides, padding, more = {**CONVOLUTIONS, **LARGE}[name]

    def f(x, w):
        return lax.conv_general_dilated(x, w, strides, padding, **more)

    x, w = numbers(lhs), numbers(rhs)
    return f, x, w, numbers(f(x, w).shape)


def assert_in_kernels(fun, *args):
    """Every convolution is in a kernel, and gives what NumPy does; the kernels' texts."""
    closed = jax.make_jaxpr(fun)(*args)
    program = Executable(closed, CompileOptions("f", ()))
    steps = zip(program.steps, program.sources, strict=True)
    left = {step.eqn.primitive.name for step, source in steps if source is None}
    assert not left & {"conv_general_dilated", "while", "scan"}
    for x, y in zip(program(*args), interpreted(closed, *args), strict=True):
        x = np.asarray(x)
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        size = np.abs(y).max(initial=1)
        np.testing.assert_allclose(x.astype(float), y.astype(float), atol=1e-5 * size)
    return "\n".join(source.text for source in program.sources if source)


def both_ways(f):
    return lambda x, w, ct: (f(x, w), *jax.vjp(f, x, w)[1](ct))


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_small_ones_are_loops(name, on_numba):
    f, x, w, ct = forms(name)
    assert "product_" not in assert_in_kernels(both_ways(f), x, w, ct)


@pytest.mark.parametrize("name", LARGE)
def test_large_ones_are_multiplied_by_blas(name, on_numba):
    f, x, w, ct = forms(name)
    assert "product_f32(" in assert_in_kernels(both_ways(f), x, w, ct)


@pytest.mark.parametrize("most", [400, 2000, 9000])
@pytest.mark.parametrize("name", ["large, first", "large, last", "large, groups"])
def test_what_is_copied_in_parts(name, most, on_numba, monkeypatch):
    """Rows are cut; where places in windows are many, their products are added up."""
    monkeypatch.setattr(convolution_routines, "FEWEST", most)
    monkeypatch.setattr(convolution_routines, "MOST", most)
    f, x, w, ct = forms(name)
    text = assert_in_kernels(both_ways(f), x, w, ct)
    assert most < 9000 or "product_onto_f32(" in text


def test_the_kernel_is_copied_where_its_order_is_another(on_numba):
    """Channels last, and a kernel whose channels come first."""
    x, w = numbers((2, 12, 13, 16)), numbers((16, 16, 3, 3))
    numbers_of = ("NHWC", "OIHW", "NHWC")
    text = assert_in_kernels(
        lambda x, w: [lax.conv_general_dilated(x, w, (1, 1), "SAME", None, None, numbers_of)], x, w
    )
    assert "product_f32(" in text and "v0" in text


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "bfloat16", "float64"])
def test_kernels_of_every_dtype(dtype, on_numba):
    with jax.enable_x64(dtype == "float64"):
        x, w = numbers((2, 8, 5, 6), dtype), numbers((8, 8, 3, 3), dtype)
        assert_in_kernels(lambda x, w: [lax.conv(x, w, (1, 1), "SAME")], x, w)


@pytest.mark.parametrize("dtype, wide", [
    ("int8", "int32"), ("bfloat16", "float32"), ("int32", "float32"), ("bool", "int32"),
])  # fmt: skip
def test_kernels_with_wider_sums(dtype, wide, on_numba):
    x, w = numbers((1, 2, 5, 6), dtype), numbers((3, 2, 3, 3), dtype)
    f = lambda x, w: lax.conv(x, w, (1, 1), "SAME", None, wide)  # noqa: E731
    np.testing.assert_array_equal(jax.jit(f)(x, w), f(x, w))


def test_in_a_compiled_loop(on_numba):
    """Steps down a gradient: convolutions of both sorts, a pool, and their derivatives."""
    x, w = numbers((2, 16, 7, 8)) / 4, numbers((16, 16, 3, 3)) / 16

    def loss(x, w):
        y = jnp.maximum(lax.conv(x, w, (1, 1), "SAME"), 0)
        y = lax.reduce_window(y, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        return (lax.conv(y, w[:2, :, :1, :1], (1, 1), "SAME") ** 2).mean()

    assert_in_kernels(
        lambda x, w: lax.fori_loop(0, 3, lambda i, w: w - 0.1 * jax.grad(loss, 1)(x, w), w), x, w
    )


def test_complex_numbers_in_a_compiled_loop(on_numba):
    x, w = (numbers(shape) + 1j * numbers(shape) for shape in ((1, 2, 5), (2, 2, 3)))

    def step(x, _):
        return lax.conv(x, w, (1,), "SAME") / 8, None

    want = x
    for _ in range(3):
        want = step(want, None)[0]
    got = jax.jit(lambda x: lax.scan(step, x, None, length=3)[0])(x)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["spread out", "feature groups", "batch groups", "odd"])
def test_derivatives_against_differences(name):
    """Both operands at once, to second order."""
    with jax.enable_x64(True):
        f, *operands, _ = forms(name)
        xs = [np.asarray(x, float) for x in operands]
        vs = [RANDOM.normal(size=x.shape) for x in xs]

        def loss(x, w):
            return jnp.sum(jnp.sin(f(x, w) / 9))

        def along(*xs):
            return jax.jvp(loss, tuple(xs), tuple(vs))[1]

        def back(*xs):
            return sum(jnp.sum(g * v) for g, v in zip(jax.grad(loss, (0, 1))(*xs), vs, strict=True))

        np.testing.assert_allclose(along(*xs), directional(loss, xs, vs), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(back(*xs), along(*xs), rtol=1e-9, atol=1e-10)
        want = directional(along, xs, vs)
        for first in (along, back):
            second = jax.jvp(first, tuple(xs), tuple(vs))[1]
            np.testing.assert_allclose(second, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_conv_transpose_is_the_way_back(padding, strides):
    """With `transpose_kernel`, it is the transpose of the convolution with these strides."""
    x = numbers((2, 6, 6, 3) if padding == "SAME" else (2, 7, 9, 3))  # where strides go in
    w = numbers((3, 3, 3, 4))
    f = lambda x: lax.conv_general_dilated(x, w, strides, padding, None, None, LAST)  # noqa: E731
    y = numbers(f(x).shape)
    back = lax.conv_transpose(y, w, strides, padding, None, LAST, transpose_kernel=True)
    want = jax.vjp(f, x)[1](y)[0]
    assert back.shape == x.shape
    np.testing.assert_array_equal(back, want)


def test_patches_are_what_the_kernel_is_multiplied_by():
    x, w = numbers((2, 3, 5, 6)), numbers((4, 3, 2, 3))
    patches = lax.conv_general_dilated_patches(x, (2, 3), (2, 1), "SAME")
    found = jnp.tensordot(patches, w.reshape(4, -1), ((1,), (1,))).transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(found, lax.conv_general_dilated(x, w, (2, 1), "SAME"))


def test_one_product_is_no_sum():
    x = -jnp.zeros((1, 1, 2))
    assert np.signbit(lax.conv(x, jnp.ones((1, 1, 1)), (1,), "VALID")).all()


def test_convolutions_are_products_to_a_policy_of_checkpoint():
    policies = jax.checkpoint_policies
    assert policies.dots_saveable(lax.conv_general_dilated_p)
    assert not policies.dots_with_no_batch_dims_saveable(lax.conv_general_dilated_p)
    assert not policies.dots_saveable(lax.reduce_window_sum_p)


def test_the_cost_of_a_convolution():
    """Two operations for each product, as of dot_general."""
    x, w = jnp.ones((2, 3, 8, 8)), jnp.ones((4, 3, 3, 3))
    cost = jax.jit(lambda x, w: lax.conv(x, w, (1, 1), "VALID")).lower(x, w).cost_analysis()
    assert cost["flops"] == 2 * (2 * 4 * 6 * 6) * (3 * 3 * 3)
