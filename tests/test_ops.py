"""Sums, products and extremes by segments, against a loop; a registry of pytrees as an object."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax import ops, tree_util

IDS = np.array([0, 2, 2, 0, 3])
X = np.array([3.0, -1.0, 4.0, 0.5, 2.0], np.float32)
NAMES = {"segment_sum": np.sum, "segment_prod": np.prod, "segment_max": np.max,
         "segment_min": np.min}  # fmt: skip
OF_NONE = {"segment_sum": 0, "segment_prod": 1, "segment_max": -np.inf, "segment_min": np.inf}


def by_loop(name, x, ids, count):
    parts = [x[ids == i] for i in range(count)]
    of_none = np.full(x.shape[1:], OF_NONE[name], x.dtype)
    return np.stack([NAMES[name](part, axis=0) if len(part) else of_none for part in parts])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", [X, np.stack([X, 2 * X, X - 1], 1)])
@pytest.mark.parametrize("options", [{}, {"bucket_size": 2}, {"bucket_size": 9}])
def test_against_a_loop(name, x, options):
    f = getattr(ops, name)
    for count in (4, 6):
        np.testing.assert_allclose(f(x, IDS, count, **options), by_loop(name, x, IDS, count))
    np.testing.assert_allclose(f(x, IDS, **options), by_loop(name, x, IDS, 4))
    jitted = jax.jit(f, static_argnames=("num_segments", "bucket_size"))
    np.testing.assert_allclose(jitted(x, IDS, num_segments=4, **options), f(x, IDS, **options))


@pytest.mark.parametrize("name", NAMES)
def test_order_and_numbers_out_of_range(name):
    f = getattr(ops, name)
    order = np.argsort(IDS, kind="stable")
    got = f(X[order], IDS[order], 4, indices_are_sorted=True)
    np.testing.assert_allclose(got, by_loop(name, X, IDS, 4))
    np.testing.assert_allclose(f(X, IDS - 1, 3), by_loop(name, X, IDS - 1, 3))
    clipped = by_loop(name, X, np.clip(IDS, 0, 1), 2)
    np.testing.assert_allclose(f(X, IDS, 2, mode="clip"), clipped)


def test_integers_start_from_their_own_bounds():
    x, bounds = np.arange(5, dtype=np.int8), np.iinfo("int8")
    assert ops.segment_max(x, IDS)[1] == bounds.min and ops.segment_min(x, IDS)[1] == bounds.max
    assert ops.segment_max(x > 1, IDS).tolist() == [True, False, True, True]


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_and_batches(name):
    f = lambda x: getattr(ops, name)(x, IDS, 4)[jnp.array([0, 2, 3])]  # noqa: E731
    if name == "segment_prod":  # as in JAX, where two factors may meet
        with pytest.raises(NotImplementedError):
            jax.jacfwd(f)(X)
    else:
        check_derivatives(lambda x: f(x) ** 2, [X])
    rows = np.stack([X, X[::-1]])
    np.testing.assert_allclose(jax.vmap(f)(rows), np.stack([f(row) for row in rows]))


def test_a_registry_as_an_object():
    registry = tree_util.default_registry

    class Pair:
        def __init__(self, x, y):
            self.x, self.y = x, y

    assert not registry.is_node(Pair) and registry.is_node(list)
    registry.register_node(Pair, lambda p: ((p.x, p.y), None), lambda _, xs: Pair(*xs))
    assert tree_util.tree_leaves(Pair(1, [2, 3])) == [1, 2, 3] and registry.is_node(Pair)
    assert registry.flatten({"a": 1})[0] == [1] and registry.flatten_one_level(3) is None
    assert registry.flatten_with_path([5])[0] == [((tree_util.SequenceKey(0),), 5)]


@pytest.mark.parametrize("count, order", [(1, "a"), (2, "(ab)"), (3, "(a(bc))"), (4, "((ab)(cd))")])
def test_leaves_are_combined_in_halves(count, order):
    leaves = list("abcd")[:count]
    assert jax.tree.reduce_associative(lambda a, b: f"({a}{b})", leaves) == order
