"""Arrays in pieces: kernels that are cut into boxes give what the interpreter gives, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.kernels import fuse
from minijax.compiler.kernels.elements import Place
from minijax.compiler.kernels.pieces import turns_in


@pytest.fixture(autouse=True)
def small_arrays_too(monkeypatch):
    monkeypatch.setattr(fuse, "SMALL", 1)
    jax.clear_caches()
    yield
    jax.clear_caches()


def interpreted(fun, *args):
    with jax.disable_jit():
        return fun(*args)


def check(fun, *args):
    np.testing.assert_array_equal(jax.jit(fun)(*args), interpreted(fun, *args))


def neighbours(g):
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    return sum(jnp.roll(g, shift, (0, 1)) for shift in shifts)


def life(g):
    n = neighbours(g)
    return ((n == 3) | ((g == 1) & (n == 2))).astype(jnp.int32)


GRID = jnp.asarray(np.random.default_rng(0).integers(0, 2, (9, 14)), jnp.int32)


def steps_of(fun, *args):
    return str(jax.explain(fun)(*args).show("program", "kernels", "buffers", "numpy"))


def test_a_generation_of_life_is_nine_boxes_of_two_texts():
    check(life, GRID)
    program = steps_of(life, GRID)
    assert program.count(" kernel0(") + program.count(" kernel1(") == 9 + 2  # calls, definitions
    assert "concatenate" not in program.partition("Kernels")[0]
    assert "Left to NumPy\n-------------\nnothing" in program


def test_in_a_loop():
    check(lambda g: lax.fori_loop(0, 5, lambda i, g: life(g), g), GRID)


@pytest.mark.parametrize("fun", [
    lambda x: jnp.concatenate([x, x + 1, x[::-1]], 1) * 2,
    lambda x: jnp.concatenate([x, x[:, ::-1]], 1)[::-2, ::-3].T * 2,
    lambda x: jnp.concatenate([x, x]).max(0) + jnp.concatenate([x, 2 * x]).sum(1).max(),
    lambda x: lax.pad(x, jnp.int32(7), ((1, 2, 0), (3, 0, 0))) * 2,
    lambda x: lax.pad(x, x[0, 0], ((0, 0, 0), (0, 4, 0))) + 1,
    lambda x: lax.pad(x, jnp.int32(7), ((1, -2, 0), (3, 0, 1))) * 2,
    lambda x: lax.pad(x, jnp.int32(7), ((0, 0, 0), (0, 0, 0))) * 2,
    lambda x: jnp.roll(lax.pad(x, jnp.int32(7), ((1, 2, 0), (3, 0, 0))), 5, 0) * jnp.arange(17),
    lambda x: jnp.concatenate([x[:1], lax.iota("int32", 14)[None], x]) * 2,
    lambda x: jnp.stack([x, x + 1])[1] * 2,
    lambda x: jnp.broadcast_to(jnp.roll(x, 1, 1)[:, None], (9, 3, 14)) + x[:, None],
    lambda x: jnp.roll(x, 1, 1) + jnp.max(x, 1, keepdims=True),
    lambda x: jnp.max(jnp.roll(x, 1, 1) + x, 1, keepdims=True) * jnp.roll(x, 2, 0),
    lambda x: (jnp.roll(x + 1, 1, 0), jnp.roll(x + 1, 1, 0) * 2)[1],
    lambda x: jnp.concatenate([x] * 6) * 2,
])  # fmt: skip
def test_ways_to_lie_in_pieces(fun):
    check(fun, GRID)
    check(lambda x: lax.fori_loop(0, 2, lambda i, c: c + fun(x), fun(x)), GRID)


MOVES = [
    lambda x: jnp.roll(x, 2, 0), lambda x: jnp.roll(x, -1, 1), lambda x: x[::-1], lambda x: x.T,
    lambda x: jnp.concatenate([x[:, 2:], x[:, :2]], 1), lambda x: jnp.concatenate([x[3:], x[:3]]),
    lambda x: lax.pad(x[1:], jnp.int32(3), ((0, 1, 0), (0, 0, 0))),
    lambda x: lax.pad(x[:, 1:-1], jnp.int32(4), ((0, 0, 0), (1, 1, 0))),
    lambda x: x * 3 + 1, lambda x: x + jnp.max(x, 0), lambda x: x - jnp.sum(x, 1, keepdims=True),
]  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(range(len(MOVES))), st.integers(0, 4)), min_size=2,
                max_size=9), st.booleans())  # fmt: skip
def test_any_moves_one_after_the_other(moves, in_loop):
    """Each value is a move of an earlier one; what comes out reads them all."""
    x = jnp.asarray(np.random.default_rng(0).integers(-9, 9, (8, 8)), jnp.int32)

    def program(x):
        values = [x]
        for move, back in moves:
            values.append(MOVES[move](values[-1 - back % len(values)]))
        return sum(k * value for k, value in enumerate(values))

    if in_loop:
        check(lambda x: lax.fori_loop(0, 3, lambda i, c: program(c) + i, x), x)
    else:
        check(program, x)


@pytest.mark.parametrize("scale", [1, 2, 3, -1, -2])
def test_the_turns_that_lie_in_a_piece(scale):
    for offset in range(12):
        place = Place(0, scale, offset)
        for start in range(8):
            for stop in range(start + 1, 9):
                inside = [i for i in range(6) if start <= offset + scale * i < stop]
                first, last = turns_in(place, start, stop, (0, 6))
                assert list(range(first, last)) == inside
