"""Compiled complex arithmetic gives what the interpreter does, up to rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax
import minijax.numpy as jnp
from kernel_runs import on_backend
from minijax import lax

NUMBERS = [0.0, -0.0, 1.0, -2.5, 0.3, np.inf, -np.inf, np.nan, 1e30, 1e-30]


def interpreted(fun, *args):
    with on_backend("numpy"):
        return np.asarray(minijax.jit(lambda *xs: fun(*xs))(*args))


def is_kernel(fun, *args):
    """Whether no loop of the compiled program is left to NumPy."""
    left = minijax.explain(fun)(*args).on_numpy()
    return not any(f", {name}:" in left for name in ("scan", "while", "cond"))


def random_numbers(shape, seed=0, dtype=np.complex64):
    draw = np.random.default_rng(seed).normal
    return (draw(size=shape) + 1j * draw(size=shape)).astype(dtype)


def assert_near(got, expected, factor=64):
    """Near by the sizes of the numbers: a part that cancels has the other's errors."""
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if got.dtype.kind in "bi":
        return np.testing.assert_array_equal(got, expected)
    size = np.abs(expected).max(initial=1e-30)
    bound = factor * np.finfo(got.dtype).eps * size
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)
    return None


STEPS = {
    "mul": lambda z, c: z * c, "add": lambda z, c: z + c, "sub": lambda z, c: c - z,
    "div": lambda z, c: z / (c + 3), "conj": lambda z, c: jnp.conj(z) + c,
    "abs": lambda z, c: z / (1 + jnp.abs(z)), "exp": lambda z, c: jnp.exp(-1j * z.real) * c,
    "log": lambda z, c: jnp.log(z + 4), "sqrt": lambda z, c: jnp.sqrt(z), "pow": lambda z, c: z**2,
    "where": lambda z, c: jnp.where(jnp.abs(z) < 1.5, z, c), "sin": lambda z, c: jnp.sin(c) - z,
    "roll": lambda z, c: jnp.roll(z, 1), "rev": lambda z, c: z[::-1] + c,
    "sum": lambda z, c: z + 0.1 * jnp.sum(c), "at": lambda z, c: z.at[1].add(c[0]),
    "index": lambda z, c: z[jnp.array([1, 0, 2])], "dot": lambda z, c: jnp.outer(z, c) @ c * 0.1,
    "parts": lambda z, c: lax.complex(z.imag, c.real), "is": lambda z, c: (z == c) + z * (z != c),
    "cond": lambda z, c: lax.cond(z[0].real > 0, lambda z: z * c, lambda z: -z, z),
    "normal": lambda z, c: z / jnp.sqrt(1 + jnp.sum(jnp.abs(z) ** 2)),
}  # fmt: skip


def in_loop(names, kind):
    def body(z, c):
        for name in names:
            z = STEPS[name](z, c)
        return z / (1 + jnp.max(jnp.abs(z)))

    def fun(z, c):
        if kind == "none":
            return body(z, c)
        if kind == "fori":
            return lax.fori_loop(0, 3, lambda _, z: body(z, c), z)
        if kind == "scan":
            return lax.scan(lambda z, x: (body(z, x), z), z, jnp.stack([c, 2 * c, -c]))[1]
        return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, body(s[1], c)), (0, z))[1]

    return fun


programs = st.builds(
    in_loop, st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.sampled_from(["none", "fori", "scan", "while"]),
)  # fmt: skip


@settings(max_examples=25)
@given(programs, st.sampled_from([np.complex64, np.complex128]), st.integers(0, 9))
def test_programs_of_complex_numbers(fun, dtype, seed):
    with minijax.enable_x64(True):
        z, c = random_numbers(3, seed, dtype), random_numbers(3, seed + 10, dtype)
        assert_near(np.asarray(minijax.jit(fun)(z, c)), interpreted(fun, z, c), 4096)
        assert is_kernel(fun, z, c)


@settings(max_examples=25)
@given(programs, st.integers(0, 9))
def test_mapped_and_differentiated_programs(fun, seed):
    z, c = random_numbers((2, 3), seed), random_numbers((2, 3), seed + 10)

    def tangent(z, c):
        return minijax.jvp(lambda z: minijax.vmap(fun)(z, c), (z,), (c,))[1]

    with minijax.enable_x64(True):
        z, c = z.astype(np.complex128), c.astype(np.complex128)
        assert_near(np.asarray(minijax.jit(tangent)(z, c)), interpreted(tangent, z, c), 1 << 20)


def test_the_gradient_through_a_loop():
    z, c = random_numbers(5), random_numbers(5, 1)

    def loss(z):
        step = lambda z, _: (z * z * 0.5 + c, jnp.sum(jnp.abs(z) ** 2))  # noqa: E731
        return jnp.sum(lax.scan(step, z, None, length=4)[1])

    fun = minijax.grad(loss)
    assert_near(np.asarray(minijax.jit(fun)(z)), interpreted(fun, z), 4096)
    assert is_kernel(fun, z)


def mapped(fun):
    """The function in a loop, whose steps are compiled."""
    return lambda *xs: lax.map(lambda x: fun(*x), xs)


UNARY = [
    jnp.abs, jnp.exp, jnp.log, jnp.square, jnp.conj, lambda z: z**3, jnp.tanh, jnp.tan, jnp.exp2,
    jnp.expm1, jnp.log1p, lax.logistic, lax.rsqrt, lax.asin, lax.acos, lax.atan, lax.asinh,
    lax.acosh, lax.atanh,
]  # fmt: skip


def agree(got, expected, rtol=1e-5):
    near = np.abs(got - expected) <= rtol * np.abs(expected)
    with np.errstate(invalid="ignore"):
        return (np.isnan(got) & np.isnan(expected)) | (got == expected) | near


# Older NumPys don't know the imaginary part that C gives to acosh of nan * 1j.
KNOWS_ACOSH = not np.isnan(np.arccosh(complex(0, np.nan)).imag)


@pytest.mark.parametrize("fun", [*UNARY, jnp.sqrt])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.filterwarnings("ignore")
def test_one_operand_and_its_infinities_and_nans(fun, dtype):
    with minijax.enable_x64(True):
        z = np.array([complex(re, im) for re in NUMBERS for im in NUMBERS], dtype)
        some = [size * random_numbers(300, dtype=dtype) for size in (1e-3, 0.3, 1, 9)]
        z = np.concatenate([z, *some]).astype(dtype)
        got, expected = np.asarray(minijax.jit(mapped(fun))(z)), interpreted(mapped(fun), z)
        size = np.abs(expected)  # a part that cancels has the other's errors
        near = np.isfinite(size) & (np.abs(got - expected) <= 10 * np.finfo(dtype).eps * size)
        for part in ("real", "imag"):
            parts = getattr(got, part), getattr(expected, part)
            ok = near | agree(*parts, 100 * np.finfo(dtype).eps)
            if fun.__name__ == "acosh" and not KNOWS_ACOSH:
                ok |= np.isnan(expected.real) & np.isnan(expected.imag)
            assert ok.all(), (z[~ok], got[~ok], expected[~ok])
        assert is_kernel(mapped(fun), z)


ARCS = ["asin", "acos", "atan", "asinh", "acosh", "atanh"]


@pytest.mark.parametrize("name", ARCS)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.filterwarnings("ignore")
def test_arcs_have_both_parts_digits_and_the_side_of_the_cut(name, dtype):
    """Each part for itself, against a wider number's: of all sizes, beside the cuts and the points
    where they end, and on them, where the sign of a zero says the side."""
    info, rng = np.finfo(dtype), np.random.default_rng(0)
    powers = np.exp(np.linspace(*np.log([float(info.tiny), float(info.max)]), 24))
    sizes = [0.0, *powers, 0.3, 2.0, float(info.max), float(info.smallest_subnormal),
             *(1 + k * float(info.eps) for k in (-1, 0, 1, 1000))]  # fmt: skip
    signed = [sign * x for x in sizes for sign in (1, -1)]
    grid = [complex(re, im) for re in signed for im in signed]
    turned = np.exp(1j * rng.uniform(0, 7, 99)) * (1 + 1e-6 * rng.normal(size=99))
    z = np.concatenate([grid, turned]).astype(dtype)
    with minijax.enable_x64(True):
        got = np.asarray(minijax.jit(mapped(getattr(lax, name)))(z))
    expected = getattr(np, name.replace("a", "arc", 1))(z.astype(np.clongdouble))
    for part in ("real", "imag"):
        x, y = getattr(got, part), getattr(expected, part)
        bound = 8 * np.maximum(np.abs(y) * info.eps, info.smallest_subnormal)
        ok = (np.abs(x - y) <= bound) | (x == y.astype(x.dtype))
        ok &= np.signbit(x) == np.signbit(y)
        assert ok.all(), (z[~ok], got[~ok], expected[~ok])


def test_the_angle_of_two_complex_numbers():
    z, w = random_numbers(300), random_numbers(300, 1)
    got, expected = minijax.jit(mapped(lax.atan2))(z, w), interpreted(mapped(lax.atan2), z, w)
    assert_near(np.asarray(got), expected)
    assert is_kernel(mapped(lax.atan2), z, w)


@pytest.mark.parametrize("fun", [lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x == y])
@pytest.mark.filterwarnings("ignore")
def test_infinities_and_nans_of_two_operands(fun):
    with minijax.enable_x64(True):
        z = np.array([complex(re, im) for re in NUMBERS for im in NUMBERS])
        x, y = (each.ravel() for each in np.meshgrid(z, z))
        got, expected = np.asarray(minijax.jit(mapped(fun))(x, y)), interpreted(mapped(fun), x, y)
        for part in ("real", "imag"):
            ok = agree(getattr(got, part).astype(float), getattr(expected, part).astype(float))
            assert ok.all(), (x[~ok], y[~ok], got[~ok], expected[~ok])


ORDERED = {
    "max": lax.max, "min": lax.min, "clamp": lambda x, y: lax.clamp(y, x, y * 2),
    "max with a number": lambda x, y: lax.max(lax.max(0.5 + 1j, x[None]), y),
    "eq_to": lambda x, y: lax.eq_to_p.bind(x, y),
}


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.filterwarnings("ignore")
def test_the_order_of_complex_numbers(name):
    numbers = [complex(re, im) for re in NUMBERS[:-2] for im in NUMBERS[:-2]]
    x, y = (each.ravel() for each in np.meshgrid(numbers, np.array(numbers, np.complex64)))
    fun = mapped(ORDERED[name])
    got = np.asarray(minijax.jit(fun)(x.astype(np.complex64), y))
    np.testing.assert_array_equal(got, interpreted(fun, x.astype(np.complex64), y))
    assert is_kernel(fun, x, y)


MODES = ["clip", "drop", "promise_in_bounds"]
SEQUENCES = {
    "iota": lambda z: z + lax.broadcasted_iota(z.dtype, z.shape, 1),
    **{f"sort {axis}": lambda z, axis=axis: lax.sort(z, axis) for axis in (0, 1)},
    "sort by complex keys": lambda z: lax.sort([z, z.T.reshape(z.shape), z.real], num_keys=2),
    "sort by floats": lambda z: lax.sort([z.imag, z, z + 1j], 0, num_keys=1),
    "argsort": lambda z: jnp.argsort(z, axis=None),
    **{f"{fun.__name__} {axis} {back}": lambda z, fun=fun, axis=axis, back=back: fun(z, axis, back)
       for fun in (lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp)
       for axis in (0, 1) for back in (0, 1)},
    **{f"{fun.__name__} {axes}": lambda z, fun=fun, axes=axes: fun(z, axes)
       for fun in (lax.reduce_prod, lax.reduce_max, lax.reduce_min)
       for axes in ([], [0], [1], [0, 1], [1, 0])},
    **{f"{fun} {mode}": lambda z, fun=fun, mode=mode: getattr(
        z.at[jnp.array([0, 1, 0, 1]) + (mode == "drop")], fun)(z[:, ::-1], mode=mode)
       for fun in ("multiply", "min", "max") for mode in MODES},
    **{f"{fun} everywhere": lambda z, fun=fun: getattr(
        z.at[jnp.array([[-9, 1], [2, 7]]), jnp.array([0, 1])], fun)(z[:2, :2], mode="clip")
       for fun in ("multiply", "min", "max")},
    "gather and fill": lambda z: z.at[jnp.array([3, 9])].get(mode="fill", fill_value=2 - 1j),
    "gather and fill by default": lambda z: z.at[jnp.array([3, 9])].get(mode="fill"),
    "multiply columns by one": lambda z: z.at[:, jnp.array([1, 1, 5])].multiply(z[:, :1]),
}  # fmt: skip


@pytest.mark.parametrize("name", SEQUENCES)
@pytest.mark.filterwarnings("ignore")
def test_what_combines_several_complex_numbers_is_a_kernel_in_a_loop(name):
    fun = lambda z: minijax.tree.leaves(mapped(SEQUENCES[name])(z))  # noqa: E731
    z = random_numbers((2, 4, 3))
    z[1] = np.round(z[1])  # equal real parts, zeros of both signs
    is_rounded = name.split()[0] in ("cumprod", "cumlogsumexp", "reduce_prod", "multiply")
    large, some = z * (8 if is_rounded else 1e30), np.where(abs(z) < 0.3, z * np.nan, z)
    for x in (z, z[:, ::-1, ::-1], large, some):
        for k, got in enumerate(map(np.asarray, minijax.jit(fun)(x))):
            expected = interpreted(lambda z, k=k: fun(z)[k], x)
            ok = agree(got, expected) if is_rounded else got == expected
            if "log" in name:  # one near 0 has the errors of its sum, which is near 1
                ok |= np.abs(got - expected) < 1e-6
            assert ok[~np.isnan(got)].all()
            np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    assert is_kernel(fun, z)
    if "by" not in name and "everywhere" not in name:
        empty = random_numbers((2, 4, 0))
        assert [x.shape for x in minijax.jit(fun)(empty)] == [x.shape for x in fun(empty)]


@pytest.mark.parametrize("c", [2.0, 0.0, -1.0, 1e-30, 1e30, np.inf, np.nan])
@pytest.mark.filterwarnings("ignore")
def test_a_size_beside_a_number(c):
    """Also where a square would leave the range, or one part is NaN beside infinity."""
    z = np.array([complex(re, im) for re in NUMBERS for im in NUMBERS], np.complex64)
    c = np.float32(c)
    for fun in (
        lambda z: jnp.abs(z) < c, lambda z: jnp.abs(z) >= c, lambda z: c < jnp.abs(z),
        lambda z: c >= jnp.abs(z), lambda z: jnp.abs(z) ** 2,
    ):  # fmt: skip
        loop = mapped(fun)
        got, expected = np.asarray(minijax.jit(loop)(z)), interpreted(loop, z)
        assert agree(got.astype(float), expected.astype(float)).all()


def test_a_comparison_takes_no_root():
    def fun(z):
        return lax.fori_loop(0, 3, lambda _, z: jnp.where(jnp.abs(z) < 2, z * z, z), z)

    assert "sqrt" not in str(minijax.explain(fun)(random_numbers(5)))
    beside = mapped(lambda z: jnp.where(jnp.abs(z) < 2, jnp.sqrt(2 - jnp.abs(z)), 0))
    assert "sqrt" in str(minijax.explain(beside)(random_numbers(5)))  # one size for both
    assert not np.isnan(minijax.jit(beside)(np.exp(1j * random_numbers(999).real) * 2)).any()


def test_what_has_no_rule_is_numpys():
    z = random_numbers((4, 4))
    for fun in (
        lambda z: jnp.sort(z * z + 1) * 2 + z, lambda z: (z * 2 + 1) @ (z - 1) @ z,
        lambda z: lax.top_k(jnp.abs(z * z + 1), 2)[0],
    ):  # fmt: skip
        assert_near(np.asarray(minijax.jit(fun)(z)), interpreted(fun, z))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3), (3, 1)])
def test_shapes_at_the_border(shape):
    z = random_numbers(shape)
    fun = lambda z: (jnp.exp(z) * 2j + z, z.real + z.imag, 1j * z.T)  # noqa: E731
    for k in range(3):
        one = lambda z: fun(z)[k]  # noqa: B023, E731
        assert_near(np.asarray(minijax.jit(one)(z)), interpreted(one, z))
    strided = random_numbers((6, 6))[::2, ::-3]
    one = lambda z: fun(z)[0]  # noqa: E731
    assert_near(np.asarray(minijax.jit(one)(strided)), interpreted(one, strided))
    assert minijax.jit(lambda z: z * 2 + 1)(1j).weak_type


def test_one_equation_is_left_to_numpy():
    z = random_numbers((3, 3))
    for fun in (lambda z: z * z, lambda z: z @ z, jnp.real, jnp.sort):
        shown = minijax.explain(fun)(z).show("simplified", "steps", "program")
        assert "floats_of_complex" not in str(shown)
