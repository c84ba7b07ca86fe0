"""Linear algebra: both libraries hand these to BLAS, LAPACK or write one; little is left to win."""

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


def positive_definite(lib, size):
    """A symmetric matrix without small eigenvalues."""
    x = normals(lib, size, size)
    return x @ x.T / size + lib.numpy.eye(size)


def cholesky(lib, size=512):
    """Of one matrix."""
    return lib.jit(lib.numpy.linalg.cholesky), (positive_definite(lib, size),)


def solve(lib, size=512):
    """16 systems with one matrix."""
    return lib.jit(lib.numpy.linalg.solve), (positive_definite(lib, size), normals(lib, size, 16))


def eigh(lib, size=256):
    """The eigenvalues of one symmetric matrix."""
    return lib.jit(lambda x: lib.numpy.linalg.eigh(x)[0]), (positive_definite(lib, size),)


def fft(lib, size=4096):
    """256 transforms of rows of real numbers."""
    return lib.jit(lib.numpy.fft.rfft), (normals(lib, 256, size),)


def einsum(lib, size=128):
    """Attention's scores from queries and keys of 8 heads, and what they pick, in two sums."""
    def attended(q, k, v):
        scores = lib.numpy.einsum("qhd,khd->hqk", q, k)
        return lib.numpy.einsum("hqk,khd->qhd", scores, v)

    return lib.jit(attended), tuple(normals(lib, size, 8, 64, seed=seed) for seed in range(3))


WORKLOADS = (matmul, batched_matmul, mlp_forward, cholesky, solve, eigh, fft, einsum)
