"""Loops: many short iterations, where what stands around an iteration decides."""

import numpy as np

from benchmarks.data import normals, uniforms, weights


def scan_of_small_steps(lib, size=10_000):
    """A scan of `size` steps, each of three operations on ten numbers."""
    def step(carry, x):
        carry = 0.9 * carry + lib.numpy.sin(x)
        return carry, carry

    @lib.jit
    def run(start, xs):
        return lib.lax.scan(step, start, xs)

    return run, (lib.numpy.zeros(10), normals(lib, size, 10))


def lstm(lib, size=100):
    """A cell of 64 units (Hochreiter and Schmidhuber, 1997) over `size` steps of 16 sequences."""
    def step(carry, x):
        (h, c), (w, u, b) = carry, parameters
        i, f, o, g = lib.numpy.split(x @ w + h @ u + b, 4, axis=-1)
        c = lib.nn.sigmoid(f) * c + lib.nn.sigmoid(i) * lib.numpy.tanh(g)
        h = lib.nn.sigmoid(o) * lib.numpy.tanh(c)
        return (h, c), h

    @lib.jit
    def run(start, xs):
        return lib.lax.scan(step, start, xs)[1]

    parameters = weights(lib, 64, 256), weights(lib, 64, 256, seed=1), lib.numpy.zeros(256)
    zeros = lib.numpy.zeros((16, 64))
    return run, ((zeros, zeros), normals(lib, size, 16, 64, seed=2))


def newton(lib, size=1000):
    """Square roots of `size` numbers by Newton's steps, in a while_loop, till none moves much."""
    def unsettled(state):
        x, before, count = state
        return (count < 50) & lib.numpy.any(lib.numpy.abs(x - before) > 1e-6 * x)

    @lib.jit
    def roots(a):
        def step(state):
            x, _, count = state
            return 0.5 * (x + a / x), x, count + 1

        return lib.lax.while_loop(unsettled, step, (a, lib.numpy.zeros_like(a), 0))[0]

    return roots, (uniforms(lib, size, low=1.0, high=1000.0),)


def mandelbrot(lib, size=200):
    """For `size` by `size` points, in how many of 50 steps z*z + c has stayed within 2."""
    @lib.jit
    def count(a, b):
        def step(_, state):
            x, y, steps = state
            inside = x * x + y * y <= 4.0
            x, y = x * x - y * y + a, 2.0 * x * y + b
            kept = lib.numpy.clip(x, -1e3, 1e3), lib.numpy.clip(y, -1e3, 1e3)
            return *kept, steps + inside.astype(lib.numpy.int32)

        start = lib.numpy.zeros_like(a), lib.numpy.zeros_like(a)
        return lib.lax.fori_loop(0, 50, step, (*start, lib.numpy.zeros(a.shape, "int32")))[2]

    points = np.meshgrid(*[np.linspace(-2.0, 1.2, size, dtype=np.float32) for _ in range(2)])
    return count, tuple(lib.numpy.asarray(x) for x in points)


WORKLOADS = (scan_of_small_steps, lstm, newton, mandelbrot)
