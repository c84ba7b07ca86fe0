"""Random bits: Threefry written out, as a function of words; keys are uint32[..., 2]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.elementwise_operations import Outs, spread
from minijax.compiler.stablehlo.operation_rules import rule, rules, rules_of_keys
from minijax.compiler.stablehlo.tensor_types import UINT32, TensorType
from minijax.compiler.stablehlo.text_builder import Builder, Value
from minijax.core.dtypes import issubdtype
from minijax.core.prng import PARITY, ROTATIONS

UINT64 = np.dtype(np.uint64)


def threefry(b: Builder, *words: Value) -> list[Value]:
    """A call of the generator, on words of one shape: k1, k2, x1, x2. (See core/prng.py.)"""
    types = [x.type for x in words]

    def make() -> tuple:
        return *b.module.function("threefry2x32", types, mixed), None

    function, outs, _ = b.module.once(("threefry2x32", types[0]), make)
    return b.call(function, words, outs)


def mixed(b: Builder, k1: Value, k2: Value, x1: Value, x2: Value) -> list[Value]:
    parity = b.full_like(k1, PARITY)
    keys = [k1, k2, b.op("xor", b.op("xor", k1, k2), parity)]
    x1, x2 = b.op("add", x1, k1), b.op("add", x2, k2)
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x1 = b.op("add", x1, x2)
            left = b.op("shift_left", x2, b.full_like(x2, rotation))
            right = b.op("shift_right_logical", x2, b.full_like(x2, 32 - rotation))
            x2 = b.op("xor", x1, b.op("or", left, right))
        x1 = b.op("add", x1, keys[(group + 1) % 3])
        x2 = b.op("add", b.op("add", x2, keys[(group + 2) % 3]), b.full_like(x2, group + 1))
    return [x1, x2]


@rule("threefry2x32")
def _threefry2x32(b: Builder, outs: Outs, *words: Value) -> list[Value]:
    return threefry(b, *spread(b, words, outs[0].shape))


# Keys.


def key_rule(*names: str) -> Any:
    def register(fun: Any) -> Any:
        rules_of_keys.update(dict.fromkeys(names, fun))
        return fun

    return register


def mix(b: Builder, keys: Value, counts: Value, high: Value | None = None) -> list[Value]:
    """What each key makes of counters, whose axes are those of the keys, and then their own."""
    lead = range(keys.ndim - 1)
    words = [b.broadcast(b.word(keys, i), counts.shape, lead) for i in (0, 1)]
    return threefry(b, *words, b.full_like(counts, 0) if high is None else high, counts)


def counted(b: Builder, keys: Value, shape: Sequence[int]) -> Value:
    """0, 1, 2, ... in an array of the shape, the same for each key."""
    flat = b.iota(TensorType((math.prod(shape),), UINT32), 0)
    lead = keys.shape[:-1]
    counts = b.reshape(flat, shape)
    return b.broadcast(counts, (*lead, *shape), range(len(lead), len(lead) + len(shape)))


def side_by_side(b: Builder, words: Sequence[Value]) -> Value:
    """Words along a last axis."""
    return b.concatenate([b.reshape(x, (*x.shape, 1)) for x in words], words[0].ndim)


def in_halves(b: Builder, keys: Value, size: int) -> Value:
    """uint32[..., size], in the older order: the first half of the numbers goes with the second."""
    half = (size + 1) // 2
    lead = keys.shape[:-1]
    type_ = TensorType((*lead, half), UINT32)
    first = b.iota(type_, len(lead))
    second = b.op("add", first, b.full(type_, half))
    if size % 2:
        is_there = b.compare("LT", second, b.full(type_, size))
        second = b.select(is_there, second, b.full(type_, 0))
    words = b.concatenate(mix(b, keys, second, first), len(lead))
    return b.index(words, len(lead), 0, size)


@key_rule("random_seed")
def _seed(b: Builder, outs: Outs, seeds: Value, *, impl: Any) -> Value:
    high = b.full(seeds.type.of(UINT32), 0)
    if seeds.dtype.itemsize == 8:
        wide = b.convert(seeds, UINT64)
        high = b.convert(b.op("shift_right_logical", wide, b.full_like(wide, 32)), UINT32)
    elif issubdtype(seeds.dtype, np.signedinteger):
        seeds = b.convert(seeds, np.dtype(np.int32))
    return side_by_side(b, [high, b.convert(seeds, UINT32)])


@key_rule("random_wrap", "random_unwrap", "random_clone", "copy", "stop_gradient", "name")
def _words(b: Builder, outs: Outs, keys: Value, **_: Any) -> Value:
    return keys


@key_rule("random_split")
def _split(b: Builder, outs: Outs, keys: Value, *, shape: tuple, partitionable: bool) -> Value:
    if not partitionable:
        words = in_halves(b, keys, 2 * math.prod(shape))
        return b.reshape(words, outs[0].shape)
    return side_by_side(b, mix(b, keys, counted(b, keys, shape)))


@key_rule("random_fold_in")
def _fold_in(b: Builder, outs: Outs, keys: Value, data: Value) -> Value:
    [out] = outs
    keys = b.broadcast(keys, out.shape, range(out.ndim - keys.ndim, out.ndim))
    return side_by_side(b, mix(b, keys, b.broadcast(data, out.shape[:-1], range(data.ndim))))


@key_rule("random_bits")
def _bits(
    b: Builder, outs: Outs, keys: Value, *, bit_width: int, shape: tuple, partitionable: bool
) -> Value:
    [out] = outs
    if not partitionable:
        return _bits_in_halves(b, keys, bit_width, math.prod(shape), out)
    high, low = mix(b, keys, counted(b, keys, shape))
    if bit_width == 64:
        return joined(b, high, low)
    return b.convert(b.op("xor", high, low), out.dtype)


def joined(b: Builder, high: Value, low: Value) -> Value:
    high = b.convert(high, UINT64)
    return b.op("or", b.op("shift_left", high, b.full_like(high, 32)), b.convert(low, UINT64))


def _bits_in_halves(
    b: Builder, keys: Value, bit_width: int, size: int, out: TensorType
) -> Value:
    words = in_halves(b, keys, -(-size * bit_width // 32))
    axis = words.ndim - 1
    if bit_width == 64:
        high, low = b.index(words, axis, 0, size), b.index(words, axis, size, 2 * size)
        return b.reshape(joined(b, high, low), out.shape)
    shape = (*words.shape, 32 // bit_width)
    places = b.op(
        "multiply", b.iota(TensorType(shape, UINT32), axis + 1),
        b.full(TensorType(shape, UINT32), bit_width),
    )  # fmt: skip
    parts = b.op("shift_right_logical", b.broadcast(words, shape, range(axis + 1)), places)
    parts = b.convert(parts, out.dtype)
    flat = b.reshape(parts, (*words.shape[:-1], words.shape[-1] * (32 // bit_width)))
    return b.reshape(b.index(flat, axis, 0, size), out.shape)


@key_rule("eq")
def _are_equal(b: Builder, outs: Outs, x: Value, y: Value) -> Value:
    shape = (*outs[0].shape, 2)
    x, y = (b.broadcast(z, shape, range(len(shape) - z.ndim, len(shape))) for z in (x, y))
    same = b.compare("EQ", x, y)
    return b.reduce("and", same, True, [same.ndim - 1])


@key_rule("select_n")
def _select_keys(b: Builder, outs: Outs, which: Value, *cases: Value) -> Value:
    which = b.broadcast(which, outs[0].shape, range(which.ndim))
    return rules["select_n"](b, outs, which, *cases)


# Generators with a state, and without one.


@rule("rng_bit_generator")
def _rng_bit_generator(
    b: Builder, outs: Outs, state: Value, *, shape: tuple, dtype: Any, algorithm: Any,
    out_sharding: Any = None,
) -> list[Value]:  # fmt: skip
    """Small integers are the low bits of 32; a state of four words is one of two long ones."""
    state_type, bits_type = outs
    wide = np.dtype(np.uint64 if dtype.itemsize == 8 else np.uint32)
    long_type = TensorType((2,), UINT64)
    if state.dtype == UINT32:
        four = b.reshape(state, (2, 2))
        state = b.shaped("bitcast_convert", four, out=long_type)
    name = {0: "DEFAULT", 1: "THREE_FRY", 2: "PHILOX"}[int(algorithm)]
    made = bits_type.of(wide)
    new, bits = b.put(
        f"stablehlo.rng_bit_generator {state.name}, algorithm =  {name} : ({state.type}) -> "
        f"({long_type}, {made})", long_type, made,
    )  # fmt: skip
    if state_type.dtype == UINT32:
        four = b.shaped("bitcast_convert", new, out=TensorType((2, 2), UINT32))
        new = b.reshape(four, (4,))
    return [new, b.convert(bits, bits_type.dtype)]


@rule("rng_uniform")
def _rng_uniform(b: Builder, outs: Outs, low: Value, high: Value, *, shape: tuple) -> Value:
    sizes = b.constant(np.array(shape, np.int64))
    kind = ", distribution =  UNIFORM"
    return b.shaped("rng", low, high, sizes, out=outs[0], attributes=kind)
