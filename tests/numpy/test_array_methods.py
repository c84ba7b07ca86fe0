"""The methods of arrays and tracers are the functions of the same names."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp

X = np.array([[1.5, -2.0, 0.0], [4.0, 0.25, -1.0]], np.float32)
EXPRESSIONS = {
    "x.sum(1)": lambda x: x.sum(1),
    "x.mean(axis=0, keepdims=True)": lambda x: x.mean(axis=0, keepdims=True),
    "x.max()": lambda x: x.max(),
    "x.min(0)": lambda x: x.min(0),
    "x.var(ddof=1)": lambda x: x.var(ddof=1),
    "x.std(0)": lambda x: x.std(0),
    "x.any(1)": lambda x: x.any(1),
    "x.all()": lambda x: x.all(),
    "x.argmax(1)": lambda x: x.argmax(1),
    "x.argmin()": lambda x: x.argmin(),
    "x.dot(x.T)": lambda x: x.dot(x.T),
    "x.reshape(3, 2)": lambda x: x.reshape(3, 2),
    "x.reshape((3, -1))": lambda x: x.reshape((3, -1)),
    "x.reshape(-1)": lambda x: x.reshape(-1),
    "x.ravel()": lambda x: x.ravel(),
    "x.flatten()": lambda x: x.flatten(),
    "x.squeeze()": lambda x: x.squeeze(),
    "x.transpose()": lambda x: x.transpose(),
    "x.transpose(1, 0)": lambda x: x.transpose(1, 0),
    "x.transpose((1, 0))": lambda x: x.transpose((1, 0)),
    "x.T": lambda x: x.T,
    "x.mT": lambda x: x.mT,
    "x.swapaxes(0, 1)": lambda x: x.swapaxes(0, 1),
    "x.astype(int)": lambda x: x.astype(np.int32),
    "x.clip(0, 1)": lambda x: x.clip(0, 1),
    "x.clip(max=1)": lambda x: x.clip(max=1),
    "x.copy()": lambda x: x.copy(),
    "x.repeat(2, 1)": lambda x: x.repeat(2, 1),
    "x @ x.T": lambda x: x @ x.T,
    "x % 2": lambda x: x % 2,
    "5 % (x + 7)": lambda x: 5 % (x + 7),
    "x // 2": lambda x: x // 2,
    "5 // (x + 7)": lambda x: 5 // (x + 7),
    "divmod(x, 2)": lambda x: np.stack(divmod(x, 2)) if isinstance(x, np.ndarray)
    else jnp.stack(divmod(x, 2)),
    "x ** 2": lambda x: x**2,
    "2.0 ** x": lambda x: 2.0**x,
    "list(x)": lambda x: list(x)[1],
    "a, b = x": lambda x: (lambda a, b: a - b)(*x),
}  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_against_numpy(expression):
    f = EXPRESSIONS[expression]
    expected = f(X)
    np.testing.assert_allclose(f(jnp.asarray(X)), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jax.jit(f)(X), expected, rtol=1e-5, atol=1e-6)
    assert f(jnp.asarray(X)).shape == np.shape(expected)


def test_numpy_on_the_left_leaves_it_to_the_array():
    x = jnp.ones(3)
    for result in (np.ones(3) @ x, np.ones(3) % x, np.ones(3) ** x, np.float32(2) // x):
        assert isinstance(result, jnp.ndarray)


@pytest.mark.parametrize("other", [None, "a", [1, 2, 3]])
def test_operators_refuse_what_is_no_array(other):
    x = jnp.ones(3)
    for operation in (lambda: x @ other, lambda: x // other, lambda: x**other):
        with pytest.raises(TypeError):
            operation()
    with pytest.raises(TypeError):
        divmod(x, other)


def test_tracers_have_no_numbers():
    for f in (lambda x: x.item(), lambda x: x.tolist()):
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jax.jit(f)(1.0)
    assert jax.grad(lambda x: x * x.item())(3.0) == 3.0


def test_iteration_needs_an_axis():
    for x in (jnp.float32(1), 1.0):
        with pytest.raises(TypeError):
            jax.jit(lambda x: list(x))(x)
    with pytest.raises(TypeError):
        iter(jnp.float32(1))


def test_methods_have_names_and_help():
    assert jnp.ndarray.sum.__name__ == "sum" and "sum over" in jnp.ndarray.sum.__doc__
    assert "held between" in jnp.ndarray.clip.__doc__
