"""Dispatch: what a call costs beside its arithmetic. The arrays hold a few numbers."""

from benchmarks.data import normals


def eager_add(lib):
    """Four numbers to four numbers, outside jit."""
    x = lib.numpy.arange(4.0)
    return lambda x: x + x, (x,)


def eager_dot(lib):
    """Two matrices of 4x4."""
    return lib.numpy.dot, (normals(lib, 4, 4), normals(lib, 4, 4, seed=1))


def eager_remainder(lib):
    """An operator between an array and a Python number."""
    return lambda x: x % 2, (lib.numpy.arange(8.0),)


def eager_clip(lib):
    """A function of jax.numpy that JAX jits itself."""
    return lambda x: lib.numpy.clip(x, 1.0, 5.0), (lib.numpy.arange(8.0),)


def eager_index(lib):
    """One element of eight, by a Python integer."""
    return lambda x: x[3], (lib.numpy.arange(8.0),)


def eager_slice(lib):
    """Two elements of eight."""
    return lambda x: x[1:3], (lib.numpy.arange(8.0),)


def eager_gather(lib):
    """Three elements of eight, by an array of integers."""
    x, places = lib.numpy.arange(8.0), lib.numpy.array([1, 3, 5])
    return lambda x, places: x[places], (x, places)


def eager_update(lib):
    """A number added to one element of eight."""
    return lambda x: x.at[3].add(1.0), (lib.numpy.arange(8.0),)


def eager_cond(lib):
    """A choice, outside jit, between two functions seen before."""

    def up(x):
        return x + 1

    def down(x):
        return x - 1

    x = lib.numpy.arange(4.0)
    return lambda holds, x: lib.lax.cond(holds, up, down, x), (lib.numpy.array(True), x)


def eager_scan(lib):
    """A running total of eight numbers, outside jit, by a function seen before."""

    def step(total, x):
        return total + x, total

    return lambda xs: lib.lax.scan(step, 0.0, xs), (lib.numpy.arange(8.0),)


def eager_grad(lib):
    """The gradient, outside jit, of a function of three operations."""
    gradient = lib.grad(lambda x: lib.numpy.sum(lib.numpy.sin(x) * x))
    return gradient, (lib.numpy.arange(4.0),)


def eager_vmap(lib):
    """A batched function of two operations, outside jit."""
    batched = lib.vmap(lambda x, y: lib.numpy.sin(x) * y)
    return batched, (normals(lib, 8, 4), normals(lib, 8, 4, seed=1))


def jitted_add(lib):
    """Four numbers to four numbers, compiled."""
    x = lib.numpy.arange(4.0)
    return lib.jit(lambda x, y: x + y), (x, x)


def jitted_pytree(lib):
    """Twenty small arrays in a dict, and as many out."""
    parameters = {f"layer{i:02}": normals(lib, 4, seed=i) for i in range(20)}
    step = lib.jit(lambda tree: {name: 0.9 * x for name, x in tree.items()})
    return step, (parameters,)


def jitted_grad(lib):
    """The gradient of `eager_grad`, compiled."""
    gradient, args = eager_grad(lib)
    return lib.jit(gradient), args


WORKLOADS = (
    eager_add, eager_dot, eager_remainder, eager_clip, eager_index, eager_slice, eager_gather,
    eager_update, eager_cond, eager_scan, eager_grad, eager_vmap, jitted_add, jitted_pytree,
    jitted_grad,
)  # fmt: skip
