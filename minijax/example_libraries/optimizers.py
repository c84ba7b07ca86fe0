"""Optimizers as three functions, under the names of `jax.example_libraries.optimizers`.

`init_fn(params)` makes a state, `update_fn(step, grads, state)` the next one, and
`params_fn(state)` takes the parameters out. Each is written for one
array: `optimizer` makes it one for pytrees.

>>> init, update, params_of = momentum(0.1, mass=0.9)
>>> state = init({"x": numpy.array(1.0)})
>>> for step in range(2):
...     state = update(step, {"x": 2.0 * params_of(state)["x"]}, state)
>>> params_of(state)
{'x': Array(0.46, dtype=float32, weak_type=True)}
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import reduce, wraps
from typing import Any, NamedTuple

from minijax import numpy
from minijax.core.pytrees import (
    register_pytree_node,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)
from minijax.face.boundaries import guard
from minijax.lax.elementwise.arithmetic import shown

__all__ = """
    JoinPoint Optimizer OptimizerState adagrad adam adamax clip_grads constant exponential_decay
    inverse_time_decay l2_norm make_schedule momentum nesterov optimizer pack_optimizer_state
    piecewise_constant polynomial_decay rmsprop rmsprop_momentum sgd sm3 unpack_optimizer_state
""".split()

Schedule = Callable[[Any], Any]


class Optimizer(NamedTuple):
    """What an optimizer is: its three functions."""

    init_fn: Callable
    update_fn: Callable
    params_fn: Callable


class OptimizerState(NamedTuple):
    """The leaves of each parameter's state, the parameters' structure, and that of each state."""

    packed_state: Sequence[list]
    tree_def: Any
    subtree_defs: Sequence[Any]


register_pytree_node(
    OptimizerState, lambda s: (s[:1], s[1:]), lambda trees, packed: OptimizerState(*packed, *trees)
)


def _packed(tree_def: Any, states: Sequence[Any]) -> OptimizerState:
    flat = [tree_flatten(state) for state in states]
    return OptimizerState(tuple(x for x, _ in flat), tree_def, tuple(tree for _, tree in flat))


def _states(packed: OptimizerState) -> list[Any]:
    pairs = zip(packed.subtree_defs, packed.packed_state, strict=True)
    return [tree_unflatten(tree, leaves) for tree, leaves in pairs]


def optimizer(opt_maker: Callable[..., Any]) -> Callable[..., Optimizer]:
    """Makes an optimizer for one array one for pytrees of arrays.

    `opt_maker(...)` gives the three functions for an array; its state may be any pytree. An update
    raises TypeError for gradients of another structure than the parameters', or for another state.
    """

    @wraps(opt_maker)
    def make(*args: Any, **kwargs: Any) -> Optimizer:
        init, update, params_of = opt_maker(*args, **kwargs)

        def tree_init(params: Any) -> OptimizerState:
            leaves, tree = tree_flatten(params)
            return _packed(tree, list(map(init, leaves)))

        def tree_update(step: Any, grads: Any, state: OptimizerState) -> OptimizerState:
            leaves, tree = tree_flatten(grads)
            _check_structure("are gradients for parameters", tree, state.tree_def)
            pairs = zip(leaves, _states(state), strict=True)
            new = _packed(tree, [update(step, g, each) for g, each in pairs])
            for got, wanted in zip(new.subtree_defs, state.subtree_defs, strict=True):
                _check_structure("is the new state after one", got, wanted)
            return new

        def tree_params(state: OptimizerState) -> Any:
            return tree_unflatten(state.tree_def, list(map(params_of, _states(state))))

        return Optimizer(tree_init, tree_update, tree_params)

    return make


def _check_structure(what: str, got: Any, wanted: Any) -> None:
    if got != wanted:
        raise TypeError(
            f"In an optimizer's update, {got} {what} of the structure {wanted}. Give both the same."
        )


def _with_slots(count: int) -> Callable[[Callable], Callable[..., Optimizer]]:
    """An optimizer whose state is the parameter and so many arrays like it, zeros at first: of a
    function that makes `update(i, g, x, *slots)`, which returns the same again."""

    def decorate(make_update: Callable) -> Callable[..., Optimizer]:
        @optimizer
        @wraps(make_update)
        def make(*args: Any, **kwargs: Any) -> tuple:
            update = make_update(*args, **kwargs)
            return (
                lambda x: (x, *[numpy.zeros_like(x) for _ in range(count)]),
                lambda i, g, state: update(i, g, *state),
                lambda state: state[0],
            )

        return make

    return decorate


# The optimizers: what each does with a gradient.


@optimizer
def sgd(step_size: Any) -> Any:
    """Steps along the gradient."""
    size = make_schedule(step_size)
    return lambda x: x, lambda i, g, x: x - size(i) * g, lambda x: x


@_with_slots(1)
def momentum(step_size: Any, mass: Any) -> Any:
    """Steps along a velocity, to which each gradient is added."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, velocity: Any) -> tuple:
        velocity = mass * velocity + g
        return x - size(i) * velocity, velocity

    return update


@_with_slots(1)
def nesterov(step_size: Any, mass: Any) -> Any:
    """Like `momentum`, with the step that the velocity will have next (Nesterov 1983)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, velocity: Any) -> tuple:
        velocity = mass * velocity + g
        return x - size(i) * (mass * velocity + g), velocity

    return update


def _inverse_root(x: Any) -> Any:
    return numpy.where(x > 0, 1.0 / numpy.sqrt(x), 0.0)


@_with_slots(2)
def adagrad(step_size: Any, momentum: Any = 0.9) -> Any:
    """Divides by the root of the sum of all squares (Duchi, Hazan, Singer 2011)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, squares: Any, mean: Any) -> tuple:
        squares = squares + numpy.square(g)
        mean = (1.0 - momentum) * (g * _inverse_root(squares)) + momentum * mean
        return x - size(i) * mean, squares, mean

    return update


def _mean_square(g: Any, old: Any, gamma: Any) -> Any:
    return old * gamma + numpy.square(g) * (1.0 - gamma)


@_with_slots(1)
def rmsprop(step_size: Any, gamma: Any = 0.9, eps: Any = 1e-8) -> Any:
    """Divides by the root of a running mean of squares (Hinton 2012)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, squares: Any) -> tuple:
        squares = _mean_square(g, squares, gamma)
        return x - size(i) * g / numpy.sqrt(squares + eps), squares

    return update


@_with_slots(2)
def rmsprop_momentum(
    step_size: Any, gamma: Any = 0.9, eps: Any = 1e-8, momentum: Any = 0.9
) -> Any:
    """`rmsprop`, its steps added up in a velocity."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, squares: Any, velocity: Any) -> tuple:
        squares = _mean_square(g, squares, gamma)
        velocity = momentum * velocity + size(i) * g / numpy.sqrt(squares + eps)
        return x - velocity, squares, velocity

    return update


def _unbiased(mean: Any, b: Any, i: Any) -> Any:
    """What a running mean that began at zero would be, had it not."""
    return 1 - numpy.asarray(b, mean.dtype) ** (i + 1)


@_with_slots(2)
def adam(step_size: Any, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> Any:
    """Running means of gradients and of their squares, unbiased (Kingma, Ba 2015)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, m: Any, v: Any) -> tuple:
        m = (1 - b1) * g + b1 * m
        v = (1 - b2) * numpy.square(g) + b2 * v
        root = numpy.sqrt(v / _unbiased(m, b2, i))
        return x - size(i) * (m / _unbiased(m, b1, i)) / (root + eps), m, v

    return update


@_with_slots(2)
def adamax(step_size: Any, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> Any:
    """`adam` with the largest recent gradient in the place of the root (Kingma, Ba 2015)."""
    size = make_schedule(step_size)

    def update(i: Any, g: Any, x: Any, m: Any, largest: Any) -> tuple:
        m = (1 - b1) * g + b1 * m
        largest = numpy.maximum(b2 * largest, numpy.abs(g))
        return x - (size(i) / _unbiased(m, b1, i)) * m / (largest + eps), m, largest

    return update


@optimizer
def sm3(step_size: Any, momentum: Any = 0.9) -> Any:
    """`adagrad` that keeps a bound of the squares for each axis alone (Anil et al. 2019)."""
    size = make_schedule(step_size)

    def init(x: Any) -> tuple:
        shape, x = x.shape, numpy.atleast_1d(x)
        return x, numpy.zeros_like(x), [numpy.zeros(n, x.dtype) for n in x.shape], shape

    def update(i: Any, g: Any, state: tuple) -> tuple:
        x, mean, bounds, shape = state
        axes = range(x.ndim)
        spread = [
            numpy.expand_dims(bound, [d for d in range(g.ndim) if d != axis])
            for axis, bound in enumerate(bounds)
        ]
        squares = reduce(numpy.minimum, spread) + numpy.square(g)
        mean = (1.0 - momentum) * (g * _inverse_root(squares)) + momentum * mean
        bounds = [squares.max([d for d in axes if d != axis]) for axis in axes]
        return x - size(i) * mean, mean, bounds, shape

    return init, update, lambda state: state[0].reshape(state[3])


# How long a step is, by its number.


def make_schedule(scalar_or_schedule: Any) -> Schedule:
    """A number as the schedule that is always it; a function as it is; TypeError for an array."""
    if callable(scalar_or_schedule):
        return scalar_or_schedule
    if numpy.ndim(scalar_or_schedule):
        raise TypeError(
            f"make_schedule takes a number or a function of the step's number, and got "
            f"{shown(scalar_or_schedule)}. Give a function that picks one."
        )
    return constant(scalar_or_schedule)


def constant(step_size: Any) -> Schedule:
    """Always the same."""
    return lambda i: step_size


def exponential_decay(step_size: Any, decay_steps: Any, decay_rate: Any) -> Schedule:
    """Multiplied by the rate after so many steps, and in between by its powers.

    >>> exponential_decay(1.0, 2, 0.25)(1)
    0.5
    """
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(
    step_size: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Schedule:
    """Divided by 1 and the rate for each so many steps: whole ones alone on a staircase.

    >>> inverse_time_decay(1.0, 2, 1.0)(2)
    0.5
    """
    if staircase:
        return lambda i: step_size / (1 + decay_rate * numpy.floor(i / decay_steps))
    return lambda i: step_size / (1 + decay_rate * i / decay_steps)


def polynomial_decay(
    step_size: Any, decay_steps: Any, final_step_size: Any, power: Any = 1.0
) -> Schedule:
    """From one size to another in so many steps, along a power of what remains.

    >>> polynomial_decay(1.0, 10, 0.5)(5)
    Array(0.75, dtype=float32, weak_type=True)
    """

    def schedule(i: Any) -> Any:
        remains = (1 - numpy.minimum(i, decay_steps) / decay_steps) ** power
        return remains * (step_size - final_step_size) + final_step_size

    return schedule


def piecewise_constant(boundaries: Any, values: Any) -> Schedule:
    """The first value up to the first boundary, and so on; ValueError unless there is one value
    more than boundaries.

    >>> piecewise_constant([10], [1.0, 0.1])(11)
    Array(0.1, dtype=float32)
    """
    boundaries, values = numpy.array(boundaries), numpy.array(values)
    if boundaries.ndim != 1 or values.shape != (boundaries.size + 1,):
        raise ValueError(
            f"piecewise_constant got boundaries of shape {boundaries.shape} and values of shape "
            f"{values.shape}. Give lists of numbers: one value more than boundaries."
        )
    return lambda i: values[numpy.sum(i > boundaries)]


# Gradients, and states that are to be stored.


def l2_norm(tree: Any) -> Any:
    """The root of the sum of all squares.

    >>> l2_norm([numpy.array([3.0]), numpy.array([4.0])])
    Array(5., dtype=float32)
    """
    return numpy.sqrt(sum(numpy.vdot(x, x) for x in tree_leaves(tree)))


def clip_grads(grad_tree: Any, max_norm: Any) -> Any:
    """The gradients, scaled down to a norm where theirs is greater.

    >>> clip_grads([numpy.array([3.0, 4.0])], 1.0)
    [Array([0.6, 0.8], dtype=float32)]
    """
    norm = l2_norm(grad_tree)
    return tree_map(lambda g: numpy.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree)


class JoinPoint:
    """A leaf of a pytree that stands for another: the state of one parameter."""

    def __init__(self, subtree: Any) -> None:
        self.subtree = subtree

    def __iter__(self) -> Iterator[Any]:
        yield self.subtree


def unpack_optimizer_state(opt_state: OptimizerState) -> Any:
    """The parameters' pytree with the state of each, as a `JoinPoint`, in its place.

    >>> unpack_optimizer_state(sgd(0.1).init_fn({"x": 1.0}))["x"].subtree
    1.0
    """
    return tree_unflatten(opt_state.tree_def, list(map(JoinPoint, _states(opt_state))))


def pack_optimizer_state(marked_pytree: Any) -> OptimizerState:
    """The state of which `unpack_optimizer_state` made this pytree; AssertionError for another."""
    points = tree_leaves(marked_pytree)
    for x in points:
        if not isinstance(x, JoinPoint):
            raise AssertionError(
                f"pack_optimizer_state got the leaf {shown(x)}, which is no JoinPoint. Give what "
                f"unpack_optimizer_state returned."
            )
    return _packed(tree_structure(marked_pytree), [point.subtree for point in points])


guard(sys.modules[__name__])
