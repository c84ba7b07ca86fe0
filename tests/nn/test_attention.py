"""dot_product_attention beside NumPy, with all of its arguments; derivatives, jit and vmap."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.nn import dot_product_attention

RNG = np.random.default_rng(0)
Q, K, V = (RNG.normal(size=shape) for shape in ((2, 3, 4, 5), (2, 6, 2, 5), (2, 6, 2, 5)))
BIAS, MASK = RNG.normal(size=(2, 4, 3, 6)), RNG.random((2, 4, 3, 6)) > 0.4
MASK[..., 0] = True


def in_numpy(q, k, v, bias=0.0, mask=True, scale=None):
    k, v = (np.repeat(x, q.shape[2] // k.shape[2], 2) for x in (k, v))
    logits = np.einsum("btnh,bsnh->bnts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    logits = np.where(mask, logits + bias, -np.inf)
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.einsum("bnts,bsnh->btnh", weights / weights.sum(-1, keepdims=True), v)


ROWS, COLUMNS = np.arange(3)[:, None], np.arange(6)
LENGTHS = np.array([4, 6])
CASES = {
    "plain": ({}, {}),
    "scale": ({"scale": 0.3}, {"scale": 0.3}),
    "bias": ({"bias": BIAS}, {"bias": BIAS}),
    "bias of each head": ({"bias": BIAS[:1, :, :1]}, {"bias": BIAS[:1, :, :1]}),
    "mask": ({"mask": MASK}, {"mask": MASK}),
    "causal": ({"is_causal": True}, {"mask": ROWS >= COLUMNS}),
    "window": ({"local_window_size": (2, 1)},
               {"mask": (COLUMNS >= ROWS - 2) & (COLUMNS <= ROWS + 1)}),
    "window both ways": ({"local_window_size": 1}, {"mask": abs(ROWS - COLUMNS) <= 1}),
    "lengths": ({"key_value_seq_lengths": LENGTHS},
                {"mask": COLUMNS < LENGTHS[:, None, None, None]}),
    "several": ({"bias": BIAS, "mask": MASK, "is_causal": True},
                {"bias": BIAS, "mask": MASK & (ROWS >= COLUMNS)}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_values_are_numpys(case):
    ours, theirs = CASES[case]
    want = in_numpy(Q, K, V, **theirs)
    with jax.enable_x64(True):
        np.testing.assert_allclose(dot_product_attention(Q, K, V, **ours), want, atol=1e-12)
    got = dot_product_attention(*(x.astype("float32") for x in (Q, K, V)), **ours)
    np.testing.assert_allclose(got, want, atol=1e-5)


def test_queries_beyond_their_length_are_0():
    got = dot_product_attention(Q, K, V, query_seq_lengths=np.array([2, 3]))
    want = in_numpy(Q, K, V)
    want[0, 2:] = 0
    np.testing.assert_allclose(got, want, atol=1e-5)


def test_where_nothing_counts_it_is_the_mean():
    got = dot_product_attention(Q, K, V, mask=np.zeros((1, 1, 1, 1), bool))
    mean = np.repeat(V.mean(1, keepdims=True), 2, 2)
    np.testing.assert_allclose(got, np.broadcast_to(mean, Q.shape), atol=1e-5)


def test_residuals_are_the_logarithms_of_sums():
    out, residual = dot_product_attention(Q, K, V, return_residual=True)
    logits = np.einsum("btnh,bsnh->bnts", Q, np.repeat(K, 2, 2)) * 5**-0.5
    want = np.log(np.exp(logits).sum(-1)).swapaxes(1, 2)
    np.testing.assert_allclose(residual, want, atol=1e-5)
    np.testing.assert_allclose(out, in_numpy(Q, K, V), atol=1e-5)


@pytest.mark.parametrize("dtype, bound", [("bfloat16", 0.05), ("float16", 0.005)])
def test_sixteen_bits_stay(dtype, bound):
    got = dot_product_attention(*(jnp.asarray(x).astype(dtype) for x in (Q, K, V)))
    assert got.dtype == dtype
    np.testing.assert_allclose(got.astype("float32"), in_numpy(Q, K, V), atol=bound)


def test_derivatives_jit_and_vmap():
    small = [x[:1, :2, :, :2] for x in (Q, K, V)]
    check_derivatives(lambda *xs: dot_product_attention(*xs, is_causal=True), small)
    check_derivatives(lambda b: dot_product_attention(*small, b), [BIAS[:1, :, :2, :2]])
    arrays = [jnp.asarray(x) for x in (Q, K, V)]
    want = dot_product_attention(*arrays)
    np.testing.assert_allclose(jax.vmap(dot_product_attention)(*arrays), want, atol=1e-6)
    np.testing.assert_allclose(jax.jit(dot_product_attention)(*arrays), want, atol=1e-6)
