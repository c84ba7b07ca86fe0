"""Bodies, equations of motion and rays."""

from benchmarks.data import normals, uniforms


def nbody(lib, size=64):
    """Ten leapfrog steps of `size` bodies, each drawn by all others."""
    def acceleration(x, mass):
        apart = x[None, :, :] - x[:, None, :]
        squared = lib.numpy.sum(apart**2, axis=-1) + 0.1
        return lib.numpy.sum((mass[None, :] / squared**1.5)[:, :, None] * apart, axis=1)

    @lib.jit
    def simulate(x, v, mass):
        def step(state, _):
            x, v = state
            v = v + 0.005 * acceleration(x, mass)
            x = x + 0.01 * v
            v = v + 0.005 * acceleration(x, mass)
            return (x, v), 0.5 * lib.numpy.sum(mass[:, None] * v**2)

        return lib.lax.scan(step, (x, v), None, length=10)

    return simulate, (normals(lib, size, 3), normals(lib, size, 3, seed=1),
                      uniforms(lib, size, low=0.5, high=1.5) / size)


def runge_kutta(lib, slope, state, dt):
    """A classical step of fourth order."""
    a = slope(state)
    b = slope(state + 0.5 * dt * a)
    c = slope(state + 0.5 * dt * b)
    d = slope(state + dt * c)
    return state + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d)


def lorenz_slope(lib, state):
    x, y, z = state
    return lib.numpy.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


def lorenz_path(lib, start, steps, dt):
    def step(state, _):
        state = runge_kutta(lib, lambda s: lorenz_slope(lib, s), state, dt)
        return state, state

    return lib.lax.scan(step, start, None, length=steps)[1]


def lorenz(lib, size=1000):
    """`size` Runge-Kutta steps of Lorenz's equations over one unit of time: one path."""
    run = lib.jit(lambda start: lorenz_path(lib, start, size, 1.0 / size))
    return run, (lib.numpy.ones(3),)


def lorenz_of_many(lib, size=100):
    """The same for `size` starts at once, by vmap: 100 steps."""
    run = lib.jit(lib.vmap(lambda start: lorenz_path(lib, start, 100, 0.01)))
    return run, (normals(lib, size, 3),)


def stochastic_equation(lib, size=100):
    """200 Euler-Maruyama steps of `size` paths that return to a mean (Ornstein-Uhlenbeck)."""
    @lib.jit
    def run(key, start):
        def step(x, key):
            noise = lib.random.normal(key, x.shape)
            x = x + 0.01 * (1.0 - x) + 0.03 * noise
            return x, lib.numpy.mean(x)

        return lib.lax.scan(step, start, lib.random.split(key, 200))

    return run, (lib.random.key(0), lib.numpy.zeros(size))


def ray_marching(lib, size=32):
    """`size` by `size` rays towards a sphere above a floor, in 40 steps by distance; shaded."""
    jnp = lib.numpy

    def distance(p):
        sphere = jnp.sqrt(jnp.sum((p - jnp.array([0.0, 0.0, 4.0])) ** 2)) - 1.0
        return jnp.minimum(sphere, p[1] + 1.0)

    def shade(direction):
        direction = direction / jnp.sqrt(jnp.sum(direction**2))

        def step(_, t):
            return jnp.minimum(t + distance(t * direction), 20.0)

        t = lib.lax.fori_loop(0, 40, step, 0.0)
        normal = lib.grad(distance)(t * direction)
        light = jnp.array([0.5, 0.7, -0.5])
        return jnp.where(t < 20.0, jnp.maximum(jnp.dot(normal, light), 0.0), 0.0)

    @lib.jit
    def render(across):
        x, y = jnp.broadcast_arrays(across[None, :], across[:, None])
        directions = jnp.stack([x, y, jnp.ones_like(x)], axis=-1)
        return lib.vmap(lib.vmap(shade))(directions)

    return render, (jnp.linspace(-0.8, 0.81, size),)


SIZES = {nbody: (24, 400), lorenz: (1000, 50_000), lorenz_of_many: (50, 5000),
         stochastic_equation: (50, 5000), ray_marching: (32, 300)}
