"""Every base primitive against NumPy: values, derivatives to second order, batching and staging."""

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from linalg_table import LINALG
from minijax import lax
from minijax.core.printing import jaxprs_in_params
from minijax.core.tracing import Primitive
from numerics import directional
from primitive_table import COMPLEX, RULES, Rule

DTYPES = {name: np.dtype(name) for name in ("float32", "float64", "float16", "complex64",
                                            "int32", "uint8", "bool")}
DTYPES["bfloat16"] = np.dtype(ml_dtypes.bfloat16)

# What needs a named axis, and has gone when vmap is done.
COLLECTIVES = {lax.all_gather_p, lax.all_to_all_p, lax.axis_index_p, lax.pbroadcast_p, lax.pmax_p,
               lax.pmin_p, lax.ppermute_p, lax.psum_p, lax.reduce_scatter_p}
# What carries programs, or keeps them apart, or is about their order: tests/lax has these.
OF_PROGRAMS = {lax.after_all_p, lax.cond_p, lax.create_token_p, lax.dce_sink_p, lax.linear_solve_p,
               lax.optimization_barrier_p, lax.scan_p, lax.select_and_scatter_p, lax.while_p}

# The dtype that NumPy computes a reference in, where it isn't the arguments' own.
WIDER = {"bfloat16": np.float64, "float16": np.float64}


class Trial:
    """A rule with arguments of one dtype and one set of shapes."""

    def __init__(self, rule: Rule, shapes: tuple, dtype: str):
        self.rule, self.shapes, self.dtype = rule, shapes, dtype
        self.random = np.random.default_rng(len(rule.name) + sum(map(math.prod, shapes)))

    def __str__(self) -> str:
        shapes = ",".join(str(shape).replace(" ", "") for shape in self.shapes)
        return f"{self.rule.name}-{self.dtype}-{shapes}"

    def numbers(self, count: int) -> np.ndarray:
        """`count` numbers of the rule's domain, in the trial's dtype."""
        if self.dtype == "bool":
            return self.random.integers(0, 2, count).astype(bool)
        low, high = self.rule.domain
        if self.dtype in ("int32", "uint8"):
            whole = [n for n in range(-count, 2 * count) if n and (n > 0 or low < 0)]
            values = np.array([n for n in whole if n > 0 or self.dtype == "int32"])
        else:
            values = low + (high - low) * (np.arange(count) + 0.4) / max(count, 1)
        if not self.rule.smooth:
            values = values[:3]
            return self.random.choice(values, count).astype(DTYPES[self.dtype])
        values = self.random.permutation(values)[:count]
        if self.dtype == "complex64":
            values = values + 1j * self.random.permutation(values)
        return values.astype(DTYPES[self.dtype])

    def args(self) -> list[np.ndarray]:
        sizes = [math.prod(shape) for shape in self.shapes]
        parts = np.split(self.numbers(sum(sizes)), np.cumsum(sizes)[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def reference(self, *args):
        """What NumPy answers, in the dtype that minijax should answer in."""
        wide = [x.astype(WIDER.get(self.dtype, x.dtype)) for x in args]
        with np.errstate(all="ignore"):
            want = np.asarray(self.rule.reference(*wide))
        if self.dtype in WIDER and want.dtype == WIDER[self.dtype]:
            return want.astype(DTYPES[self.dtype])
        return want


def as_wide(x) -> np.ndarray:
    """The same numbers with as many digits as differences need."""
    x = np.asarray(x)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def assert_same(got, want, digits_lost: int = 4) -> None:
    """Same shape, same dtype, and numbers that differ by a few roundings at most."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    if want.dtype.kind in "iub":
        np.testing.assert_array_equal(got, want)
        return
    assert_close(got, want, want.dtype, digits_lost)


def assert_close(got, want, dtype, digits_lost: int) -> None:
    tolerance = digits_lost * float(ml_dtypes.finfo(dtype).eps)
    got, want = as_wide(got), as_wide(want)
    size = np.abs(want).max(initial=1.0)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * size)


def trials(keep: Callable[[Rule, str], bool] = lambda rule, dtype: True) -> Callable:
    """Makes a check of one trial a test for each rule and dtype, of all the rule's shapes.

    (A test for each of them takes pytest longer than the trials take.)
    """
    of_shapes = lambda rule, dtype: [Trial(rule, shapes, dtype) for shapes in rule.shapes]  # noqa: E731
    found = [
        pytest.param(of_shapes(rule, dtype), id=f"{rule.name}-{dtype}")
        for rule in [*RULES, *LINALG] for dtype in rule.dtypes if keep(rule, dtype)
    ]

    def make(check: Callable[[Trial], None]) -> Callable:
        @pytest.mark.parametrize("trials", found)
        def test(trials: list[Trial]) -> None:
            for trial in trials:
                with noted(str(trial)), jax.enable_x64(trial.dtype == "float64"):
                    check(trial)

        return test

    return make


@contextmanager
def noted(note: str) -> Iterator[None]:
    """An error from within says this too."""
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise


def strided(x: np.ndarray) -> np.ndarray:
    """The same array with its axes stored backwards and every second number unused."""
    if x.ndim == 0:
        return x
    stored = np.zeros((*x.shape[::-1], 2), x.dtype)[::-1]
    view = stored[..., 0].T
    view[...] = x
    return view


@trials()
def test_values_and_jit_is_eager(trial):
    args = trial.args()
    want, arrays = trial.reference(*args), [jnp.asarray(x) for x in args]
    eager = trial.rule.function(*arrays)
    assert_same(eager, want)
    assert_same(trial.rule.function(*map(strided, args)), want)
    assert_same(jax.jit(trial.rule.function)(*arrays), eager)


@trials()
def test_vmap_is_a_loop(trial):
    size = 3
    members = [trial.args() for _ in range(size)]
    for axes in itertools.product((0, None, -1), repeat=len(trial.shapes)):
        if all(axis is None for axis in axes):
            continue
        columns = zip(zip(*members, strict=True), axes, strict=True)
        stacked = [xs[0] if axis is None else np.stack(xs, axis) for xs, axis in columns]
        rows = [
            trial.rule.function(*(
                jnp.asarray(members[0 if axis is None else i][k]) for k, axis in enumerate(axes)))
            for i in range(size)
        ]
        for out_axis in (0, -1):
            got = jax.vmap(trial.rule.function, in_axes=axes, out_axes=out_axis)(*stacked)
            assert_same(got, np.stack([np.asarray(row) for row in rows], out_axis))


def has_derivative(rule: Rule, dtype: str) -> bool:
    return rule.smooth and DTYPES[dtype].kind not in "iub"


def directions(trial: Trial, xs: list) -> list[np.ndarray]:
    """A direction for each argument, of the argument's own dtype."""
    vs = [trial.random.uniform(-1, 1, np.shape(x)) for x in xs]
    if trial.dtype in COMPLEX:
        vs = [v + 1j * trial.random.uniform(-1, 1, v.shape) for v in vs]
    return [np.asarray(v).astype(x.dtype) for v, x in zip(vs, xs, strict=True)]


@trials(has_derivative)
def test_jvp_and_vjp_against_differences(trial):
    xs = trial.args()
    vs = directions(trial, xs)
    slope = directional(trial.rule.reference, list(map(as_wide, xs)), list(map(as_wide, vs)))

    ys, dys = jax.jvp(trial.rule.function, tuple(map(jnp.asarray, xs)), tuple(map(jnp.asarray, vs)))
    assert_same(ys, trial.reference(*xs))
    assert (dys.shape, dys.dtype) == (ys.shape, ys.dtype)
    roundings = 4 + 1e-9 / float(ml_dtypes.finfo(ys.dtype).eps)
    assert_close(dys, slope, ys.dtype, roundings)

    # The pullback is the pushforward's transpose: <ct, f'(x) v> = <f'(x)^T ct, v> for every v.
    ys, pull = jax.vjp(trial.rule.function, *map(jnp.asarray, xs))
    [ct] = directions(trial, [np.asarray(ys)])
    pulled = pull(jnp.asarray(ct))
    assert [(g.shape, g.dtype) for g in pulled] == [(x.shape, x.dtype) for x in xs]
    left = np.sum(as_wide(ct) * slope)
    right = sum(np.sum(as_wide(g) * as_wide(v)) for g, v in zip(pulled, vs, strict=True))
    assert_close(np.real(right), np.real(left), ys.dtype, 4 * roundings)


@trials(lambda rule, dtype: rule.smooth and dtype == "float64")
def test_second_order_in_both_modes(trial):
    xs = tuple(map(jnp.asarray, trial.args()))
    us, vs = directions(trial, xs), directions(trial, xs)
    ys = trial.rule.reference(*map(np.asarray, xs))
    [weight] = directions(trial, [np.asarray(ys)])

    def along_v(*points):
        return directional(trial.rule.reference, list(points), vs)

    want = np.sum(weight * directional(along_v, list(map(np.asarray, xs)), us))

    def scalar(*xs):
        return jnp.sum(weight * trial.rule.function(*xs))

    def inner(gs, vs):
        return sum(jnp.sum(g * v) for g, v in zip(gs, vs, strict=True))

    argnums = tuple(range(len(xs)))
    us, vs = tuple(map(jnp.asarray, us)), tuple(map(jnp.asarray, vs))

    def forward(*xs):
        return jax.jvp(scalar, xs, vs)[1]

    def backward(*xs):
        return inner(jax.grad(scalar, argnums)(*xs), vs)

    for first in (forward, backward):
        assert_close(jax.jvp(first, xs, us)[1], want, np.float32, 10)
        assert_close(inner(jax.grad(first, argnums)(*xs), us), want, np.float32, 10)


@pytest.mark.parametrize("wide, narrow", [("float32", "bfloat16"), ("float32", "float16"),
                                          ("complex64", "complex64"), ("float32", "complex64")])
def test_conversions_convert_tangents(wide, narrow):
    wide, narrow = jnp.dtype(wide), jnp.dtype(narrow)
    x, v = jnp.asarray([1.5, -2.25], wide), jnp.asarray([0.5, 3.0], wide)
    _, dy = jax.jvp(lambda x: lax.convert_element_type(x, narrow), (x,), (v,))
    assert_same(dy, np.asarray(v).astype(narrow))
    _, pull = jax.vjp(lambda x: lax.convert_element_type(x, narrow), x)
    assert_same(pull(v.astype(narrow))[0], v)


def test_stop_gradient_stops():
    x = jnp.asarray([1.0, 2.0])
    _, dy = jax.jvp(lambda x: x * lax.stop_gradient(x), (x,), (jnp.ones(2),))
    assert_same(dy, np.asarray(x))
    assert_same(jax.grad(lambda x: jnp.sum(lax.stop_gradient(x) ** 2))(x), np.zeros(2, np.float32))


@pytest.mark.parametrize("shape", [(), (4,), (0, 3)])
def test_iota_counts_along_its_axis(shape):
    for dtype in ("int32", "uint8", "float32", "bfloat16"):
        for axis in range(len(shape)):
            want = np.broadcast_to(
                np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))]),
                shape)
            assert_same(lax.broadcasted_iota(jnp.dtype(dtype), shape, axis),
                        want.astype(DTYPES[dtype]))


def primitives_of(module) -> set:
    shown = (getattr(module, name) for name in module.__all__)
    return {value for value in shown if isinstance(value, Primitive)}


def used_by(rules) -> set:
    used = set()
    for rule in rules:
        args = [np.zeros(shape, DTYPES[rule.dtypes[0]]) for shape in rule.shapes[0]]
        jaxpr = jax.make_jaxpr(rule.function)(*args)
        used |= {eqn.primitive for eqn in jaxpr.eqns}
        used |= {e.primitive for eqn in jaxpr.eqns for inner in jaxprs_in_params(eqn.params)
                 for e in inner.eqns}
    return used


def test_every_primitive_has_a_line_in_the_table():
    of_derivatives = {lax.add_any_p, lax.igamma_grad_a_p, lax.zeta_p}  # which alone bind these
    left = primitives_of(lax) - used_by(RULES)
    of_bits = {lax.rng_bit_generator_p, lax.rng_uniform_p}  # tests/lax/test_generators.py has them
    of_places = {lax.device_put_p, lax.sharding_constraint_p}  # tests/lax/sharding has it
    assert left == {*of_derivatives, *of_bits, *of_places, *OF_PROGRAMS, *COLLECTIVES}
    without_vmap = {lax.linalg.cholesky_update_p}  # tests/lax/linalg has it
    assert primitives_of(lax.linalg) - used_by(LINALG) == without_vmap
