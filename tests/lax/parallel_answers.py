"""Collectives over named axes: functions, their arguments, and what JAX 0.10.2 answers."""

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

F32 = np.float32
X4, I4 = np.arange(4, dtype=F32), np.arange(4, dtype=np.int32)
X23, X22 = np.arange(6, dtype=F32).reshape(2, 3), np.arange(4, dtype=F32).reshape(2, 2)
X24, X222 = np.arange(8, dtype=F32).reshape(2, 4), np.arange(8, dtype=F32).reshape(2, 2, 2)
X2222 = np.arange(16, dtype=F32).reshape(2, 2, 2, 2)
ONES = np.ones(3, F32)
RING, SWAP = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1), (1, 0)]


def one(f):
    return jax.vmap(f, axis_name="i")


def two(f):
    return jax.vmap(jax.vmap(f, axis_name="j"), axis_name="i")


def twice(f):
    return jax.vmap(jax.vmap(f, axis_name="i"), axis_name="i")


def along_1(f):
    return jax.vmap(f, 1, axis_name="i")


def to_none(f):
    return jax.vmap(f, axis_name="i", out_axes=None)


def grad(f):
    return jax.grad(lambda x: jnp.sum(one(f)(x)))


# A function, its argument, and JAX's answer: the dtype, the shape and the numbers of each result.

CASES = {
    "psum": (one(lambda x: lax.psum(x, "i")), X23, "float32 2x3: 3 5 7 3 5 7"),
    "psum of ints": (one(lambda x: lax.psum(x, "i")), I4, "int32 4: 6 6 6 6"),
    "psum of a pytree": (one(lambda x: lax.psum({"a": x, "b": 2 * x}, "i")), X4,
        ["float32 4: 6 6 6 6", "float32 4: 12 12 12 12"]),
    "psum of a number": (one(lambda x: x * lax.psum(2.0, "i")), X4, "float32 4: 0 8 16 24"),
    "psum of an int": (one(lambda x: x * lax.psum(2, "i")), X4, "float32 4: 0 8 16 24"),
    "psum of what is not mapped": (one(lambda x: x * lax.psum(ONES, "i")), X23,
        "float32 2x3: 0 2 4 6 8 10"),
    "psum in a jit": (one(jax.jit(lambda x: lax.psum(x, "i"))), X4, "float32 4: 6 6 6 6"),
    "psum not mapped out": (to_none(lambda x: lax.psum(x, "i")), X4, "float32 : 6"),
    "psum along axis 1": (along_1(lambda x: lax.psum(x, "i")), X23, "float32 3x2: 3 12 3 12 3 12"),
    "psum along both": (two(lambda x: lax.psum(x, ("i", "j"))), X23,
        "float32 2x3: 15 15 15 15 15 15"),
    "psum along the outer": (two(lambda x: lax.psum(x, "i")), X23, "float32 2x3: 3 5 7 3 5 7"),
    "psum along the inner": (two(lambda x: lax.psum(x, "j")), X23, "float32 2x3: 3 3 3 12 12 12"),
    "psum under one name twice": (twice(lambda x: lax.psum(x, "i")), X23,
        "float32 2x3: 3 3 3 12 12 12"),
    "psum past a vmap without a name": (one(jax.vmap(lambda x: lax.psum(x, "i"))), X23,
        "float32 2x3: 3 5 7 3 5 7"),
    "psum of what only the inner maps": (
        one(lambda y: jax.vmap(lambda x: lax.psum(x, "i") + 0 * y)(ONES)), X23[:, 0],
        "float32 2x3: 2 2 2 2 2 2"),
    "pmean": (one(lambda x: lax.pmean(x, "i")), X23, "float32 2x3: 1.5 2.5 3.5 1.5 2.5 3.5"),
    "pmean of ints": (one(lambda x: lax.pmean(x, "i")), I4, "float32 4: 1.5 1.5 1.5 1.5"),
    "pmean of a pytree": (one(lambda x: lax.pmean({"a": x, "b": 2 * x}, "i")), X4,
        ["float32 4: 1.5 1.5 1.5 1.5", "float32 4: 3 3 3 3"]),
    "pmean of a number": (one(lambda x: x * lax.pmean(2.0, "i")), X4, "float32 4: 0 2 4 6"),
    "pmean of an int": (one(lambda x: x * lax.pmean(2, "i")), X4, "float32 4: 0 2 4 6"),
    "pmean of what is not mapped": (one(lambda x: x * lax.pmean(ONES, "i")), X23,
        "float32 2x3: 0 1 2 3 4 5"),
    "pmean in a jit": (one(jax.jit(lambda x: lax.pmean(x, "i"))), X4, "float32 4: 1.5 1.5 1.5 1.5"),
    "pmean not mapped out": (to_none(lambda x: lax.pmean(x, "i")), X4, "float32 : 1.5"),
    "pmean along axis 1": (along_1(lambda x: lax.pmean(x, "i")), X23, "float32 3x2: 1 4 1 4 1 4"),
    "pmean along both": (two(lambda x: lax.pmean(x, ("i", "j"))), X23,
        "float32 2x3: 2.5 2.5 2.5 2.5 2.5 2.5"),
    "pmean along the outer": (two(lambda x: lax.pmean(x, "i")), X23,
        "float32 2x3: 1.5 2.5 3.5 1.5 2.5 3.5"),
    "pmean along the inner": (two(lambda x: lax.pmean(x, "j")), X23, "float32 2x3: 1 1 1 4 4 4"),
    "pmean under one name twice": (twice(lambda x: lax.pmean(x, "i")), X23,
        "float32 2x3: 1 1 1 4 4 4"),
    "pmean past a vmap without a name": (one(jax.vmap(lambda x: lax.pmean(x, "i"))), X23,
        "float32 2x3: 1.5 2.5 3.5 1.5 2.5 3.5"),
    "pmean of what only the inner maps": (
        one(lambda y: jax.vmap(lambda x: lax.pmean(x, "i") + 0 * y)(ONES)), X23[:, 0],
        "float32 2x3: 1 1 1 1 1 1"),
    "pmax": (one(lambda x: lax.pmax(x, "i")), X23, "float32 2x3: 3 4 5 3 4 5"),
    "pmax of ints": (one(lambda x: lax.pmax(x, "i")), I4, "int32 4: 3 3 3 3"),
    "pmax of a pytree": (one(lambda x: lax.pmax({"a": x, "b": 2 * x}, "i")), X4,
        ["float32 4: 3 3 3 3", "float32 4: 6 6 6 6"]),
    "pmax of a number": (one(lambda x: x * lax.pmax(2.0, "i")), X4, "float32 4: 0 2 4 6"),
    "pmax of an int": (one(lambda x: x * lax.pmax(2, "i")), X4, "float32 4: 0 2 4 6"),
    "pmax of what is not mapped": (one(lambda x: x * lax.pmax(ONES, "i")), X23,
        "float32 2x3: 0 1 2 3 4 5"),
    "pmax in a jit": (one(jax.jit(lambda x: lax.pmax(x, "i"))), X4, "float32 4: 3 3 3 3"),
    "pmax not mapped out": (to_none(lambda x: lax.pmax(x, "i")), X4, "float32 : 3"),
    "pmax along axis 1": (along_1(lambda x: lax.pmax(x, "i")), X23, "float32 3x2: 2 5 2 5 2 5"),
    "pmax along both": (two(lambda x: lax.pmax(x, ("i", "j"))), X23, "float32 2x3: 5 5 5 5 5 5"),
    "pmax along the outer": (two(lambda x: lax.pmax(x, "i")), X23, "float32 2x3: 3 4 5 3 4 5"),
    "pmax along the inner": (two(lambda x: lax.pmax(x, "j")), X23, "float32 2x3: 2 2 2 5 5 5"),
    "pmax under one name twice": (twice(lambda x: lax.pmax(x, "i")), X23,
        "float32 2x3: 2 2 2 5 5 5"),
    "pmax past a vmap without a name": (one(jax.vmap(lambda x: lax.pmax(x, "i"))), X23,
        "float32 2x3: 3 4 5 3 4 5"),
    "pmax of what only the inner maps": (
        one(lambda y: jax.vmap(lambda x: lax.pmax(x, "i") + 0 * y)(ONES)), X23[:, 0],
        "float32 2x3: 1 1 1 1 1 1"),
    "pmin": (one(lambda x: lax.pmin(x, "i")), X23, "float32 2x3: 0 1 2 0 1 2"),
    "pmin of ints": (one(lambda x: lax.pmin(x, "i")), I4, "int32 4: 0 0 0 0"),
    "pmin of a pytree": (one(lambda x: lax.pmin({"a": x, "b": 2 * x}, "i")), X4,
        ["float32 4: 0 0 0 0", "float32 4: 0 0 0 0"]),
    "pmin of a number": (one(lambda x: x * lax.pmin(2.0, "i")), X4, "float32 4: 0 2 4 6"),
    "pmin of an int": (one(lambda x: x * lax.pmin(2, "i")), X4, "float32 4: 0 2 4 6"),
    "pmin of what is not mapped": (one(lambda x: x * lax.pmin(ONES, "i")), X23,
        "float32 2x3: 0 1 2 3 4 5"),
    "pmin in a jit": (one(jax.jit(lambda x: lax.pmin(x, "i"))), X4, "float32 4: 0 0 0 0"),
    "pmin not mapped out": (to_none(lambda x: lax.pmin(x, "i")), X4, "float32 : 0"),
    "pmin along axis 1": (along_1(lambda x: lax.pmin(x, "i")), X23, "float32 3x2: 0 3 0 3 0 3"),
    "pmin along both": (two(lambda x: lax.pmin(x, ("i", "j"))), X23, "float32 2x3: 0 0 0 0 0 0"),
    "pmin along the outer": (two(lambda x: lax.pmin(x, "i")), X23, "float32 2x3: 0 1 2 0 1 2"),
    "pmin along the inner": (two(lambda x: lax.pmin(x, "j")), X23, "float32 2x3: 0 0 0 3 3 3"),
    "pmin under one name twice": (twice(lambda x: lax.pmin(x, "i")), X23,
        "float32 2x3: 0 0 0 3 3 3"),
    "pmin past a vmap without a name": (one(jax.vmap(lambda x: lax.pmin(x, "i"))), X23,
        "float32 2x3: 0 1 2 0 1 2"),
    "pmin of what only the inner maps": (
        one(lambda y: jax.vmap(lambda x: lax.pmin(x, "i") + 0 * y)(ONES)), X23[:, 0],
        "float32 2x3: 1 1 1 1 1 1"),
    "psum of bools": (one(lambda x: lax.psum(x > 1, "i")), X4, "int32 4: 2 2 2 2"),
    "axis_index": (one(lambda x: lax.axis_index("i")), X4, "int32 4: 0 1 2 3"),
    "axis_index in a jit": (one(jax.jit(lambda x: lax.axis_index("i") * x)), X4,
        "float32 4: 0 1 4 9"),
    "axis_index of both": (two(lambda x: lax.axis_index(("i", "j"))), X23,
        "int32 2x3: 0 1 2 3 4 5"),
    "axis_index of the outer": (two(lambda x: lax.axis_index("i")), X23, "int32 2x3: 0 0 0 1 1 1"),
    "axis_index of the inner": (two(lambda x: lax.axis_index("j")), X23, "int32 2x3: 0 1 2 0 1 2"),
    "axis_size": (one(lambda x: x * lax.axis_size("i")), X4, "float32 4: 0 4 8 12"),
    "axis_size of both": (two(lambda x: x * lax.axis_size(("i", "j"))), X23,
        "float32 2x3: 0 6 12 18 24 30"),
    "all_gather axis=0 tiled=False": (
        one(lambda x: lax.all_gather(x, "i", axis=0, tiled=False)), X222,
        "float32 2x2x2x2: 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7"),
    "all_gather axis=0 tiled=True": (
        one(lambda x: lax.all_gather(x, "i", axis=0, tiled=True)), X222,
        "float32 2x4x2: 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7"),
    "all_gather axis=1 tiled=False": (
        one(lambda x: lax.all_gather(x, "i", axis=1, tiled=False)), X222,
        "float32 2x2x2x2: 0 1 4 5 2 3 6 7 0 1 4 5 2 3 6 7"),
    "all_gather axis=1 tiled=True": (
        one(lambda x: lax.all_gather(x, "i", axis=1, tiled=True)), X222,
        "float32 2x2x4: 0 1 4 5 2 3 6 7 0 1 4 5 2 3 6 7"),
    "all_gather axis=-1 tiled=False": (
        one(lambda x: lax.all_gather(x, "i", axis=-1, tiled=False)), X222,
        "float32 2x2x2x2: 0 4 1 5 2 6 3 7 0 4 1 5 2 6 3 7"),
    "all_gather axis=-1 tiled=True": (
        one(lambda x: lax.all_gather(x, "i", axis=-1, tiled=True)), X222,
        "float32 2x2x4: 0 1 4 5 2 3 6 7 0 1 4 5 2 3 6 7"),
    "all_gather of scalars": (one(lambda x: lax.all_gather(x, "i")), X22[0],
        "float32 2x2: 0 1 0 1"),
    "all_gather of what is not mapped": (one(lambda x: lax.all_gather(ONES[:2], "i") + x), X22,
        "float32 2x2x2: 1 2 1 2 3 4 3 4"),
    "all_gather in a jit": (one(jax.jit(lambda x: lax.all_gather(x, "i"))), X22,
        "float32 2x2x2: 0 1 2 3 0 1 2 3"),
    "all_gather not mapped out": (to_none(lambda x: lax.all_gather(x, "i")), X4,
        "float32 4: 0 1 2 3"),
    "all_gather along the outer": (two(lambda x: lax.all_gather(x, "i")), X22,
        "float32 2x2x2: 0 2 1 3 0 2 1 3"),
    "all_gather along the inner": (two(lambda x: lax.all_gather(x, "j")), X22,
        "float32 2x2x2: 0 1 0 1 2 3 2 3"),
    "all_gather along the outer, axis 1": (two(lambda x: lax.all_gather(x, "i", axis=1)), X222,
        "float32 2x2x2x2: 0 4 1 5 2 6 3 7 0 4 1 5 2 6 3 7"),
    "all_gather along the outer, tiled": (two(lambda x: lax.all_gather(x, "i", tiled=True)), X222,
        "float32 2x2x4: 0 1 4 5 2 3 6 7 0 1 4 5 2 3 6 7"),
    "psum_scatter": (one(lambda x: lax.psum_scatter(x, "i")), X22, "float32 2: 2 4"),
    "psum_scatter tiled": (one(lambda x: lax.psum_scatter(x, "i", tiled=True)), X24,
        "float32 2x2: 4 6 8 10"),
    "psum_scatter of axis 1": (one(lambda x: lax.psum_scatter(x, "i", scatter_dimension=1)), X222,
        "float32 2x2: 4 8 6 10"),
    "psum_scatter of what is not mapped": (one(lambda x: lax.psum_scatter(ONES[:2], "i") + x), X22,
        "float32 2x2: 2 3 4 5"),
    "psum_scatter along the outer": (two(lambda x: lax.psum_scatter(x, "i")), X222,
        "float32 2x2: 4 8 6 10"),
    "psum_scatter of axis 1 along the outer": (
        two(lambda x: lax.psum_scatter(x, "i", scatter_dimension=1)), X2222,
        "float32 2x2x2: 8 12 16 20 10 14 18 22"),
    "ppermute": (one(lambda x: lax.ppermute(x, "i", RING)), X4, "float32 4: 3 0 1 2"),
    "ppermute of rows": (one(lambda x: lax.ppermute(x, "i", SWAP)), X23,
        "float32 2x3: 3 4 5 0 1 2"),
    "ppermute of what is not mapped": (one(lambda x: lax.ppermute(ONES, "i", SWAP) + x), X23,
        "float32 2x3: 1 2 3 4 5 6"),
    "ppermute in a jit": (one(jax.jit(lambda x: lax.ppermute(x, "i", SWAP))), X23,
        "float32 2x3: 3 4 5 0 1 2"),
    "ppermute along the outer": (two(lambda x: lax.ppermute(x, "i", SWAP)), X23,
        "float32 2x3: 3 4 5 0 1 2"),
    "ppermute along the inner": (two(lambda x: lax.ppermute(x, "j", SWAP)), X22,
        "float32 2x2: 1 0 3 2"),
    "all_to_all 0 0": (one(lambda x: lax.all_to_all(x, "i", 0, 0)), X222,
        "float32 2x2x2: 0 1 4 5 2 3 6 7"),
    "all_to_all 0 0 tiled": (one(lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True)), X222,
        "float32 2x2x2: 0 1 4 5 2 3 6 7"),
    "all_to_all 0 1": (one(lambda x: lax.all_to_all(x, "i", 0, 1)), X222,
        "float32 2x2x2: 0 4 1 5 2 6 3 7"),
    "all_to_all 0 1 tiled": (one(lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True)), X222,
        "float32 2x1x4: 0 1 4 5 2 3 6 7"),
    "all_to_all 1 0": (one(lambda x: lax.all_to_all(x, "i", 1, 0)), X222,
        "float32 2x2x2: 0 2 4 6 1 3 5 7"),
    "all_to_all 1 0 tiled": (one(lambda x: lax.all_to_all(x, "i", 1, 0, tiled=True)), X222,
        "float32 2x4x1: 0 2 4 6 1 3 5 7"),
    "all_to_all 1 1": (one(lambda x: lax.all_to_all(x, "i", 1, 1)), X222,
        "float32 2x2x2: 0 4 2 6 1 5 3 7"),
    "all_to_all 1 1 tiled": (one(lambda x: lax.all_to_all(x, "i", 1, 1, tiled=True)), X222,
        "float32 2x2x2: 0 4 2 6 1 5 3 7"),
    "all_to_all 0 1 of three axes": (one(lambda x: lax.all_to_all(x, "i", 0, 1)), X2222,
        "float32 2x2x2x2: 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15"),
    "all_to_all 2 0 of three axes": (one(lambda x: lax.all_to_all(x, "i", 2, 0)), X2222,
        "float32 2x2x2x2: 0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15"),
    "all_to_all in a jit": (one(jax.jit(lambda x: lax.all_to_all(x, "i", 0, 0))), X22,
        "float32 2x2: 0 2 1 3"),
    "all_to_all along the outer": (two(lambda x: lax.all_to_all(x, "i", 0, 0)), X222,
        "float32 2x2x2: 0 4 2 6 1 5 3 7"),
    "all_to_all along the outer, 1 0": (two(lambda x: lax.all_to_all(x, "i", 1, 0)), X2222,
        "float32 2x2x2x2: 0 2 8 10 4 6 12 14 1 3 9 11 5 7 13 15"),
    "gradient of psum, for each": (one(jax.grad(lambda x: lax.psum(x * x, "i"))), X4,
        "float32 4: 0 8 16 24"),
    "gradient of psum, of all": (grad(lambda x: lax.psum(x * x, "i") * x), X4,
        "float32 4: 14 26 38 50"),
    "gradient of psum in a jit, for each": (
        one(jax.grad(jax.jit(lambda x: lax.psum(x * x, "i")))), X4,
        "float32 4: 0 8 16 24"),
    "gradient of psum in a jit, of all": (grad(jax.jit(lambda x: lax.psum(x * x, "i") * x)), X4,
        "float32 4: 14 26 38 50"),
    "gradient of psum along both": (two(jax.grad(lambda x: lax.psum(x * x, ("i", "j")))), X23,
        "float32 2x3: 0 12 24 36 48 60"),
    "gradient of psum along the outer": (two(jax.grad(lambda x: lax.psum(x * x, "i"))), X23,
        "float32 2x3: 0 4 8 12 16 20"),
    "jvp of psum": (one(lambda x: jax.jvp(lambda x: lax.psum(x * x, "i") * x, (x,), (1.0,))), X4,
        ["float32 4: 0 14 28 42", "float32 4: 14 26 38 50"]),
    "second derivative of psum": (one(jax.grad(jax.grad(lambda x: lax.psum(x * x * x, "i")))), X4,
        "float32 4: 0 24 48 72"),
    "gradient of pmean, for each": (one(jax.grad(lambda x: lax.pmean(x * x, "i"))), X4,
        "float32 4: 0 2 4 6"),
    "gradient of pmean, of all": (grad(lambda x: lax.pmean(x * x, "i") * x), X4,
        "float32 4: 3.5 6.5 9.5 12.5"),
    "gradient of pmean in a jit, for each": (
        one(jax.grad(jax.jit(lambda x: lax.pmean(x * x, "i")))), X4,
        "float32 4: 0 2 4 6"),
    "gradient of pmean in a jit, of all": (grad(jax.jit(lambda x: lax.pmean(x * x, "i") * x)), X4,
        "float32 4: 3.5 6.5 9.5 12.5"),
    "gradient of pmean along both": (two(jax.grad(lambda x: lax.pmean(x * x, ("i", "j")))), X23,
        "float32 2x3: 0 2 4 6 8 10"),
    "gradient of pmean along the outer": (two(jax.grad(lambda x: lax.pmean(x * x, "i"))), X23,
        "float32 2x3: 0 2 4 6 8 10"),
    "jvp of pmean": (one(lambda x: jax.jvp(lambda x: lax.pmean(x * x, "i") * x, (x,), (1.0,))), X4,
        ["float32 4: 0 3.5 7 10.5", "float32 4: 3.5 6.5 9.5 12.5"]),
    "second derivative of pmean": (one(jax.grad(jax.grad(lambda x: lax.pmean(x * x * x, "i")))), X4,
        "float32 4: 0 6 12 18"),
    "gradient of all_gather, for each": (
        one(jax.grad(lambda x: jnp.sum(lax.all_gather(x * x, "i") ** 2))), X23,
        "float32 2x3: 0 8 64 216 512 1000"),
    "gradient of all_gather, of all": (grad(lambda x: lax.all_gather(x * x, "i") * x), X4,
        "float32 4: 14 26 38 50"),
    "gradient of all_gather, tiled": (
        one(jax.grad(lambda x: jnp.sum(lax.all_gather(x * x, "i", tiled=True) ** 2))), X23,
        "float32 2x3: 0 8 64 216 512 1000"),
    "gradient of psum_scatter": (
        one(jax.grad(lambda x: jnp.sum(lax.psum_scatter(x * x, "i") ** 2))), X22,
        "float32 2x2: 0 40 32 120"),
    "gradient of psum_scatter, tiled": (
        one(jax.grad(lambda x: jnp.sum(lax.psum_scatter(x * x, "i", tiled=True) ** 2))), X24,
        "float32 2x4: 0 104 320 696 256 520 960 1624"),
    "gradient of ppermute, for each": (one(jax.grad(lambda x: x * lax.ppermute(x, "i", RING))), X4,
        "float32 4: 4 2 4 2"),
    "gradient of ppermute, of all": (grad(lambda x: lax.ppermute(x * x, "i", RING) * x), X4,
        "float32 4: 9 4 13 4"),
    "gradient of all_to_all, for each": (
        one(jax.grad(lambda x: jnp.sum(lax.all_to_all(x * x, "i", 0, 0) ** 2))), X22,
        "float32 2x2: 0 4 32 108"),
    "gradient of all_to_all, of all": (grad(lambda x: lax.all_to_all(x * x, "i", 0, 1) * x), X222,
        "float32 2x2x2: 0 20 17 61 12 66 69 147"),
    "gradient with axis_index": (one(jax.grad(lambda x: x * x * lax.axis_index("i"))), X4,
        "float32 4: 0 2 8 18"),
    "centred and scaled": (one(lambda x: (x - lax.pmean(x, "i")) / lax.psum(x, "i")), X4,
        "float32 4: -0.25 -0.083333 0.083333 0.25"),}  # fmt: skip
