"""Linear algebra: both libraries hand these to a BLAS or write one; little is left to win."""

from benchmarks.data import normals
from benchmarks.training import make_mlp, mlp


def matmul(lib, size=1024):
    """Two square matrices."""
    return lib.jit(lib.numpy.matmul), (normals(lib, size, size), normals(lib, size, size, seed=1))


def batched_matmul(lib, size=128):
    """64 products of square matrices."""
    operands = [normals(lib, 64, size, size, seed=seed) for seed in (0, 1)]
    return lib.jit(lib.numpy.matmul), tuple(operands)


def mlp_forward(lib, size=512):
    """784-`size`-`size`-10, on 128 examples."""
    return lib.jit(lambda layers, x: mlp(lib, layers, x)), (make_mlp(lib, size),
                                                            normals(lib, 128, 784))


WORKLOADS = (matmul, batched_matmul, mlp_forward)
