"""Grids whose points read their neighbours, or nothing but themselves."""

import numpy as np

from benchmarks.data import normals, uniforms


def plane(lib, size):
    """`size` by `size` complex numbers around Mandelbrot's set."""
    x, y = np.meshgrid(np.linspace(-2.0, 0.6, size), np.linspace(-1.3, 1.31, size))
    return lib.numpy.asarray((x + 1j * y).astype(np.complex64))


def mandelbrot_masks(lib, size=50):
    """Mandelbrot's set by real and imaginary parts: 50 steps, points that left stand still."""
    jnp = lib.numpy

    @lib.jit
    def count(a, b):
        def step(_, state):
            x, y, steps = state
            inside = x**2 + y**2 < 4.0
            x, y = (jnp.where(inside, x**2 - y**2 + a, x), jnp.where(inside, 2 * x * y + b, y))
            return x, y, jnp.where(inside, steps + 1, steps)

        start = jnp.zeros_like(a), jnp.zeros_like(b), jnp.zeros(a.shape, jnp.int32)
        return lib.lax.fori_loop(0, 50, step, start)[2]

    c = plane(lib, size)
    return count, (jnp.real(c), jnp.imag(c))


def mandelbrot_complex(lib, size=50):
    """Mandelbrot's set in complex64: 50 steps, points that left stand still."""
    jnp = lib.numpy

    @lib.jit
    def count(c):
        def step(_, state):
            z, steps = state
            inside = jnp.abs(z) < 2
            return jnp.where(inside, z * z + c, z), steps + inside

        start = jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)
        return lib.lax.fori_loop(0, 50, step, start)[1]

    return count, (plane(lib, size),)


def game_of_life(lib, size=32):
    """100 generations on a torus of `size` by `size` cells."""
    jnp = lib.numpy

    @lib.jit
    def run(cells):
        def step(_, cells):
            around = sum(jnp.roll(cells, (i, j), (0, 1))
                         for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
            return ((around == 3) | ((cells == 1) & (around == 2))).astype(jnp.int32)

        return lib.lax.fori_loop(0, 100, step, cells)

    return run, ((uniforms(lib, size, size) < 0.3).astype(jnp.int32),)


def heat(lib, size=32):
    """100 steps of the heat equation inside a plate whose rim stays as it is."""
    @lib.jit
    def run(u):
        def step(_, u):
            inner = u[1:-1, 1:-1]
            change = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner
            return u.at[1:-1, 1:-1].set(inner + 0.2 * change)

        return lib.lax.fori_loop(0, 100, step, u)

    return run, (uniforms(lib, size, size),)


def wave(lib, size=32):
    """100 steps of the wave equation on a torus."""
    jnp = lib.numpy

    @lib.jit
    def run(u, before):
        def step(state, _):
            u, before = state
            laplace = (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0)
                       + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4.0 * u)
            after = 2.0 * u - before + 0.1 * laplace
            return (after, u), jnp.max(jnp.abs(after))

        return lib.lax.scan(step, (u, before), None, length=100)

    u = normals(lib, size, size)
    return run, (u, u)


def horizontal_diffusion(lib, size=32):
    """Limited fluxes of a weather model: `size` by `size` points, in 16 layers."""
    jnp = lib.numpy

    @lib.jit
    def diffuse(field, coefficient):
        laplace = 4.0 * field[1:-1, 1:-1] - (
            field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
        across = laplace[1:, 1:-1] - laplace[:-1, 1:-1]
        across = jnp.where(across * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0.0, across)
        along = laplace[1:-1, 1:] - laplace[1:-1, :-1]
        along = jnp.where(along * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0.0, along)
        return field[2:-2, 2:-2] - coefficient * (
            across[1:] - across[:-1] + along[:, 1:] - along[:, :-1])

    return diffuse, (normals(lib, size, size, 16), uniforms(lib, size - 4, size - 4, 16))


def jacobi(lib, size=32):
    """Poisson's equation by Jacobi's steps till none moves much, at most 200."""
    jnp = lib.numpy

    @lib.jit
    def solve(source):
        def step(state):
            u, _, count = state
            wide = lib.lax.pad(u, 0.0, [(1, 1, 0), (1, 1, 0)])
            new = 0.25 * (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
                          + source)
            return new, jnp.max(jnp.abs(new - u)), count + 1

        def unsettled(state):
            return (state[1] > 1e-6) & (state[2] < 200)

        return lib.lax.while_loop(unsettled, step, (jnp.zeros_like(source), jnp.inf, 0))[0]

    return solve, (normals(lib, size, size),)


VELOCITIES = np.array(
    [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
SHARES = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)


def lattice_boltzmann(lib, size=32):
    """20 steps of a fluid of nine velocities on a torus of `size` by `size`: relax and stream."""
    jnp = lib.numpy
    velocities, shares = VELOCITIES.astype(np.float32), SHARES[:, None, None]

    def equilibrium(density, flow):
        along = jnp.tensordot(velocities, flow, 1)
        squared = jnp.sum(flow**2, axis=0)
        return shares * density * (1.0 + 3.0 * along + 4.5 * along**2 - 1.5 * squared)

    @lib.jit
    def run(f):
        def step(_, f):
            density = jnp.sum(f, axis=0)
            flow = jnp.tensordot(velocities.T, f, 1) / density
            f = f - 0.6 * (f - equilibrium(density, flow))
            return jnp.stack([jnp.roll(g, tuple(map(int, c)), (0, 1))
                              for g, c in zip(f, VELOCITIES, strict=True)])

        return lib.lax.fori_loop(0, 20, step, f)

    return run, (shares * (1.0 + 0.1 * uniforms(lib, 9, size, size)),)


SIZES = {mandelbrot_masks: (40, 400), mandelbrot_complex: (40, 400), game_of_life: (24, 256),
         heat: (32, 400), wave: (32, 300), horizontal_diffusion: (32, 400), jacobi: (24, 200),
         lattice_boltzmann: (24, 128)}
