"""check_grads lets right derivatives pass, and wrong ones not. A tree as a vector, and back."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.flatten_util import ravel_pytree
from minijax.test_util import check_grads

X = np.array([0.3, -1.2, 2.0])


@pytest.mark.parametrize("modes", [["fwd"], ["rev"], ["lin"], ("fwd", "rev", "lin")])
def test_right_derivatives_pass(modes):
    with jax.enable_x64():
        check_grads(lambda x, t: jnp.sin(x) * t["a"], (X, {"a": X + 1}), order=2, modes=modes)
        check_grads(lambda z: z * z, (X + 1j,), order=1, modes=modes)


@pytest.mark.parametrize("mode", ["fwd", "rev", "lin"])
@pytest.mark.parametrize("wrong_order", [1, 2])
def test_wrong_derivatives_do_not(mode, wrong_order):
    f = jax.custom_jvp(jnp.sin)
    f.defjvp(lambda p, t: (f(*p), slope(*p) * t[0] * (1.01 if wrong_order == 1 else 1)))
    slope = jax.custom_jvp(jnp.cos)
    slope.defjvp(lambda p, t: (slope(*p), -1.01 * jnp.sin(p[0]) * t[0]))
    with jax.enable_x64():
        if wrong_order == 2:
            check_grads(f, (X,), order=1, modes=[mode])
        with pytest.raises(AssertionError, match={"fwd": "JVP", "rev": "VJP", "lin": "LIN"}[mode]):
            check_grads(f, (X,), order=2, modes=[mode])


def test_a_tree_as_a_vector_and_back():
    tree = {"a": np.arange(3, dtype=np.int32), "b": [np.float32(2.5), np.ones((2, 1), "float16")]}
    flat, unravel = ravel_pytree(tree)
    assert flat.shape == (6,) and flat.dtype == jnp.float32
    back = unravel(flat)
    assert back["a"].dtype == np.int32 and back["b"][1].shape == (2, 1)
    np.testing.assert_array_equal(back["a"], tree["a"])
    grads = jax.grad(lambda v: unravel(v * 2)["b"][0] * 3)(flat)
    np.testing.assert_array_equal(grads, [0, 0, 0, 6, 0, 0])
