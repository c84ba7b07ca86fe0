"""Numbers come first, so that each kernel that needs one can stand where its arrays are."""

import numpy as np

import minijax.numpy as jnp
from kernel_runs import interpreted
from minijax import make_jaxpr, tree
from minijax.compiler.executable import Executable
from minijax.compiler.special_cases.wider_kernels import numbers_first
from minijax.core.jitting import CompileOptions
from minijax.core.staging import check_jaxpr

LEAVES = [jnp.linspace(0.0, 1.0, 300) + k for k in range(6)]


def momentum(parameters, slopes, mean, count):
    """Leaf by leaf in three rounds, with a number that is made last."""
    mean = tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slopes)
    size = jnp.sqrt(1.0 - 0.9 ** (count + 1.0))
    return tree.map(lambda p, m: p - m / size, parameters, mean), mean


def test_a_pytree_is_updated_leaf_by_leaf():
    closed = make_jaxpr(momentum)(LEAVES, LEAVES, LEAVES, jnp.float32(2.0))
    program = Executable(closed, CompileOptions("momentum", ()))
    assert [step.space for step in program.steps] == [(), *[(300,)] * len(LEAVES)]
    args = *LEAVES, *LEAVES, *LEAVES, jnp.float32(2.0)
    for got, want in zip(program(*args), interpreted(closed, *args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_numbers_that_wait_for_arrays_stay_where_they_are():
    def f(x, t):
        y = jnp.sin(x)
        return y * (t + 1.0) + jnp.sum(y) * 3.0

    moved = numbers_first(make_jaxpr(f)(LEAVES[0], 1.0))
    check_jaxpr(moved.jaxpr)
    names = [str(eqn.primitive) for eqn in moved.eqns]
    assert names[0] == "add" and names.index("reduce_sum") > names.index("sin")
