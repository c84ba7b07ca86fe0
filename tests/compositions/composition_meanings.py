"""What a transformation does, said twice: by minijax, and in NumPy without transforming anything.

To be nested freely, each transformation is made into a step from a function of some arguments
to another function of the same arguments:

- identity  f(x)                        `jit`
- loop      f at x and at a second point, stacked                     `vmap`
- forward   f(x) + f'(x) v(x), for a direction v that depends on x    `jvp`, `linearize`
- reverse   f'(x)^T w(f(x)), for a weight w that depends on f(x)      `grad`, `vjp`

The minijax steps take and return pytrees. The NumPy meanings take and return lists of leaves,
loop in Python, and take slopes by differences; so several transformations share one meaning, and
a nesting's reference is the meaning of each of its steps, nested in the same order.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import minijax
from numerics import directional, gradient

# The axis that leaf number k of the arguments is batched along is BATCH_AXES[k % 3].
BATCH_AXES = (0, None, -1)
BATCH_SIZE = 2


def is_floating(x) -> bool:
    return x.dtype.kind == "f"


def member(x, i: int):
    """The i-th point of the batch that is made of `x`."""
    if i == 0:
        return x
    return 0.75 * x + 0.125 if is_floating(x) else x + i


def direction(x):
    return 0.5 * x + 0.25


def weight(y):
    return 1.0 + y


def potential(ys, xp):
    """A number whose slope with respect to each floating y is `weight(y)`."""
    return sum((xp.sum(y + y * y / 2) for y in ys if is_floating(y)), xp.zeros(()))


# Steps of minijax, or of JAX: `jax` is the package


def floating_positions(args: tuple, jax=minijax) -> tuple[int, ...]:
    return tuple(i for i, arg in enumerate(args) if all(map(is_floating, jax.tree.leaves(arg))))


def of_floating_args(f: Callable, args: tuple, jax=minijax) -> tuple[Callable, tuple]:
    """`f` as a function of its floating arguments, closed over the others; and those arguments."""
    positions = floating_positions(args, jax)

    def closed(*floats):
        full = list(args)
        for i, x in zip(positions, floats, strict=True):
            full[i] = x
        return f(*full)

    return closed, tuple(args[i] for i in positions)


def add_tangent(y, dy):
    return y + dy if is_floating(y) else y


def by_jit(f: Callable, jax=minijax) -> Callable:
    return jax.jit(f)


def by_vmap(f: Callable, jax=minijax) -> Callable:
    def batched(*args):
        leaves, treedef = jax.tree.flatten(args)
        axes = [BATCH_AXES[k % 3] for k in range(len(leaves))]
        stacked = [
            x if axis is None else jax.numpy.stack([member(x, i) for i in range(BATCH_SIZE)], axis)
            for x, axis in zip(leaves, axes, strict=True)
        ]
        in_axes = jax.tree.unflatten(treedef, axes)
        return jax.vmap(f, in_axes=in_axes)(*jax.tree.unflatten(treedef, stacked))

    return batched


def by_jvp(f: Callable, jax=minijax) -> Callable:
    def pushed(*args):
        closed, floats = of_floating_args(f, args, jax)
        ys, dys = jax.jvp(closed, floats, jax.tree.map(direction, floats))
        return jax.tree.map(add_tangent, ys, dys)

    return pushed


def by_linearize(f: Callable, jax=minijax) -> Callable:
    def pushed(*args):
        closed, floats = of_floating_args(f, args, jax)
        ys, push = jax.linearize(closed, *floats)
        return jax.tree.map(add_tangent, ys, push(*jax.tree.map(direction, floats)))

    return pushed


def by_grad(f: Callable, jax=minijax) -> Callable:
    def gradients(*args):
        def scalar(*args):
            return potential(jax.tree.leaves(f(*args)), jax.numpy)

        return jax.grad(scalar, argnums=floating_positions(args, jax))(*args)

    return gradients


def by_vjp(f: Callable, jax=minijax) -> Callable:
    def pulled(*args):
        closed, floats = of_floating_args(f, args, jax)

        def outputs(*xs):
            return list(filter(is_floating, jax.tree.leaves(closed(*xs))))

        ys, pull = jax.vjp(outputs, *floats)
        return pull([weight(y) for y in ys])

    return pulled


# Meanings in NumPy


def identity(f: Callable) -> Callable:
    return f


def loop(f: Callable) -> Callable:
    def looped(*xs):
        axes = [BATCH_AXES[k % 3] for k in range(len(xs))]
        rows = [
            f(*(x if axis is None else member(x, i) for x, axis in zip(xs, axes, strict=True)))
            for i in range(BATCH_SIZE)
        ]
        return [np.stack(column) for column in zip(*rows, strict=True)]

    return looped


def of_floating_leaves(f: Callable, xs: tuple) -> tuple[Callable, list]:
    def closed(*floats):
        rest = iter(floats)
        return f(*(next(rest) if is_floating(x) else x for x in xs))

    return closed, [x for x in xs if is_floating(x)]


def forward(f: Callable) -> Callable:
    def pushed(*xs):
        closed, floats = of_floating_leaves(f, xs)
        ys = closed(*floats)

        def moving(*xs):
            return np.concatenate([np.ravel(y) for y in closed(*xs) if is_floating(y)] + [[]])

        slopes = directional(moving, floats, [direction(x) for x in floats])
        ends = np.cumsum([np.size(y) for y in ys if is_floating(y)])
        dys = iter(np.split(slopes, ends))
        return [y + next(dys).reshape(np.shape(y)) if is_floating(y) else y for y in ys]

    return pushed


def reverse(f: Callable) -> Callable:
    def pulled(*xs):
        closed, floats = of_floating_leaves(f, xs)
        return gradient(lambda *xs: potential(closed(*xs), np), floats)

    return pulled


class Step(NamedTuple):
    """A transformation's name, what minijax makes of it, and its meaning in NumPy."""

    name: str
    apply: Callable
    meaning: Callable


STEPS = (
    Step("jit", by_jit, identity),
    Step("vmap", by_vmap, loop),
    Step("jvp", by_jvp, forward),
    Step("linearize", by_linearize, forward),
    Step("grad", by_grad, reverse),
    Step("vjp", by_vjp, reverse),
)

MEANING_OF = {step.name: step.meaning for step in STEPS}


def nestings(steps: Sequence[Any], name: Callable, number: int = 0) -> Iterator[tuple]:
    """All nestings of `steps` to depth one; deeper, some, which ones the case's number says.

    At depth two, of the transformations that mean the same, a case has one around each other; the
    cases together have all pairs. At depth three, a case has one nesting for every fourth three
    meanings, so that the cases together have them all: but for those with jit around two others,
    which depth two stages as well. `name` gives a step's name, as in `STEPS`.
    """
    by_meaning = defaultdict(list)
    for step in steps:
        by_meaning[MEANING_OF[name(step)]].append(step)
    yield from itertools.product(steps, repeat=0)
    yield from itertools.product(steps, repeat=1)
    for alike, (k, inner) in itertools.product(by_meaning.values(), enumerate(steps)):
        yield alike[(number + k) % len(alike)], inner
    outermost = [alike for meaning, alike in by_meaning.items() if meaning is not identity]
    threes = itertools.product(outermost, by_meaning.values(), by_meaning.values())
    for k, three in enumerate(threes):
        same = list(itertools.product(*three))
        if (k + k // 4 + k // 16 + number) % 4 == 0:  # k counts three digits of base 4
            yield same[number // 4 % len(same)]
