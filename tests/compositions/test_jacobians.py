"""jacfwd, jacrev, hessian and value_and_grad against differences, over the table of functions."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from composition_functions import CASES, MINIJAX, NUMPY
from composition_meanings import is_floating, potential
from minijax import tree
from numerics import gradient

MODES = {
    "jacfwd": (jax.jacfwd, jax.jacfwd),
    "jacrev": (jax.jacrev, jax.jacrev),
    "jacfwd of jacrev": (jax.jacfwd, jax.jacrev),
    "jacrev of jacfwd": (jax.jacrev, jax.jacfwd),
}
FLOATING = [case for case in CASES if all(map(is_floating, tree.leaves(case.args)))]
cases = pytest.mark.parametrize("case", FLOATING, ids=lambda case: case.name)
modes = pytest.mark.parametrize("mode", MODES)


@pytest.fixture(autouse=True)
def in_float64(every_jaxpr_typechecks):
    with jax.enable_x64(True):
        yield


def outputs(case):
    """The function of the case from leaves to a list of leaves, in minijax and in NumPy."""
    treedef = tree.structure(case.args)

    def of(function, namespace):
        return lambda *xs: tree.leaves(function(namespace, *tree.unflatten(treedef, xs)))

    return of(case.function, MINIJAX), of(case.by_hand or case.function, NUMPY)


def jacobian(f, xs) -> list:
    """For each output of `f`, for each argument, the derivatives: output's axes first."""
    blocks = []
    for number, y in enumerate(f(*xs)):
        rows = [
            gradient(lambda *xs, n=number, k=k: np.ravel(f(*xs)[n])[k], xs)
            for k in range(np.size(y))
        ]
        blocks.append([
            np.stack(column).reshape(np.shape(y) + column[0].shape)
            for column in zip(*rows, strict=True)
        ])
    return blocks


def second_derivatives(f, xs) -> list:
    def slopes(*xs):
        return gradient(lambda *xs: potential(f(*xs), np), list(xs))

    return jacobian(slopes, xs)


def assert_close(got, want):
    got, want = tree.leaves(got), tree.leaves(want)
    assert len(got) == len(want)
    for x, y in zip(got, want, strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(np.asarray(x), np.asarray(y, float), rtol=1e-6, atol=1e-6)


@cases
@modes
def test_first_derivatives(case, mode):
    _, jac = MODES[mode]
    f, f_numpy = outputs(case)
    leaves = tree.leaves(case.args)
    argnums = tuple(range(len(leaves)))
    got = jac(f, argnums)(*map(jnp.asarray, leaves))
    assert_close(got, jacobian(f_numpy, leaves))


@cases
@modes
def test_second_derivatives(case, mode):
    outer, inner = MODES[mode]
    f, f_numpy = outputs(case)
    leaves = tree.leaves(case.args)
    argnums = tuple(range(len(leaves)))

    def scalar(*xs):
        return potential(f(*xs), jnp)

    got = outer(inner(scalar, argnums), argnums)(*map(jnp.asarray, leaves))
    assert_close(got, second_derivatives(f_numpy, leaves))


@cases
def test_hessian(case):
    f, f_numpy = outputs(case)
    leaves = tree.leaves(case.args)
    got = jax.hessian(lambda *xs: potential(f(*xs), jnp), tuple(range(len(leaves))))(
        *map(jnp.asarray, leaves))
    assert_close(got, second_derivatives(f_numpy, leaves))


@cases
def test_value_and_grad(case):
    f, f_numpy = outputs(case)
    leaves = tree.leaves(case.args)

    def scalar(*args):
        ys = tree.leaves(case.function(MINIJAX, *args))
        return potential(ys, jnp), {"outputs": ys}

    argnums = tuple(range(len(case.args)))
    args = tree.map(jnp.asarray, case.args)
    (value, aux), grads = jax.value_and_grad(scalar, argnums, has_aux=True)(*args)
    assert tree.structure(grads) == tree.structure(args)
    ys = [np.asarray(y) for y in f_numpy(*leaves)]
    assert_close(value, potential(ys, np))
    assert_close(aux["outputs"], ys)
    assert_close(grads, gradient(lambda *xs: potential(f_numpy(*xs), np), leaves))
