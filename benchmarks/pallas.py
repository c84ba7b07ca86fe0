"""Kernels by hand: minijax runs one, written in blocks for a grid; JAX runs the plain form, jitted.

JAX has no kernels for processors. Beside each stands the plain form under both libraries: whether a
hand is worth its while is the one line by the other.
"""

from functools import partial

from benchmarks.data import normals

ROWS, KEYS = 128, 256  # of a block of attention
SIDE, WIDTH = 256, 1024  # of a product: rows of a block, of either matrix; columns of the result's


def is_by_hand(lib) -> bool:
    return lib.__name__ == "minijax"


def plain_attention(lib, q, k, v):
    scores = lib.numpy.einsum("hqd,hkd->hqk", q, k) * q.shape[-1] ** -0.5
    return lib.nn.softmax(scores, axis=-1) @ v


def attention_kernel(lib, keys, q_ref, k_ref, v_ref, o_ref):
    """Of some queries and all keys, some at a time: the largest score so far, the sum of the
    exponentials below it, and what these pick. (Dao et al., FlashAttention, 2022.)"""
    from minijax.experimental import pallas as pl

    jnp, (rows, width) = lib.numpy, q_ref.shape
    q = q_ref[...] * width**-0.5

    def step(j, carry):
        largest, total, picked = carry
        here = pl.ds(j * keys, keys)
        scores = q @ k_ref[here, :].T
        new = jnp.maximum(largest, scores.max(axis=1))
        weights, before = jnp.exp(scores - new[:, None]), jnp.exp(largest - new)
        picked = picked * before[:, None] + weights @ v_ref[here, :]
        return new, total * before + weights.sum(axis=1), picked

    start = jnp.full(rows, -jnp.inf), jnp.zeros(rows), jnp.zeros((rows, width))
    _, total, picked = lib.lax.fori_loop(0, k_ref.shape[0] // keys, step, start)
    o_ref[...] = picked / total[:, None]


def attention_in_blocks(lib, q, k, v):
    from minijax.experimental import pallas as pl

    heads, positions, width = q.shape
    rows, keys = min(ROWS, positions), min(KEYS, positions)
    some = pl.BlockSpec((None, rows, width), lambda h, i: (h, i, 0))
    every = pl.BlockSpec((None, positions, width), lambda h, i: (h, 0, 0))
    return pl.pallas_call(
        partial(attention_kernel, lib, keys), q, grid=(heads, positions // rows),
        in_specs=[some, every, every], out_specs=some,
    )(q, k, v)  # fmt: skip


def qkv(lib, heads, size):
    return tuple(normals(lib, heads, size, 64, seed=seed) for seed in range(3))


def attention_by_hand(lib, size=512, heads=8):
    """`heads` of `size` queries and keys of 64 numbers."""
    attend = attention_in_blocks if is_by_hand(lib) else plain_attention
    return lib.jit(partial(attend, lib)), qkv(lib, heads, size)


def attention(lib, size=512, heads=8):
    """The same in its plain form."""
    return lib.jit(partial(plain_attention, lib)), qkv(lib, heads, size)


def product_kernel(lib, x_ref, y_ref, z_ref):
    from minijax.experimental import pallas as pl

    @pl.when(pl.program_id(2) == 0)
    def _():
        z_ref[...] = lib.numpy.zeros_like(z_ref)

    z_ref[...] += x_ref[...] @ y_ref[...]


def product_in_blocks(lib, x, y):
    from minijax.experimental import pallas as pl

    size = x.shape[0]
    side, width = min(SIDE, size), min(WIDTH, size)
    return pl.pallas_call(
        partial(product_kernel, lib), x, grid=(size // side, size // width, size // side),
        in_specs=[pl.BlockSpec((side, side), lambda i, j, k: (i, k)),
                  pl.BlockSpec((side, width), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((side, width), lambda i, j, k: (i, j)),
    )(x, y)  # fmt: skip


def product_by_hand(lib, size=1024):
    """Two square matrices, block by block."""
    multiply = partial(product_in_blocks, lib) if is_by_hand(lib) else lib.numpy.matmul
    return lib.jit(multiply), (normals(lib, size, size), normals(lib, size, size, seed=1))


WORKLOADS = (attention_by_hand, attention, product_by_hand)
