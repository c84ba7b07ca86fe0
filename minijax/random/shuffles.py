"""Things in a random order, and some of many: permutation and choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.dtypes import issubdtype
from minijax.core.jitting import jit
from minijax.core.prng import random_bits
from minijax.core.tracing import typeof
from minijax.face.offers import offered
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_axis, known_shape, known_value
from minijax.numpy.arguments import check_arraylike, refuse_keys
from minijax.numpy.creation import arange, asarray, zeros
from minijax.numpy.indexing.selecting import take
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.numpy.reductions.running_totals import cumsum
from minijax.numpy.searching import searchsorted
from minijax.random.arguments import one_key
from minijax.random.gumbels import gumbel
from minijax.random.keys import split
from minijax.random.samplers import randint, uniform


@takes_out_sharding
def permutation(key: Any, x: Any, axis: int = 0, independent: bool = False) -> Any:
    """The slices of x along an axis in a random order, or the integers below x where it is one.

    With `independent`, each line along the axis has an order of its own. TypeError for what is no
    key and for a number that is no integer; ValueError for an axis that x lacks and for an array
    of keys in the key's place.

    >>> from minijax.random import key
    >>> permutation(key(0), 5)
    Array([0, 1, 4, 3, 2], dtype=int32)
    """
    key = one_key("permutation", key)
    check_arraylike("random.permutation", x=x)
    aval = typeof(x)
    axis = known_axis("random.permutation", axis, aval.ndim or 1)
    if not aval.shape:
        return _shuffle(key, arange(_integer_below(x)), axis)
    if independent or aval.ndim == 1:
        return _shuffle(key, x, axis)
    order = _shuffle(key, arange(aval.shape[axis]), 0)
    return take(x, order, axis, unique_indices=True)


def _integer_below(x: Any) -> int:
    """The integer x, which stands for those below it."""
    if not issubdtype(typeof(x).dtype, np.integer):
        raise TypeError(
            f"random.permutation takes an integer or an array with an axis, and got {shown(x)}.\n"
            f"Give one of these."
        )
    return int(known_value("random.permutation", "x, a number,", x))


@partial(jit, static_argnums=(2,))
def _shuffle(key: Any, x: Any, axis: int) -> Any:
    """Sorts by random words, so often that all pairs differ in one of these most probably: 3 times
    as many digits are drawn as number the elements."""
    rounds = int(np.ceil(3 * np.log(max(1, x.size)) / np.log(2**32 - 1)))
    for _ in range(rounds):
        key, subkey = split(key)
        _, x = lax.sort_key_val(random_bits(subkey, 32, x.shape), x, axis)
    return x


def choice(
    key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0,
    mode: str | None = None,
) -> Any:  # fmt: skip
    """Slices of the array `a` along an axis, or integers below `a` where it is one.

    The result has `shape` in place of the axis. Each slice is as likely as another, or has its
    probability in the vector `p`; without `replace`, no slice is drawn twice. `mode` is that of
    `gumbel`, for different ones with probabilities.

    TypeError for what is no key, shape or integer; ValueError for more different ones than there
    are, for none to choose from, for a p of another shape, and for an array of keys in the key's
    place.

    >>> from minijax.random import key
    >>> choice(key(0), 10, (4,), replace=False)
    Array([0, 1, 8, 5], dtype=int32)
    """
    key = one_key("choice", key)
    if not isinstance(shape, Sequence):
        raise TypeError(
            f"random.choice takes a shape, and got {shown(shape)}. Give a tuple of ints."
        )
    shape = known_shape("random.choice", shape)
    if np.ndim(array := offered(a)) or array is a:  # a number is not taken from an offer
        a = array
    check_arraylike("random.choice", a=a)
    given, a = a, asarray(a)
    axis = known_axis("random.choice", axis, a.ndim) if a.ndim else 0
    population = (
        a.shape[axis] if a.ndim else int(known_value("random.choice", "a, a number,", given))
    )
    if not math.prod(shape):
        return zeros(shape, a.dtype)
    _check_sample(population, math.prod(shape), replace)
    if p is not None:
        indices = _by_probability(key, population, shape, replace, p, mode)
    elif replace:
        indices = randint(key, shape, 0, population)
    else:
        shuffled = permutation(key, a if a.ndim else population, axis)
        drawn = shuffled[(slice(None),) * axis + (slice(math.prod(shape)),)]
        return drawn.reshape((*a.shape[:axis], *shape, *a.shape[axis + 1 :]))
    drawn = take(a, indices, axis) if a.ndim else indices
    return drawn.reshape((*a.shape[:axis], *shape, *a.shape[axis + 1 :]))


def _check_sample(population: int, size: int, replace: bool) -> None:
    if population <= 0:
        raise ValueError(
            f"random.choice has nothing to draw from: the size of a is {population}.\n"
            f"Give an array that is not empty, or an integer above 0."
        )
    if not replace and size > population:
        raise ValueError(
            f"random.choice cannot draw {size} different ones of {population}.\n"
            f"Ask for fewer, or give replace=True."
        )


def _by_probability(
    key: Any, population: int, shape: tuple, replace: bool, p: Any, mode: str | None
) -> Any:  # fmt: skip
    """Indices with probabilities in proportion to p; different ones by the largest of noisy
    logarithms (Vieira, "Gumbel-max trick and weighted reservoir sampling", 2014)."""
    check_arraylike("random.choice", p=p)
    refuse_keys("random.choice", p, error=ValueError)
    [p] = promote_dtypes_inexact(p)
    if p.shape != (population,):
        raise ValueError(
            f"random.choice draws from {population}, and got p of the shape {p.shape}.\n"
            f"Give a probability for each: a vector of {population}."
        )
    if replace:
        sums = cumsum(p)
        drawn = sums[-1] * (1 - uniform(key, shape, sums.dtype))
        return searchsorted(sums, drawn).astype(int)
    noisy = gumbel(key, (population,), p.dtype, mode) + lax.log(p)
    return lax.top_k(noisy, math.prod(shape))[1].astype(int)
