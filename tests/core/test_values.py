"""Values: which are numbers and arrays, and which traced ones Python may ask for their value."""

import enum

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import ArrayImpl, Trace, Tracer, new_trace, trace_ctx, typeof
from minijax.errors import (
    ConcretizationTypeError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
)

# A concrete value may be asked under grad and jvp, as in JAX; not where there is none.


ASKS = {
    "int": lambda x: int(x) * x, "bool": lambda x: bool(x) * x, "item": lambda x: x.item() * x,
    "if": lambda x: x * 3.0 if x > 2 else x, "index": lambda x: [1, 2, 3, 4][x.astype(int)] * x,
    "int of a jit": lambda x: int(jnp.sin(x) + 3) * x, "range": lambda x: len(range(int(x))) * x,
    "while": lambda x: x * 3.0 if not x < 1 else x, "and": lambda x: (x > 0 and x) * 3.0,
    "int of an operation": lambda x: int(lax.add(x, 0.5)) * x,
}  # fmt: skip
SLOPES = {"bool": 1.0, "index": 4.0}
DIFFERENTIATED = {
    "grad": lambda f: jax.grad(f)(3.0), "jvp": lambda f: jax.jvp(f, (3.0,), (1.0,))[1],
    "linearize": lambda f: jax.linearize(f, 3.0)[1](1.0),
    "vjp": lambda f: jax.vjp(f, 3.0)[1](1.0)[0],
    "value_and_grad": lambda f: jax.value_and_grad(f)(3.0)[1],
    "jvp(grad)": lambda f: jax.jvp(jax.grad(lambda x: f(x) * x), (3.0,), (1.0,))[1] / 2,
    "grad(grad)": lambda f: jax.grad(jax.grad(lambda x: f(x) * x))(3.0) / 2,
    "vmap of a grad of a constant": lambda f: jax.vmap(lambda y: jax.grad(f)(3.0) + 0 * y)(
        np.zeros(2, np.float32))[0],
    "grad with aux": lambda f: jax.grad(lambda x: (f(x), x), has_aux=True)(3.0)[0],
}  # fmt: skip


@pytest.mark.parametrize("how", DIFFERENTIATED)
@pytest.mark.parametrize("ask", ASKS)
def test_a_concrete_value_may_be_asked(ask, how):
    assert float(DIFFERENTIATED[how](ASKS[ask])) == SLOPES.get(ask, 3.0)


UNKNOWN = {
    "jit": lambda f: jax.jit(f)(3.0), "vmap": lambda f: jax.vmap(f)(np.full(2, 3, np.float32)),
    "make_jaxpr": lambda f: jax.make_jaxpr(f)(3.0),
    "jit(grad)": lambda f: jax.jit(jax.grad(f))(3.0),
    "grad(jit)": lambda f: jax.grad(jax.jit(f))(3.0),
    "eval_shape": lambda f: jax.eval_shape(f, 3.0),
    "vmap(grad)": lambda f: jax.vmap(jax.grad(f))(np.full(2, 3, np.float32)),
    "grad(vmap)": lambda f: jax.grad(lambda x: jnp.sum(jax.vmap(f)(x)))(jnp.ones(2)),
    "jvp(jit)": lambda f: jax.jvp(jax.jit(f), (3.0,), (1.0,)),
    "jit(vmap(jvp))": lambda f: jax.jit(jax.vmap(lambda x: jax.jvp(f, (x,), (x,))))(jnp.ones(2)),
}  # fmt: skip


@pytest.mark.parametrize("how", UNKNOWN)
@pytest.mark.parametrize("ask", ASKS)
def test_a_value_that_is_not_known_may_not(ask, how):
    with pytest.raises((ConcretizationTypeError, TracerIntegerConversionError)):
        UNKNOWN[how](ASKS[ask])


def test_the_classes_of_what_is_refused():
    for ask, error in [(int, ConcretizationTypeError), (bool, TracerBoolConversionError),
                       (lambda x: [1, 2][x], TracerIntegerConversionError)]:  # fmt: skip
        with pytest.raises(error):
            jax.jit(ask)(1)


@pytest.mark.parametrize("ask, error", [
    (float, ConcretizationTypeError), (complex, ConcretizationTypeError),
    (np.asarray, TracerArrayConversionError), (np.sin, TracerArrayConversionError),
    (lambda x: x.tolist(), ConcretizationTypeError), (hash, TypeError),
])  # fmt: skip
def test_what_jax_refuses_everywhere(ask, error):
    """float would drop a derivative without a word; so would NumPy's functions."""
    for how in ("grad", "jvp", "linearize"):
        with pytest.raises(error):
            DIFFERENTIATED[how](lambda x: ask(x) * x)


def test_what_is_asked_is_the_value_and_what_follows_is_differentiated():
    seen = []

    def f(x):
        seen.append((int(x), int(x * x), bool(x - x), (x * 2).item()))
        return x**3 if x > 1.5 else x

    for x, slope in ((2.0, 12.0), (1.0, 1.0)):
        assert float(jax.grad(f)(x)) == slope
    assert seen == [(2, 4, False, 4.0), (1, 1, False, 2.0)]


def test_a_value_of_several_numbers_is_no_bool():
    for transform in (jax.grad, jax.jit):
        with pytest.raises(ValueError, match="bool"):
            transform(lambda x: jnp.sum(x) if x > 0 else x)(jnp.ones(3))


def test_a_readers_tracer_that_carries_a_value_may_be_asked():
    class Named(Tracer):
        __slots__ = ("val",)
        aval = property(lambda self: typeof(self.val))

        def __init__(self, trace, val):
            super().__init__(trace)
            self.val = val

        def to_concrete_value(self):
            return self.val

    three = jnp.asarray(3)
    with new_trace(Trace()) as trace:
        x = Named(trace, three)
        assert int(x) == 3 and bool(x) and [0, 1, 2, 3][x] == 3
    assert trace_ctx.trace is not trace


# Values whose class derives from a known one. As JAX 0.10.2: their dtype, and whether it is weak.


class Level(enum.IntEnum):
    LOW = 2
    HIGH = 3


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Metres(float):
    pass


class Count(int):
    pass


class Phasor(complex):
    pass


class Tagged(np.ndarray):
    pass


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    path = tmp_path_factory.mktemp("values") / "array"
    np.arange(1, 4, dtype=np.float32).tofile(path)
    return np.memmap(path, np.float32, "r+", shape=(3,))


NUMBERS = {
    "IntEnum": (Level.HIGH, "int32", True), "IntFlag": (Flags.A | Flags.B, "int32", True),
    "float": (Metres(2.5), "float32", True), "int": (Count(7), "int32", True),
    "complex": (Phasor(1 + 2j), "complex64", True), "np.bool": (np.bool_(True), "bool", False),
    "np.longlong": (np.longlong(3), "int32", False),
    "np.float64": (np.float64(2.5), "float32", False),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_derived_classes(name):
    x, dtype, weak_type = NUMBERS[name]
    value = x.value if isinstance(x, enum.Enum) else x
    assert (typeof(x).shape, typeof(x).dtype, typeof(x).weak_type) == ((), dtype, weak_type)
    ones = jnp.ones(3)
    for got in (jnp.asarray(x), jax.jit(lambda y: y)(x), jax.jit(lambda: x)()):
        assert type(got) is ArrayImpl and got == value
        assert (got.dtype, got.weak_type) == (dtype, weak_type)
    want = np.full(3, value)
    for got in (
        ones * x, x * ones, jax.jit(lambda y: y * x)(ones), jax.vmap(lambda y: y * x)(ones),
        jax.jvp(lambda y: y * x, (ones,), (ones,))[1], jax.jit(jnp.multiply)(ones, x),
    ):  # fmt: skip
        np.testing.assert_allclose(got, want)
    assert jax.jit(lambda y, n: y * n, static_argnums=1)(ones, x).shape == (3,)


def test_numbers_of_derived_classes_are_literals():
    for x, text in ((Level.HIGH, "3.0:f32[]"), (Metres(2.5), "2.5:f32[]"), (Count(7), "7.0:f32[]")):
        assert str(jax.make_jaxpr(lambda y, x=x: y * x)(jnp.ones(3))) == (
            f"{{ lambda ; a:f32[3]. let b:f32[3] = mul a {text} in (b,) }}")  # fmt: skip


def test_derivatives_by_a_derived_float():
    assert float(jax.grad(lambda x: x * x)(Metres(2.5))) == 5.0
    out, out_dot = jax.jvp(lambda x: x * x, (Metres(2.5),), (Metres(1.0),))
    assert (float(out), float(out_dot)) == (6.25, 5.0)
    with pytest.raises(TypeError):
        jax.grad(lambda x: x * 1.0)(Level.HIGH)


def test_arrays_of_derived_classes(mapped):
    for a in (mapped, np.arange(1, 4, dtype=np.float32).view(Tagged)):
        want, ones = np.array(a, subok=False), jnp.ones(3)
        assert typeof(a) is typeof(want)
        for got in (
            jnp.asarray(a), jax.jit(lambda x: x)(a), jax.jit(lambda a=a: a)(), lax.mul(a, ones),
            jax.jit(lambda x, a=a: x * a)(ones), jax.vmap(lambda x: x * 1)(a), a * ones,
            jax.grad(lambda x, a=a: jnp.sum(x * a))(ones), ones * a,
        ):  # fmt: skip
            assert type(got) is ArrayImpl and type(np.asarray(got)) is np.ndarray
            np.testing.assert_array_equal(got, want)


def test_a_mapped_file_that_changes(mapped):
    f = jax.jit(lambda x: x * mapped)
    assert f(jnp.ones(3)).tolist() == [1.0, 2.0, 3.0]
    x = jnp.asarray(mapped)
    mapped[:] = 0
    assert f(jnp.ones(3)).tolist() == [1.0, 2.0, 3.0] == x.tolist()
    mapped[:] = [1, 2, 3]


@pytest.mark.parametrize("x", ["a", None, object(), {1}, b"a", np.array(["a"]), type])
def test_what_is_no_value(x):
    with pytest.raises(TypeError):
        typeof(x)
    if x is not None:  # a pytree without leaves
        with pytest.raises(TypeError):
            jax.jit(lambda y: y)(x)


def test_a_masked_array_is_refused():
    with pytest.raises(ValueError, match="mask"):
        jax.jit(lambda x: x)(np.ma.masked_array([1.0, 2.0], [True, False]))
