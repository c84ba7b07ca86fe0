"""Whole programs, by name: a function and its arguments. Those whose name ends with x64 need it."""

from collections.abc import Callable

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, nn, random
from minijax.numpy import linalg
from minijax.scipy import special

F = np.linspace(-1.2, 1.7, 5).astype(np.float32)
P = np.linspace(0.3, 2.2, 5).astype(np.float32)
M = np.linspace(-1, 2, 12).astype(np.float32).reshape(3, 4)
S = (M @ M.T + 3 * np.eye(3)).astype(np.float32)
I = np.array([3, 1, 4, 1, 5], np.int32)  # noqa: E741
K = random.key(7)

PROGRAMS: dict[str, Callable] = {}


def add(name: str, f: Callable, *args) -> None:
    PROGRAMS[name] = lambda: (f, args)


def total(f: Callable) -> Callable:
    return lambda *xs: sum(jnp.sum(jnp.sin(y) * y) for y in jax.tree.leaves(f(*xs)))


def with_derivatives(name: str, f: Callable, *args) -> None:
    """The program, its gradient, its derivative along ones, and both of many examples."""
    add(name, f, *args)
    add(f"{name}, grad", jax.grad(total(f)), *args)
    add(f"{name}, jvp", lambda *xs: jax.jvp(f, xs, tuple(map(jnp.ones_like, xs))), *args)
    many = [np.stack([x, x * 0.5]) for x in map(np.asarray, args)]
    add(f"{name}, vmap", jax.vmap(f), *many)
    add(f"{name}, vmap of grad", jax.vmap(jax.grad(total(f))), *many)


# Control flow.


def rows(c, x):
    return jnp.tanh(c * 0.5 + x.sum()), c * x[0]


def newton(x):
    return lax.while_loop(lambda s: abs(s[0] ** 2 - x) > 1e-3, lambda s: ((s[0] + x / s[0]) / 2,
                          s[1] + 1), (x + 1, 0))  # fmt: skip


with_derivatives("scan", lambda x, m: lax.scan(rows, x[0], m), F, M)
with_derivatives("scan from the end", lambda m: lax.scan(rows, 1.0, m, reverse=True), M)
with_derivatives("cond", lambda x: lax.cond(x.sum() > 0.5, jnp.sin, lambda y: y * 2, x), F)
with_derivatives("switch", lambda x: lax.switch(2, [jnp.sin, jnp.cos, jnp.exp], x), F)
with_derivatives("fori", lambda x: lax.fori_loop(0, 4, lambda i, c: jnp.cos(c) * (i + 1), x), F)
with_derivatives("checkpoint", jax.checkpoint(lambda x: jnp.sin(jnp.sin(x) * x)), F)
with_derivatives("map", lambda x: lax.map(lambda y: y * jnp.exp(y), x), F)
with_derivatives("associative scan", lambda x: lax.associative_scan(jnp.multiply, x), P)
add("while", newton, np.float32(2))
add("while of many", jax.vmap(newton), P)
add("while, jvp", lambda x: jax.jvp(newton, (x,), (1.0,)), np.float32(2))
add("cond of many", jax.vmap(lambda x: lax.cond(x > 0, jnp.sin, jnp.exp, x)), F)
add("cond below 0", lambda i: lax.switch(i, [lambda: 1, lambda: 2, lambda: 3]), np.int32(-3))
add("switch of many", jax.vmap(lambda i: lax.switch(i, [lambda: 1, lambda: 2, lambda: 3])), I - 3)
add("nested loops", lambda m: lax.scan(lambda c, x: (lax.fori_loop(
    0, 3, lambda i, d: d + x.sum() * i, c), lax.cond(c > 1, lambda: c, lambda: -c)), 0.0, m), M)
add("a scan of nothing", lambda x: lax.scan(lambda c, y: (c + y, y), x.sum(), x[:0]), F)
add("a loop with keys", lambda k: lax.scan(lambda k, _: (random.split(k)[0], random.bits(k)), k,
                                           length=3), K)  # fmt: skip
add("solve", lambda a, x: lax.custom_linear_solve(lambda y: a @ y, x, lambda _, b: linalg.solve(
    a, b), symmetric=True), S, M[:, 0])  # fmt: skip
add("root", lambda x: lax.custom_root(lambda y: y * y - x, 1.0, lambda f, y0: newton(x)[0],
                                      lambda g, y: y / g(1.0)), np.float32(2))  # fmt: skip

add("collectives", jax.vmap(lambda x: (lax.psum(x, "i"), lax.pmean(x, "i"), lax.pmax(x, "i"),
    lax.all_gather(x, "i"), lax.axis_index("i")), axis_name="i"), M)  # fmt: skip

# Rules of one's own.


@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1 + jnp.exp(x))


@log1pexp.defjvp
def _(primals, tangents):
    return log1pexp(*primals), tangents[0] * nn.sigmoid(primals[0])


@jax.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, ct: (jnp.clip(ct, -0.5, 0.5),))
with_derivatives("custom_jvp", log1pexp, F)
add("custom_vjp", jax.value_and_grad(lambda x: (clipped(x) ** 2).sum()), F)
HALVED = jax.custom_batching.custom_vmap(lambda x: jnp.sin(x) / 2)
HALVED.def_vmap(lambda size, mapped, x: (HALVED(x) * 2, True))
add("custom_vmap", jax.vmap(HALVED), F)

# Networks, and what they are made of.


def layer(w, x):
    return nn.gelu(x @ w) / jnp.sqrt(1.5)


def attention(q, k, v):
    return nn.softmax(q @ k.T / 2.0) @ v


with_derivatives("layer", layer, M.T[:, :2], M)
with_derivatives("attention", attention, M, M + 1, M * 0.5)
with_derivatives("norm", lambda x: (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1),
                 M)  # fmt: skip
with_derivatives("logsumexp", lambda x: nn.logsumexp(x, axis=0), M)
with_derivatives("einsum", lambda a, b: jnp.einsum("ij,kj->ik", a, b), M, M)
with_derivatives("convolution", lambda x, y: jnp.convolve(x, y[:3]), F, P)
with_derivatives("where", lambda x: jnp.where(x > 0, x * x, jnp.sin(x)), F)
with_derivatives("a pool", lambda x: lax.reduce_window(
    x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID"), M)  # fmt: skip
with_derivatives("cumulative", lambda x: (jnp.cumsum(x), jnp.cumprod(x), lax.cummax(x)), P)
with_derivatives("indexing", lambda x: x[jnp.array([2, 0, -1])] * x[::-1][:3], F)
with_derivatives("update", lambda x: x.at[jnp.array([1, 1, 9])].add(2 * x[:3], mode="drop"), F)
with_derivatives("sort", jnp.sort, F[[3, 0, 4, 1, 2]])
add("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x.sum())), F)
add("jacobians", lambda x: (jax.jacfwd(jnp.tanh)(x), jax.jacrev(jnp.tanh)(x)), F)
add("bfloat16", lambda x: x.astype("bfloat16") @ x.astype("bfloat16"), F)
add("complex", lambda x: jnp.abs(jnp.exp(1j * x)) + jnp.angle(x + 2j), F)
add("fft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x), 5), F)

# Orders, whole numbers, bits.

add("argsort", lambda x: (jnp.argsort(x), jnp.argmax(x), jnp.argmin(x)), F[[3, 0, 4, 1, 2]])
add("top_k", lambda x: lax.top_k(x, 2), M)
add("unique", lambda x: jnp.unique(x, size=4), I)
add("searchsorted", lambda x: jnp.searchsorted(x, jnp.array([0.0, 9.0])), F)
add("lexsort", lambda x, y: jnp.lexsort((x, y)), F, I)
add("bits", lambda x: (x << 3 | x >> 1, ~x ^ 5, lax.population_count(x), lax.clz(x)), I)
add("division", lambda x: (x // 2, x % 3, -x // 2, lax.div(-x, 2), lax.rem(-x, 2)), I)
add("division by zero", lambda x: (lax.div(x, x - x), lax.rem(x, x - x)), I)
add("histogram", lambda x: jnp.histogram(x, bins=3), F)
add("bincount", lambda x: jnp.bincount(x, length=6), I)
add("one hot", lambda x: nn.one_hot(x, 6), I)
add("conversions", lambda x: [x.astype(t) for t in ("int8", "uint8", "bool", "float16")], F * 100)
add("mulhi x64", lambda x: lax.mulhi(x, x * 3), np.array([2**62, -(2**61), 12345]))
add("small integers", lambda x: (x + x, x * x, x.sum()), np.arange(250, 256).astype(np.uint8))
add("large constants", lambda x: [x[0] + np.arange(200).astype(t).astype("float32") if t == "bool"
    else jnp.asarray(np.linspace(-3, 3, 200).astype(t)) for t in (
        "bool", "float32", "int8", "complex64", jnp.bfloat16, "float16")], F)  # fmt: skip
add("NaN", lambda x: (jnp.nanmax(x), jnp.nanmean(x), jnp.isnan(x), jnp.max(x)), np.array(
    [1, np.nan, 3], np.float32))  # fmt: skip

# Random numbers, from keys.

for _f in (random.normal, random.uniform, random.exponential, random.gumbel, random.bits):
    add(f"random.{_f.__name__}", lambda k, f=_f: f(k, (5,)), K)
add("random.gamma", lambda k: random.gamma(k, P), K)
add("random.permutation", lambda k: random.permutation(k, 9), K)
add("random.categorical", lambda k: random.categorical(k, M), K)
add("random.randint", lambda k: random.randint(k, (7,), 0, 100), K)
add("random.fold_in", lambda k: random.key_data(random.fold_in(k, 3)), K)
add("random.split", lambda k: random.split(k, 3), K)
add("keys that move", lambda k: random.split(k, (2, 3)).T[1:].reshape(4), K)
add("a seed", lambda n: random.normal(random.key(n), (2,)), np.int32(3))
add("many keys", jax.vmap(lambda k, x: random.normal(k) + x), random.split(K, 5), F)
add("a Bernoulli x64", lambda k: random.bernoulli(k, 0.3, (9,)), K)

# Linear algebra, special functions.

with_derivatives("inverse", lambda s: linalg.inv(s), S)
with_derivatives("Cholesky", lambda s: linalg.cholesky(s), S)
add("eigh", lambda s: linalg.eigvalsh(s), S)
add("svd", lambda m: linalg.svd(m, compute_uv=False), M)
add("determinant", jax.value_and_grad(linalg.det), S)
add("least squares", lambda m, b: linalg.lstsq(m, b)[0], M.T, M.T[:, 0])
add("qr", lambda m: [jnp.abs(x) for x in linalg.qr(m)], np.sin(9 * M.T))
for _f in (special.gammainc, special.gammaincc):
    add(f"special.{_f.__name__}", lambda x, f=_f: f(2 * x, x), P)
add("special.betainc", lambda x: special.betainc(x, x + 1, x / 3), P)
for _name in ("i0e", "i1e", "gammaln", "digamma", "erfinv", "erfc", "ndtri", "expi", "zeta"):
    _args = (P / 3,) if _name != "zeta" else (P + 1.5, P)
    add(f"special.{_name}", getattr(special, _name), *_args)
