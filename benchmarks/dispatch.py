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
    eager_add, eager_dot, eager_remainder, eager_clip, eager_grad, eager_vmap, jitted_add,
    jitted_pytree, jitted_grad,
)  # fmt: skip
