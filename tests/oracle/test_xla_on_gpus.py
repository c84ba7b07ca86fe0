"""Programs on XLA's GPU: where there is one, and JAX with it (pip install "jax[cuda13]").

    python3 -m pytest tests/oracle/test_xla_on_gpus.py -n 6

By itself: tests beside it tell JAX to stay on the CPU. All products are computed in full precision;
a GPU's functions are rounded otherwise than ours, so that more is allowed than on the CPU.
"""

import os

import numpy as np
import pytest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # several processes share it

import jax as real_jax

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, nn, random
from minijax.compiler import stablehlo
from minijax.numpy import linalg
from minijax.scipy import linalg as scipy_linalg
from oracle.xla_programs_table import PROGRAMS, F, K, M, P, S, layer
from oracle.xla_runs import assert_alike

ROUNDING = 10  # times what is allowed on the CPU
# There a product of bfloat16 that is converted to float32 is not rounded in between.
MORE = {"bfloat16": 300}


def has_gpu() -> bool:
    try:
        return bool(real_jax.devices("gpu"))
    except RuntimeError:
        return False


if not has_gpu():
    pytest.skip("JAX has no GPU here", allow_module_level=True)

# Whatever signs a routine gives its vectors, these come to the same.

STACK = np.stack([S, 2 * S + np.eye(3, dtype=np.float32)])
TALL, WIDE, TALLS = M.T, M, np.stack([M.T, 1 - M.T])
COMPLEX = (S + 1j * (M[:, :3] - M[:, :3].T)).astype(np.complex64)  # equal to its adjoint
CORNER = np.array([[1, 2, 0], [0, 3, 1], [2, 0, 1]], np.float32)


def from_eigh(x):
    values, vectors = linalg.eigh(x)
    return values, (vectors * values[..., None, :]) @ jnp.conj(vectors.mT)


def from_svd(x, full_matrices=False):
    u, values, vh = linalg.svd(x, full_matrices=full_matrices)
    k = values.shape[-1]
    return values, (u[..., :k] * values[..., None, :]) @ vh[..., :k, :], abs(u.mT @ jnp.conj(u))


def from_qr(x):
    q, r = linalg.qr(x)
    return q @ r, jnp.tril(r, -1)


def from_eig(x):
    values, vectors = linalg.eig(x)
    return jnp.sort(jnp.abs(values)), jnp.max(jnp.abs(x @ vectors - vectors * values)) < 1e-4


def from_tridiagonal(x):
    _, diagonal, beside, _ = lax.linalg.tridiagonal(x, lower=True)
    return jnp.sum(diagonal), jnp.sum(diagonal**2) + 2 * jnp.sum(beside**2)


LINALG = {
    "Cholesky of a stack": (linalg.cholesky, STACK),
    "Cholesky of what has none": (linalg.cholesky, -S),
    "Cholesky, complex": (linalg.cholesky, COMPLEX),
    "grad of Cholesky": (jax.grad(lambda s: jnp.sin(linalg.cholesky(s)).sum()), S),
    "solve": (linalg.solve, S, M),
    "solve of a stack": (jax.vmap(linalg.solve, (0, None)), STACK, M),
    "grad of solve": (jax.grad(lambda s: jnp.sin(linalg.solve(s, M)).sum()), S),
    "triangular solve": (lambda s, m: scipy_linalg.solve_triangular(s, m, lower=True), S, M),
    "inverse": (linalg.inv, STACK),
    "slogdet": (linalg.slogdet, STACK),
    "lu": (lambda x: scipy_linalg.lu(x), CORNER),
    "lu of more columns": (lambda x: lax.linalg.lu(x), WIDE),
    "eigh": (from_eigh, S), "eigh of a stack": (from_eigh, STACK),
    "eigh, complex": (from_eigh, COMPLEX),
    "grad of eigh": (jax.grad(lambda s: jnp.sin(linalg.eigh(s)[0]).sum()), S),
    "qr": (from_qr, TALL), "qr of more columns": (from_qr, WIDE), "qr of a stack": (from_qr, TALLS),
    "qr, full": (lambda x: abs(linalg.qr(x, mode="complete")[0]), TALL[:, :1]),
    "grad of qr": (jax.grad(lambda x: (linalg.qr(x)[1] ** 2).sum()), TALL[:, :2]),
    "qr with pivots": (lambda x: scipy_linalg.qr(x, pivoting=True, mode="economic")[2],
                       TALL[:, :2]),
    "svd": (from_svd, TALL[:, :2]), "svd of more columns": (from_svd, TALL[:, :2].T),
    "svd of a stack": (from_svd, TALLS[..., :2]), "svd, complex": (from_svd, COMPLEX),
    "svd, full": (lambda x: from_svd(x, True)[:2], TALL[:, :2]),
    "svd, full, of more columns": (lambda x: from_svd(x, True)[:2], TALL[:, :2].T),
    "singular values of a stack": (lambda x: linalg.svd(x, compute_uv=False), TALLS),
    "grad of singular values": (jax.grad(lambda x: linalg.norm(x, "nuc")), TALL[:, :2]),
    "least squares": (lambda a, b: linalg.lstsq(a, b)[0], TALL[:, :2], TALL[:, 2]),
    "pinv": (linalg.pinv, TALL[:, :2]),
    "eig": (from_eig, CORNER), "eig, complex": (from_eig, CORNER * (1 + 1j)),
    "tridiagonal": (from_tridiagonal, S),
    "tridiagonal solve": (lambda d, b: lax.linalg.tridiagonal_solve(d / 9, d + 1, d / 8, b), P,
                          np.stack([F, P], 1)),
    "expm": (scipy_linalg.expm, CORNER / 3),
}  # fmt: skip

# Networks that learn, each step one program.


def train(key, xs, ys):
    def loss(w, x, y):
        return jnp.mean((nn.softmax(jnp.tanh(x @ w[0]) @ w[1]) - y) ** 2)

    def step(w, _):
        value, slope = jax.value_and_grad(loss)(w, xs, ys)
        return jax.tree.map(lambda p, g: p - 0.3 * g, w, slope), value

    first, second = random.split(key)
    w = random.normal(first, (4, 8)), random.normal(second, (8, 3))
    return lax.scan(step, w, length=40)


def convolve(x, kernel):
    return nn.relu(lax.conv_general_dilated(x, kernel, (1, 1), "SAME")).sum((2, 3))


IMAGES = np.linspace(-1, 1, 2 * 3 * 6 * 6, dtype=np.float32).reshape(2, 3, 6, 6)
KERNEL = np.linspace(-1, 1, 4 * 3 * 3 * 3, dtype=np.float32).reshape(4, 3, 3, 3)
NETWORKS = {
    "training": (train, K, M, np.eye(3, dtype=np.float32)),
    "convolution": (convolve, IMAGES, KERNEL),
    "grad of convolution": (jax.grad(lambda x, k: convolve(x, k).sum(), (0, 1)), IMAGES, KERNEL),
    "ensemble": (jax.vmap(train, (0, None, None)), random.split(K, 3), M,
                 np.eye(3, dtype=np.float32)),
    "a large product": (lambda k: (x := random.normal(k, (300, 300))) @ x, K),
    "many random numbers": (lambda k: random.normal(k, (1000, 100)).mean(0), K),
}  # fmt: skip
OF_THEIR_OWN = {**LINALG, **NETWORKS}
CASES = PROGRAMS | {
    name: lambda f=f, args=args: (f, args) for name, (f, *args) in OF_THEIR_OWN.items()
}


@pytest.mark.parametrize("name", CASES)
def test_a_gpu_gives_what_numpy_gives(name):
    f, args = CASES[name]()
    with jax.enable_x64("x64" in name), jax.default_matmul_precision("highest"):
        got = jax.tree.leaves(jax.jit(f, backend="gpu")(*args))
        want = jax.tree.leaves(jax.jit(f, backend="numpy")(*args))
        assert_alike(got, want, MORE.get(name, ROUNDING))


def test_the_backward_pass_is_run_there(monkeypatch):
    platforms, original = [], stablehlo.XlaProgram.__init__

    def init(self, *of_program):
        original(self, *of_program)
        platforms.append(self.runtime.platform)

    monkeypatch.setattr(stablehlo.XlaProgram, "__init__", init)

    def loss(w, x):
        return (layer(w, x) ** 2).mean()

    with jax.default_matmul_precision("highest"):
        got = jax.grad(jax.jit(loss, backend="gpu"))(M.T[:, :2], M)
        want = jax.grad(loss)(M.T[:, :2], M)
    assert len(platforms) == 2 and set(platforms) <= {"cuda", "rocm"}
    assert_alike([got], [want], ROUNDING)


@pytest.mark.parametrize("platforms", [None, "cuda,cpu", "cpu"])
def test_xla_is_on_the_default_platform_or_the_first_that_is_named(platforms):
    before = jax.config.jax_platforms
    jax.config.update("jax_platforms", platforms)
    try:
        compiled = jax.jit(lambda x: x * 2, backend="xla").lower(F).compile()
    finally:
        jax.config.update("jax_platforms", before)
    runtime = compiled.runtime_executable().runtime
    assert runtime.platform == ("cpu" if platforms == "cpu" else "cuda")


def test_our_own_compiler_runs_beside_it():
    f = lambda x: jnp.sin(x) @ x + jnp.exp(-x)  # noqa: E731
    got = jax.jit(f, backend="numba")(S)
    np.testing.assert_allclose(got, jax.jit(f, backend="numpy")(S), rtol=1e-5)
