"""Products of scaled operands: beside NumPy's, under every vmap, in loops, and without scales."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from kernel_runs import mapped_by_scan
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.core.dtypes import dtype_registry
from minijax.core.jitting import CompileOptions

RANDOM = np.random.default_rng(0)
# Whole numbers: each product and sum of them is one that bfloat16 has.
OPERANDS = [RANDOM.integers(-2, 3, shape).astype("float32")
            for shape in ((4, 2, 8), (4, 8, 3), (4, 2, 4), (4, 2, 3))]  # fmt: skip
MAPPED = [axes for axes in itertools.product((0, None), repeat=4) if 0 in axes]


def scaled_dot(x, y, s, t, dtype="float32"):
    return lax.scaled_dot(x, y, lhs_scale=s, rhs_scale=t, preferred_element_type=dtype)


def by_numpy(x, y, s, t):
    return (x * np.repeat(s, 2, -1)) @ (y * np.repeat(t, 4, -2))


@pytest.mark.parametrize("axes", MAPPED)
def test_every_vmap(axes):
    """Of what is not mapped, the first."""
    given = [x[0] if d is None else x for x, d in zip(OPERANDS, axes, strict=True)]
    out = jax.vmap(scaled_dot, axes)(*given)
    for i in range(4):
        own = [x[0 if d is None else i] for x, d in zip(OPERANDS, axes, strict=True)]
        np.testing.assert_array_equal(out[i], by_numpy(*own))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_a_loop_holds_it(dtype):
    xs = [jnp.asarray(x, dtype) for x in OPERANDS]
    program = Executable(jax.make_jaxpr(mapped_by_scan(scaled_dot))(*xs), CompileOptions("p", ()))
    steps = zip(program.steps, program.sources, strict=True)
    assert "scan" not in [str(step.eqn.primitive) for step, source in steps if source is None]
    np.testing.assert_array_equal(program(*xs)[0], by_numpy(*OPERANDS))
    np.testing.assert_array_equal(scaled_dot(*xs), by_numpy(*OPERANDS))


HAS_POWERS = np.dtype(ml_dtypes.float8_e8m0fnu) in dtype_registry


@pytest.mark.skipif(not HAS_POWERS, reason="scales of ones are float8_e8m0fnu")
def test_what_has_no_scale_is_as_it_is():
    x, y, s, t = OPERANDS
    ones = np.ones_like(s), np.ones_like(t)
    for got, own in ((lax.scaled_dot(x, y), ones),
                     (lax.scaled_dot(x, y, lhs_scale=s), (s, ones[1])),
                     (lax.scaled_dot(x, y, rhs_scale=t), (ones[0], t))):  # fmt: skip
        assert got.dtype == "bfloat16"
        np.testing.assert_array_equal(got.astype("float32"), by_numpy(x, y, *own))


def test_scaled_matmul_has_a_type_and_runs_nowhere():
    x = jnp.ones((2, 3, 8))
    run = lambda x: jax.nn.scaled_matmul(x, x, x, x, "bfloat16")  # noqa: E731
    assert str(jax.eval_shape(run, x)) == "ShapeDtypeStruct(shape=(2, 3, 3), dtype=bfloat16)"
    for call in (run, jax.jit(run), lambda x: jax.vmap(run)(x[None])):
        with pytest.raises(NotImplementedError, match="a GPU's"):
            call(x)
