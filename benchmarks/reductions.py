"""Reductions: many numbers to few, alone and within a row's formula."""

from benchmarks.data import normals


def softmax(lib, size=4000):
    """nn.softmax of `size` rows of 1,000 numbers."""
    return lib.jit(lambda x: lib.nn.softmax(x, axis=-1)), (normals(lib, size, 1000),)


def layernorm(lib, size=4000):
    """Each of `size` rows of 1,000 numbers less its mean, by its deviation, scaled and shifted."""
    def f(x, scale, shift):
        centred = x - lib.numpy.mean(x, axis=-1, keepdims=True)
        variance = lib.numpy.mean(centred**2, axis=-1, keepdims=True)
        return centred * lib.lax.rsqrt(variance + 1e-5) * scale + shift

    rows = [normals(lib, 1000, seed=seed) for seed in (1, 2)]
    return lib.jit(f), (normals(lib, size, 1000), *rows)


def logsumexp(lib, size=4000):
    """nn.logsumexp of `size` rows of 1,000 numbers."""
    return lib.jit(lambda x: lib.nn.logsumexp(x, axis=-1)), (normals(lib, size, 1000),)


def sum_of_all(lib, size=4_000_000):
    """One number from `size`."""
    return lib.jit(lib.numpy.sum), (normals(lib, size) + 1.0,)


def argmax(lib, size=4000):
    """Where the largest of each of `size` rows of 1,000 numbers is."""
    return lib.jit(lambda x: lib.numpy.argmax(x, axis=-1)), (normals(lib, size, 1000),)


WORKLOADS = (softmax, layernorm, logsumexp, sum_of_all, argmax)
