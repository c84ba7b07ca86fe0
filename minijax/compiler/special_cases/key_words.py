"""Keys: to kernels a key is its two words, and random bits are computed one by one.

A program in which keys are made, moved and drawn from becomes one of words alone, uint32[..., 2]:
what moves a key moves its words, as if it were mapped over the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.compiler.kernels.elements import Place
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.compiler.passes.rewriting import Draft
from minijax.compiler.passes.simplify import copy, inline
from minijax.compiler.special_cases.other_types import (
    finished, from_their_lines, occurs, put, with_programs,
)
from minijax.core.arrays import Array
from minijax.core.batching import AxisData, primitive_batchers
from minijax.core.config import derived
from minijax.core.dtypes import issubdtype
from minijax.core.primitives import (
    Shape, broadcast_in_dim, broadcasting_shape, cast, div, eq, eq_p, fill, numpy_primitive,
    reshape, select,
)
from minijax.core.printing import jaxprs_in_params
from minijax.core.prng import (
    PRNGImpl, prng_key, random_bits_p, random_clone_p, random_fold_in_p, random_seed_p,
    random_split_p, random_unwrap_p, random_wrap_p, threefry, threefry_numpy, words_of,
)
from minijax.core.programs import batch_jaxpr
from minijax.core.staging import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Var
from minijax.core.tracing import ShapedArray

# What kernels compute.


def _counter_rule(*, shape: Shape) -> ShapedArray:
    return ShapedArray(shape, np.uint32)


def _numpy_counter(shape: Shape) -> np.ndarray:
    return np.arange(math.prod(shape), dtype=np.uint32).reshape(shape)


def _key_word_rule(words: ShapedArray, *, word: int) -> ShapedArray:
    return words.update(shape=words.shape[:-1])


_PARTS: dict[str, tuple[str, Callable, type]] = {
    "high": ("{high}", lambda high, low: high, np.uint32),
    "low": ("{low}", lambda high, low: low, np.uint32),
    "either": ("{high} ^ {low}", lambda high, low: high ^ low, np.uint32),
    "both": (
        "uint64(uint64({high}) << uint64(32)) | uint64({low})",
        lambda high, low: (high.astype(np.uint64) << 32) | low, np.uint64,
    ),
}  # fmt: skip


def _threefry_rule(
    k1: ShapedArray, k2: ShapedArray, counter: ShapedArray, *, part: str
) -> ShapedArray:
    return ShapedArray(broadcasting_shape("threefry", [k1, k2, counter]), _PARTS[part][2])


def _numpy_threefry(k1: np.ndarray, k2: np.ndarray, counter: np.ndarray, part: str) -> np.ndarray:
    return _PARTS[part][1](*threefry_numpy(k1, k2, np.uint32(0), counter))


def _threefry_template(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype, part: str) -> str:
    """Where both words are asked for, the generator stands there twice, and LLVM runs it once."""
    words = "threefry2x32({0}, {1}, uint32(0), {2})"
    return _PARTS[part][0].replace("{high}", words + "[0]").replace("{low}", words + "[1]")


counter_p = numpy_primitive("counter", _counter_rule, _numpy_counter)
register_lowering(counter_p, index=lambda places, shape: (places, shape))

key_word_p = numpy_primitive("key_word", _key_word_rule, lambda words, word: words[..., word])
register_lowering(key_word_p, view=lambda places, shape, word: [*places, Place(None, 0, word)])

threefry_p = numpy_primitive("threefry", _threefry_rule, _numpy_threefry)
register_lowering(threefry_p, template=_threefry_template)

# What is done with keys, on their words: operands and results are uint32[..., 2] for each key.


def mixed(words: Any, counter: Any, part: str) -> Any:
    """What each key makes of the counters, which lie behind the axes of the keys."""
    keys = [key_word_p.bind(words, word=word) for word in (0, 1)]
    if words.aval.ndim > 1:
        shape = (*words.aval.shape[:-1], *[1] * (counter.aval.ndim - words.aval.ndim + 1))
        keys = [reshape(word, shape) for word in keys]
    return threefry_p.bind(*keys, counter, part=part)


def _new_keys(words: Any, counter: Any) -> Any:
    return _side_by_side(*[mixed(words, counter, part) for part in ("high", "low")])


def _side_by_side(high: Any, low: Any) -> Any:
    """Both words of keys along a last axis."""
    shape, ndim = (*high.aval.shape, 2), high.aval.ndim
    high, low = [broadcast_in_dim(x, shape, range(ndim)) for x in (high, low)]
    is_low = eq(counter_p.bind(shape=(2,)), np.uint32(1))
    return select(broadcast_in_dim(is_low, shape, (ndim,)), low, high)


def _counter(words: Any, shape: Shape) -> Any:
    return counter_p.bind(shape=(*[1] * (words.aval.ndim - 1), *shape))


def _seed(seeds: Any, *, impl: PRNGImpl) -> Any:
    """The high word is 0 of an integer that has no more than 32 bits."""
    high = fill(seeds.aval, 0)
    if seeds.aval.dtype.itemsize == 8:
        high = div(cast(seeds, np.dtype(np.uint64)), np.uint64(1 << 32))
    return _side_by_side(*[cast(word, np.dtype(np.uint32)) for word in (high, seeds)])


def _split(words: Any, *, shape: Shape, partitionable: bool) -> Any:
    return _new_keys(words, _counter(words, shape))


def _fold_in(words: Any, data: Any) -> Any:
    return _new_keys(words, data)


def _bits(words: Any, *, bit_width: int, shape: Shape, partitionable: bool) -> Any:
    bits = mixed(words, _counter(words, shape), "both" if bit_width == 64 else "either")
    return cast(bits, np.dtype(f"uint{bit_width}"))


def _are_equal(words: Any, others: Any) -> Any:
    high, low = [eq(*(key_word_p.bind(x, word=word) for x in (words, others))) for word in (0, 1)]
    return select(high, low, high)


register_lowering(random_seed_p, on_words=_seed)
register_lowering(random_split_p, on_words=_split)
register_lowering(random_fold_in_p, on_words=_fold_in)
register_lowering(random_bits_p, on_words=_bits)
register_lowering(eq_p, on_words=_are_equal)
for _primitive in [random_wrap_p, random_unwrap_p, random_clone_p]:
    register_lowering(_primitive, on_words=lambda words, **_: words)

# From a program of keys to one of words.


def is_key(x: Any) -> bool:
    return isinstance(x.aval, ShapedArray) and issubdtype(x.aval.dtype, prng_key)


def words_var(x: Atom) -> Var:
    """A variable for the words of a key, and for anything else another of its type."""
    return Var(ShapedArray((*x.aval.shape, 2), np.uint32)) if is_key(x) else Var(x.aval)


def has_keys(jaxpr: Jaxpr) -> bool:
    return occurs(jaxpr, is_key)


def without_keys(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The program with keys at its borders only: unwrapped on their way in, wrapped on it out."""
    if not has_keys(closed.jaxpr):
        return closed
    draft = Draft(ClosedJaxpr(Jaxpr([], [], [], []), []))
    operands = [unwrapped(draft, v) if is_key(v) else v for v in closed.invars]
    pairs = zip(closed.outvars, copy(draft, of_words(closed), operands), strict=True)
    return finished(closed.jaxpr, draft, [wrapped(draft, x) if is_key(v) else x for v, x in pairs])


@derived
def of_words(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same program, with words for the keys among its arguments, constants and results."""
    closed = inline(closed)
    old = closed.jaxpr
    words = {v: words_var(v) for v in (*old.constvars, *old.invars) if is_key(v)}
    constvars, invars = [[words.get(v, v) for v in group] for group in (old.constvars, old.invars)]
    pairs = zip(old.constvars, closed.consts, strict=True)
    consts = [Array(words_of(x)) if is_key(v) else x for v, x in pairs]
    draft = Draft(ClosedJaxpr(Jaxpr(constvars, [], [], []), consts))
    draft.stands_for |= words
    for eqn in from_their_lines(old.eqns):
        atoms = put_words(draft, draft.read(eqn), eqn)
        draft.stands_for.update(zip(eqn.outvars, atoms, strict=True))
    outs = [draft.stands_for.get(v, v) for v in old.outvars]
    return finished(old, draft, outs, invars)


def put_words(draft: Draft, eqn: JaxprEqn, old: JaxprEqn) -> Sequence[Atom]:
    """Writes an equation of keys as one of words; its results. `old` has its types as they were."""
    params = with_programs(eqn.params, _of_words)
    if any(has_keys(inner) for inner in jaxprs_in_params(params)):
        return as_before(draft, eqn, old)
    if any(jaxprs_in_params(params)) or not any(map(is_key, (*old.invars, *old.outvars))):
        outvars = [words_var(v) if is_key(v) else v for v in eqn.outvars]
        return draft.write(eqn._replace(params=params, outvars=outvars))
    on_words = lowerings[eqn.primitive].on_words
    if on_words:
        if not params.get("partitionable", True):
            return as_before(draft, eqn, old)
        fun = partial(on_words, **eqn.primitive.active(params))
        return put(draft, lambda *xs: [fun(*xs)], *eqn.invars)
    is_move = any(map(is_key, old.invars)) and len(old.outvars) == 1 and is_key(old.outvars[0])
    if is_move and eqn.primitive in primitive_batchers:
        return copy(draft, moving_words(old), eqn.invars)
    return as_before(draft, eqn, old)


def _of_words(closed: ClosedJaxpr) -> ClosedJaxpr:
    return of_words(closed) if has_keys(closed.jaxpr) else closed


def moving_words(eqn: JaxprEqn) -> ClosedJaxpr:
    """An equation that moves keys, as one that moves words: it is mapped over both of a key's."""
    one = [Var(x.aval.update(dtype=np.uint32) if is_key(x) else x.aval) for x in eqn.invars]
    dims = tuple(x.aval.ndim if is_key(x) else None for x in eqn.invars)
    result = Var(eqn.outvars[0].aval.update(dtype=np.uint32))
    move = Jaxpr([], one, [result], [eqn._replace(invars=one, outvars=[result])])
    return batch_jaxpr(ClosedJaxpr(move, []), AxisData(None, 2), dims, (result.aval.ndim,))[0]


def as_before(draft: Draft, eqn: JaxprEqn, old: JaxprEqn) -> Sequence[Atom]:
    """The equation of keys, with words around it: NumPy does it."""
    pairs = zip(eqn.invars, old.invars, strict=True)
    invars = [wrapped(draft, x) if is_key(v) else x for x, v in pairs]
    made = draft.write(eqn._replace(invars=invars))
    return [unwrapped(draft, v) if is_key(v) else v for v in made]


def wrapped(draft: Draft, words: Atom) -> Atom:
    return put(draft, lambda x: [random_wrap_p.bind(x, impl=threefry)], words)[0]


def unwrapped(draft: Draft, keys: Atom) -> Atom:
    return put(draft, lambda x: [random_unwrap_p.bind(x)], keys)[0]
