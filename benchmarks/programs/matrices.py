"""Matrices: powers, linear systems and a factorisation written out."""

from benchmarks.data import normals, uniforms, weights


def positive(lib, size):
    """A well-conditioned positive definite matrix."""
    a = weights(lib, size, size)
    return a @ a.T + lib.numpy.eye(size)


def matrix_powers(lib, size=16):
    """The largest eigenvalue by twenty products of a matrix with itself, each scaled."""
    jnp = lib.numpy

    @lib.jit
    def largest(a):
        def step(_, m):
            m = m @ m
            return m / jnp.sqrt(jnp.sum(m**2))

        m = lib.lax.fori_loop(0, 20, step, a)
        return jnp.trace(a @ m) / jnp.trace(m)

    return largest, (uniforms(lib, size, size),)


def conjugate_gradients(lib, size=50):
    """A positive definite system of `size` unknowns, till the residual is small."""
    jnp = lib.numpy

    @lib.jit
    def solve(a, b):
        def unsolved(state):
            return (state[3] > 1e-8) & (state[4] < 50)

        def step(state):
            x, r, p, squared, count = state
            ap = a @ p
            alpha = squared / jnp.dot(p, ap)
            x, r = x + alpha * p, r - alpha * ap
            new = jnp.dot(r, r)
            return x, r, r + new / squared * p, new, count + 1

        start = jnp.zeros_like(b), b, b, jnp.dot(b, b), 0
        return lib.lax.while_loop(unsolved, step, start)[0]

    return solve, (positive(lib, size), normals(lib, size))


def gauss_seidel(lib, size=20):
    """Five sweeps of Gauss and Seidel over a system of `size` unknowns, one after the other."""
    jnp = lib.numpy

    @lib.jit
    def solve(a, b):
        def unknown(i, x):
            return x.at[i].set(x[i] + (b[i] - jnp.dot(a[i], x)) / a[i, i])

        def sweep(_, x):
            return lib.lax.fori_loop(0, size, unknown, x)

        return lib.lax.fori_loop(0, 5, sweep, jnp.zeros_like(b))

    return solve, (positive(lib, size), normals(lib, size))


def cholesky_by_columns(lib, size=20):
    """The Cholesky factor of a matrix, column by column in a loop."""
    jnp = lib.numpy

    @lib.jit
    def factor(a):
        rows = jnp.arange(size)

        def column(j, lower):
            rest = a[:, j] - lower @ lower[j]
            return lower.at[:, j].set(jnp.where(rows >= j, rest / jnp.sqrt(rest[j]), 0.0))

        return lib.lax.fori_loop(0, size, column, jnp.zeros_like(a))

    return factor, (positive(lib, size),)


SIZES = {matrix_powers: (16, 256), conjugate_gradients: (50, 1000), gauss_seidel: (20, 600),
         cholesky_by_columns: (20, 300)}
