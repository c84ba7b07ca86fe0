"""Samplers beside JAX, number by number: in units in the last place, and not within a tolerance.

Two such units is what they may differ by, and four where a number is a quotient of such numbers.
With 64 bits XLA's own functions are that far from the truth (log1p 2 units, erf_inv 24; compiled
here, 1 and 4), which a square or a difference makes more of: 256 units, some 6e-14. Where a number
is what is left of larger ones, it is these whose last places count: their size is said below.
Integers are equal.
"""

import jax
import numpy as np
import pytest

import minijax

MANY = 2_000
# Each sampler's arguments behind the key, and the size of the numbers that it takes differences of.
SAMPLERS = {
    "uniform": ("({n},)", 0), "normal": ("({n},)", 0), "exponential": ("({n},)", 0),
    "laplace": ("({n},)", 0), "cauchy": ("({n},)", 0), "maxwell": ("({n},)", 0),
    "logistic": ("({n},)", 1), "gumbel": ("({n},)", 1),
    "truncated_normal": ("-1.0, 2.0, ({n},)", 4), "pareto": ("2.0, ({n},)", 0),
    "rayleigh": ("2.0, ({n},)", 0), "wald": ("0.5, ({n},)", 8), "lognormal": ("0.5, ({n},)", 0),
    "triangular": ("0.0, 1.0, 3.0, ({n},)", 3), "gamma": ("2.5, ({n},)", 0),
    "loggamma": ("2.5, ({n},)", 1), "beta": ("2.0, 3.0, ({n},)", 0),
    "chisquare": ("3.0, ({n},)", 0), "t": ("3.0, ({n},)", 0), "f": ("3.0, 4.0, ({n},)", 0),
    "weibull_min": ("2.0, 1.5, ({n},)", 0),
    "rademacher": ("({n},)", 0), "randint": ("({n},), 0, 1000", 0), "bits": ("({n},)", 0),
    "bernoulli": ("0.3, ({n},)", 0), "geometric": ("0.1, ({n},)", 0),
    "poisson": ("3.0, ({n},)", 0), "binomial": ("40, 0.3, ({n},)", 0),
    "orthogonal": ("3, ({n},)", 1),
    "multivariate_normal": ("np.zeros(2, np.float32), 2 * np.eye(2, dtype=np.float32), ({n},)", 4),
    "permutation": ("{n}", 0), "choice": ("1000, ({n},)", 0),
    "categorical": ("np.zeros(9, np.float32), -1, ({n},)", 0),
}  # fmt: skip


def drawn(library, name, setting, x64):
    with library.threefry_partitionable(setting), library.enable_x64(x64):
        arguments = eval(f"({SAMPLERS[name][0].format(n=MANY)},)", {"np": np})
        return np.asarray(getattr(library.random, name)(library.random.key(7), *arguments))


@pytest.mark.parametrize("setting, x64", [(True, False), (False, False), (True, True)])
@pytest.mark.parametrize("name", SAMPLERS)
def test_numbers_are_those_of_jax(name, setting, x64):
    got, want = (drawn(library, name, setting, x64) for library in (minijax, jax))
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
        return
    last_place = np.spacing(np.maximum(abs(want), want.dtype.type(SAMPLERS[name][1])))
    # (A beta is the exponential of a difference of logarithms, each right to two units.)
    units = 256 if x64 else {"f": 4, "beta": 8}.get(name, 2)
    assert (abs(got - want) / last_place).max() <= units
