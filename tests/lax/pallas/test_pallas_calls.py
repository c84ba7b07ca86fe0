"""Kernels by hand, compiled: what they come to, which loops threads share, what is copied."""

import dataclasses

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from golden import store
from kernel_runs import on_backend
from minijax import lax
from minijax.compiler.executable import Executable
from minijax.core.jitting import CompileOptions
from minijax.core.staging import check_jaxpr
from minijax.experimental import pallas as pl
from minijax.lax.pallas.grid_programs import grid_program
from oracle import facts
from oracle.cases import TOPICS, module_of

RANDOM = np.random.default_rng(0)


def floats(*shape):
    """The type of an output."""
    return jax.ShapeDtypeStruct(shape, np.float32)


def normals(*shape):
    return jnp.asarray(RANDOM.normal(size=shape).astype(np.float32))


# Golden facts are of the interpreted form. Compiled, calls come to the same.


def test_compiled_calls_equal_interpreted_ones(monkeypatch, on_numba):
    topic = TOPICS["pallas"]
    compiled = topic.setup.replace("interpret=True", "interpret=False")
    assert compiled != topic.setup
    monkeypatch.setitem(TOPICS, "pallas", dataclasses.replace(topic, setup=compiled))
    recorded, module = store.recorded("pallas"), module_of("pallas")
    differ = [
        case for case in [*module.VALUES, *module.TRANSFORMED]
        if facts.difference(facts.run("pallas", case, "minijax"), recorded[case])
    ]  # fmt: skip
    assert differ == []


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_under_each_backend_a_call_is_a_program(backend):
    with on_backend(backend):
        x = normals(8, 6)
        call = jax.jit(lambda x: rows_by(lambda x: jnp.cos(x) * 2, x))
        np.testing.assert_allclose(call(x), np.cos(x) * 2, rtol=1e-6)


def rows_by(fun, x, rows=2, interpret=False):
    """A function of elements, for some rows at a time."""
    def kernel(x_ref, o_ref):
        o_ref[...] = fun(x_ref[...])

    spec = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    grid = (pl.cdiv(x.shape[0], rows),)
    call = pl.pallas_call(kernel, x, grid=grid, in_specs=[spec], out_specs=spec,
                          interpret=interpret)  # fmt: skip
    return call(x)


def test_interpreted_a_call_compiles_nothing(monkeypatch, on_numba):
    monkeypatch.setattr(Executable, "__init__", lambda *args: pytest.fail("compiled"))
    x = normals(5, 3)
    np.testing.assert_allclose(rows_by(jnp.sin, x, interpret=True), np.sin(x), rtol=1e-6)


def test_a_kernel_is_traced_once_for_each_grid():
    traced = []

    def kernel(x_ref, o_ref):
        traced.append(pl.num_programs(0))
        o_ref[...] = x_ref[...]

    for n in (2, 4, 2, 4):
        spec = pl.BlockSpec((8 // n,), lambda i: i)
        pl.pallas_call(kernel, floats(8), grid=(n,), in_specs=[spec], out_specs=spec)(jnp.ones(8))
    assert traced == [2, 4]


def test_prints_come_in_the_order_of_the_grid(capsys, on_numba):
    def kernel(x_ref, o_ref):
        pl.debug_print("{} {}:", pl.program_id(0), pl.program_id(1))
        pl.debug_print("it is", x_ref[0])
        o_ref[...] = x_ref[...]

    spec = pl.BlockSpec((2,), lambda i, j: 2 * i + j)
    for interpret in (True, False):
        call = pl.pallas_call(kernel, floats(8), grid=(2, 2), in_specs=[spec], out_specs=spec,
                              interpret=interpret)  # fmt: skip
        call(jnp.arange(8.0))
    lines = ["0 0:", "it is 0.0", "0 1:", "it is 2.0", "1 0:", "it is 4.0", "1 1:", "it is 6.0"]
    assert capsys.readouterr().out.splitlines() == lines * 2


# Which turns threads share.


def program_of(call, *args):
    """The grid's program of the one call of a function."""
    [eqn] = jax.make_jaxpr(call)(*args).eqns
    names = ("jaxpr", "grid_mapping", "input_output_aliases")
    closed = grid_program(*(eqn.params[name] for name in names))
    check_jaxpr(closed)
    return closed


def shares_turns(call, *args) -> bool:
    """Whether the outermost loop carries nothing."""
    loops = [eqn for eqn in program_of(call, *args).eqns if eqn.primitive.name == "scan"]
    return loops[0].params["num_carry"] == 0


def copies(index_map, out_map):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    def call(x):
        return pl.pallas_call(
            kernel, floats(8, 4), grid=(4, 2),
            in_specs=[pl.BlockSpec((2, 2), index_map)], out_specs=pl.BlockSpec((2, 2), out_map),
        )(x)  # fmt: skip

    return call


@pytest.mark.parametrize("out_map, shared", [
    (lambda i, j: (i, j), True),
    (lambda i, j: (3 - i, j), False),  # the turns' parts would be in another order
    (lambda i, j: (0, j), False),
    (lambda i, j: (i, i % 2), False),
    (lambda i, j: (j, 0), False),
])
def test_turns_are_shared_where_each_writes_a_part_of_its_own(out_map, shared):
    assert shares_turns(copies(lambda i, j: (i, j), out_map), jnp.ones((8, 4))) == shared


def test_turns_are_shared_of_each_output_or_of_none():
    def kernel(x_ref, o_ref, p_ref):
        o_ref[...] = x_ref[...]

    def call(x):
        row = pl.BlockSpec((2, 4), lambda i: (i, 0))
        all_rows = pl.BlockSpec((8, 4), lambda i: (0, 0))
        return pl.pallas_call(kernel, (x, x), grid=(4,), in_specs=[row],
                              out_specs=(row, all_rows))(x)  # fmt: skip

    x = jnp.ones((8, 4))
    assert not shares_turns(call, x)
    assert np.isnan(call(x)[1]).all()


def running_totals(fresh: bool):
    """Totals of rows, block by block; `fresh`: each row begins with its own total."""
    def kernel(x_ref, o_ref, total_ref):
        @pl.when(pl.program_id(1) == 0 if fresh else pl.program_id(0) + pl.program_id(1) == 0)
        def _():
            total_ref[...] = jnp.zeros_like(total_ref)

        total_ref[...] += x_ref[...].sum(axis=1)
        o_ref[...] = total_ref[...]

    def call(x):
        return pl.pallas_call(
            kernel, floats(6), grid=(3, 2), out_specs=pl.BlockSpec((2,), lambda i, j: i),
            in_specs=[pl.BlockSpec((2, 2), lambda i, j: (i, j))],
            scratch_shapes=[pl.ANY((2,), jnp.float32)],
        )(x)  # fmt: skip

    return call


@pytest.mark.parametrize("fresh", [True, False])
def test_memory_that_the_first_program_of_a_turn_reads_keeps_turns_in_order(fresh):
    x = jnp.arange(24.0).reshape(6, 4)
    assert shares_turns(running_totals(fresh), x) == fresh
    rows = np.asarray(x).sum(1).reshape(3, 2)
    expected = rows if fresh else rows.cumsum(0)
    np.testing.assert_array_equal(running_totals(fresh)(x), expected.ravel())


def test_a_kernel_that_writes_to_an_input_keeps_turns_in_order():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        x_ref[...] = x_ref[...] + 1

    def call(x):
        return pl.pallas_call(kernel, floats(8), grid=(4,),
                              in_specs=[pl.BlockSpec((2,), lambda i: 0)],
                              out_specs=pl.BlockSpec((2,), lambda i: i))(x)  # fmt: skip

    assert not shares_turns(call, jnp.zeros(2))
    np.testing.assert_array_equal(call(jnp.zeros(2)), [0, 0, 1, 1, 2, 2, 3, 3])


# What is in the text.


def text_of(call, *args) -> str:
    closed = jax.make_jaxpr(call)(*args)
    return Executable(closed, CompileOptions("program", ())).as_text()


HEADS, LENGTH, WIDTH, QUERIES, KEYS = 4, 64, 32, 32, 32


def attention(q_ref, k_ref, v_ref, o_ref):
    """By all keys of a head, KEYS at a time."""
    q = q_ref[...] * WIDTH**-0.5

    def step(j, carry):
        largest, total, picked = carry
        here = pl.ds(j * KEYS, KEYS)
        scores = q @ k_ref[here, :].T
        new = jnp.maximum(largest, scores.max(axis=1))
        weights, before = jnp.exp(scores - new[:, None]), jnp.exp(largest - new)
        picked = picked * before[:, None] + weights @ v_ref[here, :]
        return new, total * before + weights.sum(axis=1), picked

    rows = q.shape[0]
    start = jnp.full(rows, -jnp.inf), jnp.zeros(rows), jnp.zeros((rows, WIDTH))
    _, total, picked = lax.fori_loop(0, LENGTH // KEYS, step, start)
    o_ref[...] = picked / total[:, None]


def attend(q, k, v):
    some = pl.BlockSpec((None, QUERIES, WIDTH), lambda h, i: (h, i, 0))
    every = pl.BlockSpec((None, LENGTH, WIDTH), lambda h, i: (h, 0, 0))
    return pl.pallas_call(attention, q, grid=(HEADS, LENGTH // QUERIES),
                          in_specs=[some, every, every], out_specs=some)(q, k, v)  # fmt: skip


def plain_attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k) * WIDTH**-0.5
    return jax.nn.softmax(scores, axis=-1) @ v


QKV = tuple(normals(HEADS, LENGTH, WIDTH) for _ in range(3))


def test_attention_by_hand_is_that_of_the_plain_form(on_numba):
    np.testing.assert_allclose(jax.jit(attend)(*QKV), plain_attention(*QKV), atol=1e-5)
    per_example = jax.vmap(attend)(*(jnp.stack([x, x[::-1]]) for x in QKV))
    np.testing.assert_allclose(per_example[1], plain_attention(*QKV)[::-1], atol=1e-5)
    dots = jax.jvp(attend, QKV, QKV)[1]
    np.testing.assert_allclose(dots, jax.jvp(plain_attention, QKV, QKV)[1], atol=1e-4)


def test_blocks_in_a_row_are_not_copied(on_numba):
    text = text_of(attend, *QKV)
    assert "# dynamic_slice" not in text and "# transpose" not in text
    assert text.count("product_f32(") == text.count("product_onto_f32(") == 1


def multiply(size, side, dtype="float32"):
    def kernel(x_ref, y_ref, z_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            z_ref[...] = jnp.zeros_like(z_ref)

        z_ref[...] += x_ref[...] @ y_ref[...]

    def call(x, y):
        return pl.pallas_call(
            kernel, jax.ShapeDtypeStruct((size, size), dtype), grid=(size // side,) * 3,
            in_specs=[pl.BlockSpec((side, side), lambda i, j, k: (i, k)),
                      pl.BlockSpec((side, side), lambda i, j, k: (k, j))],
            out_specs=pl.BlockSpec((side, side), lambda i, j, k: (i, j)),
        )(x, y)  # fmt: skip

    return call


@pytest.mark.parametrize("size, side", [(96, 32), (64, 64), (12, 4)])
def test_a_product_in_blocks_is_the_product(size, side, on_numba):
    x, y = normals(size, size), normals(size, size)
    call = multiply(size, side)
    expected = np.asarray(x, np.float64) @ np.asarray(y, np.float64)
    np.testing.assert_allclose(call(x, y), expected, atol=1e-4)
    batch = jax.jit(jax.vmap(call, (0, None)))(jnp.stack([x, y]), y)
    np.testing.assert_allclose(batch[0], expected, atol=1e-4)


def test_a_product_of_blocks_is_one_call_of_blas(on_numba):
    text = text_of(multiply(96, 32), normals(96, 96), normals(96, 96))
    assert text.count("product_onto_f32(") == 1 and "product_f32(" not in text


def test_so_is_a_large_one_where_threads_share_the_grid(on_numba):
    """In turn, a large product is left to a step of its own, for which BLAS has all threads."""
    size = 1024
    x = jnp.zeros((size, size))
    text = text_of(multiply(size, size // 2), x, x)
    assert text.count("product_onto_f32(") == 1 and "share(" in text
    band = pl.BlockSpec((size // 2, size), lambda i: (i, 0))
    whole = pl.BlockSpec((size, size), lambda i: (0, 0))

    def kernel(x_ref, y_ref, z_ref):
        z_ref[...] = x_ref[...] @ y_ref[...]

    def bands(x, y):
        return pl.pallas_call(kernel, x, grid=2, in_specs=[band, whole], out_specs=band)(x, y)

    assert text_of(bands, x, x).count("product_f32(") == 1


def test_a_grid_of_traced_sizes_is_a_loop(on_numba):
    def call(x, n):
        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...] * pl.num_programs(0) + pl.program_id(1)

        row = pl.BlockSpec((1, 4), lambda i, j: (i, 0))
        return pl.pallas_call(kernel, x, grid=(n, 3), in_specs=[row], out_specs=row)(x)

    x = normals(6, 4)
    assert "left to NumPy: while" not in str(jax.explain(call)(x, 4))
    for n in (6, 2, 0):
        found = jax.jit(call)(x, n)
        np.testing.assert_allclose(found[:n], x[:n] * n + 2, rtol=1e-6)
        assert bool(jnp.isnan(found[n:]).all())


def test_kernels_hold_integers_and_halves_and_keys_words(on_numba):
    for dtype in ("int8", "bool", "float16", "bfloat16", "complex64"):
        x = jnp.asarray(RANDOM.integers(0, 2, (6, 4))).astype(dtype)
        np.testing.assert_array_equal(jax.jit(lambda x: rows_by(lambda x: x, x))(x), x)

    def noise(x_ref, o_ref):
        key = jax.random.fold_in(jax.random.key(0), pl.program_id(0))
        o_ref[...] = x_ref[...] + jax.random.normal(key, x_ref.shape)

    spec = pl.BlockSpec((2, 4), lambda i: (i, 0))
    x = jnp.zeros((6, 4))
    call = pl.pallas_call(noise, x, grid=(3,), in_specs=[spec], out_specs=spec)
    keys = [jax.random.fold_in(jax.random.key(0), i) for i in range(3)]
    expected = jnp.concatenate([jax.random.normal(key, (2, 4)) for key in keys])
    np.testing.assert_array_equal(jax.jit(call)(x), expected)


def test_places_are_known_in_loops_and_branches_of_a_kernel_under_x64():
    def kernel(o_ref):
        def step(i, total):
            return total + jnp.where(i == 0, pl.program_id(0), 1)

        o_ref[...] = jnp.full((1, 1), lax.fori_loop(0, 3, step, np.int32(0)))

    spec = pl.BlockSpec((None, 1, 1), lambda i, j: (i, j, 0))
    with jax.enable_x64(True):
        out = jax.ShapeDtypeStruct((4, 2, 1), "int32")
        call = pl.pallas_call(kernel, out, grid=(4, 2), out_specs=spec)
        np.testing.assert_array_equal(call()[..., 0], [[i + 2] * 2 for i in range(4)])
