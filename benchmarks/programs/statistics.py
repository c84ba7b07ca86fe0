"""Statistics: clusters, filters, and samples from distributions."""

import numpy as np

from benchmarks.data import labels, normals


def clustered(lib, size):
    """`size` points of two numbers around four centres."""
    centres = lib.numpy.array([[4.0, 4.0], [-4.0, 4.0], [4.0, -4.0], [-4.0, -4.0]])
    return centres[labels(lib, size, 4)] + normals(lib, size, 2)


def k_means(lib, size=500):
    """Ten of Lloyd's steps with 8 centres, on `size` points of 16 numbers."""
    jnp = lib.numpy

    @lib.jit
    def fit(x):
        def step(_, centres):
            squared = jnp.sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
            nearest = lib.nn.one_hot(jnp.argmin(squared, axis=1), 8)
            return nearest.T @ x / jnp.maximum(jnp.sum(nearest, axis=0)[:, None], 1.0)

        return lib.lax.fori_loop(0, 10, step, x[:8])

    return fit, (normals(lib, size, 16),)


def nearest_neighbours(lib, size=200):
    """The classes of 50 points by vote of their five nearest among `size`."""
    jnp = lib.numpy

    @lib.jit
    def classify(known, classes, x):
        squared = jnp.sum((x[:, None, :] - known[None, :, :]) ** 2, axis=-1)
        _, nearest = lib.lax.top_k(-squared, 5)
        return jnp.argmax(jnp.sum(lib.nn.one_hot(classes[nearest], 10), axis=1), axis=-1)

    return classify, (normals(lib, size, 16), labels(lib, size, 10), normals(lib, 50, 16, seed=1))


def bootstrap(lib, size=100):
    """The spread of the mean of `size` numbers, by 200 samples drawn with replacement."""
    @lib.jit
    def spread(key, x):
        def mean_of_one(key):
            return lib.numpy.mean(x[lib.random.randint(key, (size,), 0, size)])

        means = lib.vmap(mean_of_one)(lib.random.split(key, 200))
        return lib.numpy.mean(means), lib.numpy.std(means)

    return spread, (lib.random.key(0), normals(lib, size))


def log_density(lib, x):
    """A correlated normal distribution's, up to a constant."""
    return -0.5 * lib.numpy.sum(x**2) - 0.4 * lib.numpy.sum(x[1:] * x[:-1])


def metropolis(lib, size=200):
    """`size` steps of a random walk of Metropolis in 10 dimensions."""
    @lib.jit
    def sample(key, start):
        def step(state, key):
            x, logp = state
            move, accept = lib.random.split(key)
            new = x + 0.3 * lib.random.normal(move, x.shape)
            logp_new = log_density(lib, new)
            taken = lib.numpy.log(lib.random.uniform(accept)) < logp_new - logp
            x = lib.numpy.where(taken, new, x)
            return (x, lib.numpy.where(taken, logp_new, logp)), x

        start = start, log_density(lib, start)
        return lib.lax.scan(step, start, lib.random.split(key, size))[1]

    return sample, (lib.random.key(0), lib.numpy.zeros(10))


def hamiltonian(lib, size=20):
    """`size` steps of Hamiltonian Monte Carlo in 10 dimensions, each of ten leapfrog steps."""
    @lib.jit
    def sample(key, start):
        slope = lib.grad(lambda x: log_density(lib, x))

        def leapfrog(_, state):
            x, p = state
            p = p + 0.05 * slope(x)
            x = x + 0.1 * p
            return x, p + 0.05 * slope(x)

        def step(x, key):
            push, accept = lib.random.split(key)
            p = lib.random.normal(push, x.shape)
            new, q = lib.lax.fori_loop(0, 10, leapfrog, (x, p))
            gain = (log_density(lib, new) - 0.5 * lib.numpy.sum(q**2)
                    - log_density(lib, x) + 0.5 * lib.numpy.sum(p**2))
            x = lib.numpy.where(lib.numpy.log(lib.random.uniform(accept)) < gain, new, x)
            return x, x

        return lib.lax.scan(step, start, lib.random.split(key, size))[1]

    return sample, (lib.random.key(0), lib.numpy.zeros(10))


def kalman(lib, size=100):
    """Place and speed in the plane, out of `size` noisy places, by Kalman's filter."""
    jnp = lib.numpy
    motion = np.eye(4, dtype=np.float32) + 0.1 * np.eye(4, k=2, dtype=np.float32)
    view = np.eye(2, 4, dtype=np.float32)

    @lib.jit
    def track(seen):
        def step(state, z):
            x, p = state
            x, p = motion @ x, motion @ p @ motion.T + 0.01 * jnp.eye(4)
            s = view @ p @ view.T + 0.5 * jnp.eye(2)
            a, b, c, d = s[0, 0], s[0, 1], s[1, 0], s[1, 1]
            inverse = jnp.array([[d, -b], [-c, a]]) / (a * d - b * c)
            gain = p @ view.T @ inverse
            x, p = x + gain @ (z - view @ x), (jnp.eye(4) - gain @ view) @ p
            return (x, p), x

        return lib.lax.scan(step, (jnp.zeros(4), jnp.eye(4)), seen)[1]

    return track, (normals(lib, size, 2),)


def mixture(lib, size=500):
    """Ten steps of expectation and maximisation: four Gaussians on `size` points of the plane."""
    jnp = lib.numpy

    @lib.jit
    def fit(x):
        def step(_, state):
            share, mean, variance = state
            apart = (x[:, None, :] - mean) ** 2 / variance
            logp = jnp.log(share) - 0.5 * jnp.sum(apart + jnp.log(variance), axis=-1)
            belongs = lib.nn.softmax(logp, axis=1)
            total = jnp.sum(belongs, axis=0) + 1e-6
            mean = belongs.T @ x / total[:, None]
            apart = (x[:, None, :] - mean) ** 2
            variance = jnp.sum(belongs[:, :, None] * apart, axis=0) / total[:, None] + 1e-3
            return total / jnp.sum(total), mean, variance

        start = jnp.full(4, 0.25), jnp.array([[1.0, 1.0], [-1, 1], [1, -1], [-1, -1]])
        return lib.lax.fori_loop(0, 10, step, (*start, jnp.ones((4, 2))))

    return fit, (clustered(lib, size),)


SIZES = {k_means: (200, 10_000), nearest_neighbours: (200, 5000), bootstrap: (50, 2000),
         metropolis: (100, 10_000), hamiltonian: (20, 2000), kalman: (50, 5000),
         mixture: (200, 50_000)}
