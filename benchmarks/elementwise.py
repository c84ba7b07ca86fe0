"""Elementwise: a formula for each number of an array, where fusing saves trips to memory."""

import math

from benchmarks.data import normals, uniforms


def selu(lib, size=1_000_000):
    """A straight line above zero, exp below (Klambauer et al., 2017)."""
    def f(x):
        scale, alpha = 1.0507009873554805, 1.6732632423543772
        return scale * lib.numpy.where(x > 0, x, alpha * lib.numpy.exp(x) - alpha)

    return lib.jit(f), (normals(lib, size),)


def gelu(lib, size=1_000_000):
    """nn.gelu by its tanh."""
    return lib.jit(lambda x: lib.nn.gelu(x, approximate=True)), (normals(lib, size),)


def standardise(lib, size=10_000):
    """Ten columns of `size` numbers, each less its mean and by its deviation."""
    def f(x):
        return (x - lib.numpy.mean(x, axis=0)) / lib.numpy.std(x, axis=0)

    return lib.jit(f), (normals(lib, size, 10),)


def squared_error(lib, size=500):
    """The mean squared difference of two matrices of `size` by `size`."""
    def f(x, y):
        return lib.numpy.mean((x - y) ** 2)

    return lib.jit(f), (normals(lib, size, size), normals(lib, size, size, seed=1))


def black_scholes(lib, size=1_000_000):
    """Prices of `size` European calls (Black and Scholes, 1973): log, exp, sqrt and erf."""
    def below(x):
        return 0.5 + 0.5 * lib.lax.erf(x / math.sqrt(2.0))

    def price(spot, strike, years, rate=0.02, volatility=0.3):
        spread = volatility * lib.numpy.sqrt(years)
        d = (lib.numpy.log(spot / strike) + (rate + volatility**2 / 2) * years) / spread
        return spot * below(d) - strike * lib.numpy.exp(-rate * years) * below(d - spread)

    spot, strike = (uniforms(lib, size, low=10.0, high=50.0, seed=seed) for seed in (0, 1))
    return lib.jit(price), (spot, strike, uniforms(lib, size, low=0.2, high=2.0, seed=2))


WORKLOADS = (selu, gelu, standardise, squared_error, black_scholes)
