"""References beside JAX, in every nesting of jit, vmap, grad and scan to depth three.

A function makes its references inside, or is given one that it writes to. Where JAX has no answer,
ours is compared with what a loop over the examples gives, or left out.
"""

import itertools

import jax
import jax.numpy
import jax.ref
import numpy as np
import pytest

import minijax
import minijax.numpy
import minijax.ref

X = np.array([0.25, 1.5, -0.75], np.float32)


def counted(package, x):
    """A running sum, at places that move."""
    ref = package.new_ref(package.numpy.zeros(3))

    def step(total, i):
        ref[i] = package.numpy.sin(x[i]) + total
        return total + ref[i] * x[0], None

    total, _ = package.lax.scan(step, 1.0, package.numpy.arange(3))
    return ref[...] * total


def swapped(package, x):
    ref = package.new_ref(x)
    old = package.ref.swap(ref, slice(0, 2), x[1:] * 2.0)
    package.ref.addupdate(ref, 0, old.sum())
    ref[1] = ref[0] * ref[2]
    return ref[...]


def gathered(package, x):
    ref, places = package.new_ref(x * x), package.numpy.array([2, 0])
    package.ref.addupdate(ref, places, ref[places] * x[:2])
    return ref[...] + ref[places].sum()


def chosen(package, x):
    ref = package.new_ref(x)

    def write():
        ref[...] = ref[...] * x

    package.lax.cond(True, write, lambda: None)
    return package.freeze(ref)


FUNCTIONS = (counted, swapped, gathered, chosen)


def steps_of(package):
    """Each makes a function of the same kind out of one: of three numbers, three numbers."""
    jnp = package.numpy
    rows = jnp.array([[1.0], [2.0]])

    def in_steps(f):
        """A reference outside of the loop takes the results of all its steps."""

        def of_x(x):
            total = package.new_ref(jnp.zeros(3))

            def step(carry, row):
                package.ref.addupdate(total, ..., f(x * row))
                return carry, None

            package.lax.scan(step, None, rows)
            return total[...]

        return of_x

    return {
        "jit": package.jit,
        "vmap": lambda f: lambda x: package.vmap(f)(x * rows).sum(0),
        "grad": lambda f: package.grad(lambda x: f(x).sum()),
        "scan": in_steps,
    }


def nested(package, function, names):
    f = lambda x: function(package, x)  # noqa: E731
    for name in reversed(names):
        f = steps_of(package)[name](f)
    return np.asarray(f(package.numpy.asarray(X)))


NESTINGS = [
    names for depth in (1, 2, 3)
    for names in itertools.product(("jit", "vmap", "grad", "scan"), repeat=depth)
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("first", range(4))
def test_nestings_beside_jax(function, first):
    compared = 0
    for names in NESTINGS[first::4]:
        mine = nested(minijax, function, names)
        try:
            theirs = nested(jax, function, names)
        except Exception:  # an accident of JAX's
            continue
        compared += 1
        np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=1e-5, err_msg=str(names))
    assert compared > 10
