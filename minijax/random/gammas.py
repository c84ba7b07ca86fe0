"""The gamma distribution, by rejection, and those that are made of it.

Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (ACM Transactions on
Mathematical Software, 2000): d * (1 + c * x)**3 of a normal number x has nearly the density that is
wanted, and the difference is what a uniform number decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.compiler.lowerings import register_lowering
from minijax.compiler.simpler_programs import simpler_programs
from minijax.core.batching import bdim_at_front, defbroadcasting, primitive_batchers, vmap
from minijax.core.dtypes import issubdtype
from minijax.core.forward import constant, defjvp2
from minijax.core.jitting import jit
from minijax.core.primitives import Shape, cast, mul, naryop, through_float32
from minijax.core.prng import prng_key, random_split
from minijax.core.staging import JaxprEqn, trace_to_jaxpr
from minijax.core.tracing import Primitive, ShapedArray, typeof
from minijax.dtypes import finfo
from minijax.lax.elementwise.arithmetic import shown
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_integer, known_shape
from minijax.lax.special import xla_float32
from minijax.lax.special.error_functions import through_float64
from minijax.numpy.arguments import check_arraylike, refuse_keys
from minijax.numpy.shapes.reshaping import broadcast_to
from minijax.random.arguments import (
    check_shape,
    dtype_of_kind,
    float_arguments,
    one_key,
    parameter_shape,
)
from minijax.random.continuous import exponential
from minijax.random.discrete import rademacher
from minijax.random.keys import split
from minijax.random.samplers import normal, uniform

# Steps of it as XLA rounds them, so that the numbers are JAX's. Only the loops below bind these;
# they are in no program that a user sees: there `random_gamma` stands for all.


def _exact(name: str, numpy_fun: Callable, template: str | Callable, simpler: Callable) -> Callable:
    primitive = naryop(name, [np.floating], through_float32(numpy_fun))
    defbroadcasting(primitive)
    register_lowering(primitive, template=template)
    simpler_programs[primitive] = partial(_rounded_from_float64, simpler)
    return primitive.bind


def _rounded_from_float64(fun: Callable, *xs: Any) -> Any:
    dtype = typeof(xs[0]).dtype
    return cast(fun(*(cast(x, np.dtype(np.float64)) for x in xs)), dtype)


def _by_float64(template: str) -> Callable:
    """A template whose operands are numbers in float64, and whose result is rounded."""

    def of_floats(in_dtypes: Sequence[np.dtype], out_dtype: np.dtype) -> str:
        wide = [f"float64({{{k}}})" for k in range(len(in_dtypes))]
        return f"{out_dtype}({template.format(*wide, t='f64')})"

    return of_floats


_multiply_add = _exact(
    "multiply_add", xla_float32.multiply_add, "multiply_add_{t}({0}, {1}, {2})",
    lambda x, y, z: lax.add(lax.mul(x, y), z),
)  # fmt: skip
_log = _exact("exact_log", xla_float32.log, "log_{t}({0})", lax.log)
_rsqrt = _exact("exact_rsqrt", xla_float32.rsqrt, _by_float64("rsqrt_{t}({0})"), lax.rsqrt)
_pow = _exact("exact_pow", through_float64(np.power), _by_float64("pow_{t}({0}, {1})"), lax.pow)

# One number, by two loops within each other: the normal number must not be too small.


def _proposal(key: Any, c: Any) -> tuple[Any, Any]:
    """x and v = 1 + c * x, drawn until v is above 0."""

    def step(carry: tuple) -> tuple:
        key, subkey = split(carry[0])
        x = normal(subkey, (), typeof(c).dtype)
        return key, x, _multiply_add(x, c, constant(c, 1))

    start = key, constant(c, 0), constant(c, -1)
    _, x, v = lax.while_loop(lambda carry: lax.le(carry[2], constant(c, 0)), step, start)
    return x, v


def _accepted(key: Any, alpha: Any) -> Any:
    """v**3 for a gamma distribution of alpha >= 1, whose number is d * v**3."""
    one, half = constant(alpha, 1), constant(alpha, 0.5)
    d = lax.sub(alpha, constant(alpha, 1 / 3))
    c = lax.mul(constant(alpha, 1 / 3), _rsqrt(d))

    def is_refused(carry: tuple) -> Any:
        _, square, cube, u = carry
        bound = lax.sub(one, lax.mul(constant(alpha, 0.0331), lax.mul(square, square)))
        rest = lax.mul(d, lax.add(lax.sub(one, cube), lax.log(cube)))
        exact = lax.ge(lax.log(u), lax.add(lax.mul(square, half), rest))
        return lax.bitwise_and(lax.ge(u, bound), exact)

    def step(carry: tuple) -> tuple:
        key, x_key, u_key = split(carry[0], 3)
        x, v = _proposal(x_key, c)
        cube = lax.mul(lax.mul(v, v), v)
        return key, lax.mul(x, x), cube, uniform(u_key, (), typeof(alpha).dtype)

    start = key, constant(alpha, 0), one, constant(alpha, 2)  # which is refused
    return lax.while_loop(is_refused, step, start)[2]


def _gamma_one(key: Any, alpha: Any, log_space: bool) -> Any:
    """One number, or its logarithm, which stays a number where alpha is very small.

    Below 1, the number for alpha + 1 is taken times u**(1 / alpha), with a uniform number u.
    """
    dtype, zero, one = typeof(alpha).dtype, constant(alpha, 0), constant(alpha, 1)
    is_large = lax.ge(alpha, one)
    raised = lax.select(is_large, alpha, lax.add(alpha, one))
    key, boost_key = split(key)
    cube = _accepted(key, raised)
    d = lax.sub(raised, constant(alpha, 1 / 3))
    if not log_space:
        u = 1 - uniform(boost_key, (), dtype)
        boost = lax.select(is_large, one, _pow(u, lax.div(one, alpha)))
        return lax.mul(lax.mul(d, cube), boost)
    log_u = lax.neg(exponential(boost_key, (), dtype))
    boost = lax.select(is_large | (log_u == 0), zero, lax.mul(log_u, lax.div(one, alpha)))
    return lax.add(lax.add(_log(d), _log(cube)), boost)


# Many numbers, as one primitive: each has a key of its own, so all are drawn at once.

random_gamma_p = Primitive("random_gamma")


@random_gamma_p.def_abstract_eval
def _random_gamma_rule(keys: ShapedArray, alpha: ShapedArray, *, log_space: bool) -> ShapedArray:
    is_wrong = not issubdtype(keys.dtype, prng_key) or not issubdtype(alpha.dtype, np.floating)
    if is_wrong or alpha.shape[: keys.ndim] != keys.shape:
        raise TypeError(
            f"random_gamma takes keys, and floats with the keys' axes in front, and got {keys} and "
            f"{alpha}. Give random.gamma one key."
        )
    return alpha


def _gammas(keys: Any, alpha: Any, log_space: bool) -> Any:
    if not alpha.size:
        return alpha
    own_keys = random_split(keys, (math.prod(alpha.shape[keys.ndim :]),))
    draw = vmap(partial(_gamma_one, log_space=log_space))
    return draw(own_keys.reshape(-1), alpha.reshape(-1)).reshape(alpha.shape)


@random_gamma_p.def_impl
def _random_gamma_impl(keys: Any, alpha: Any, *, log_space: bool) -> Any:
    _random_gamma_rule(typeof(keys), typeof(alpha), log_space=log_space)
    return _jitted_gammas(keys, alpha, log_space)


_jitted_gammas = jit(_gammas, static_argnums=(2,))


def _written_out(eqn: JaxprEqn) -> tuple:
    """The loops, for a compiled program."""

    def draw(keys: Any, alpha: Any) -> list[Any]:
        return [_gammas(keys, alpha, eqn.params["log_space"])]

    return trace_to_jaxpr(draw, [x.aval for x in eqn.invars]), eqn.invars


register_lowering(random_gamma_p, call=_written_out)


def _random_gamma_jvp(g: Any, ans: Any, keys: Any, alpha: Any, *, log_space: bool) -> Any:
    """How a number moves with alpha where its share of the distribution stays."""
    if not log_space:
        return mul(g, lax.random_gamma_grad(alpha, ans))
    sample = lax.exp(ans)
    tiny = lax.full_like(sample, finfo(typeof(ans).dtype).tiny)
    sample = lax.select(lax.eq(sample, constant(sample, 0)), tiny, sample)
    return mul(g, lax.div(lax.random_gamma_grad(alpha, sample), sample))


defjvp2(random_gamma_p, None, _random_gamma_jvp)


def _random_gamma_batcher(args: Any, dims: Any, **params: Any) -> tuple[Any, int]:
    size = next(typeof(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    keys, alpha = (bdim_at_front(x, d, size) for x, d in zip(args, dims, strict=True))
    return random_gamma_p.bind(keys, alpha, **params), 0


primitive_batchers[random_gamma_p] = _random_gamma_batcher

# What is called.


@takes_out_sharding
def gamma(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers x > 0 with the density x**(a - 1) * exp(-x) / gamma(a).

    The result has `shape`, by default that of a, which must broadcast to it, and a float dtype. It
    has a derivative by a. ValueError for another dtype, for shapes that don't fit and for an array
    of keys; TypeError for what is no key, number or shape.

    >>> from minijax.random import key
    >>> gamma(key(0), 2.0, (3,))
    Array([1.5897877, 1.7599413, 1.1290071], dtype=float32)
    """
    return _checked_gamma("gamma", key, a, shape, dtype, log_space=False)


@takes_out_sharding
def loggamma(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Logarithms of `gamma`'s numbers: for a small `a`, those themselves are 0 where rounded.

    Shape, dtype and errors are as in `gamma`.
    """
    return _checked_gamma("loggamma", key, a, shape, dtype, log_space=True)


def _checked_gamma(
    fun_name: str, key: Any, a: Any, shape: Any, dtype: Any, log_space: bool
) -> Any:  # fmt: skip
    key, dtype = one_key(fun_name, key), dtype_of_kind(fun_name, dtype)
    shape = parameter_shape(fun_name, shape, a=a)
    refuse_keys(f"random.{fun_name}", a, error=ValueError)
    return _gamma(key, a, shape=shape, dtype=dtype, log_space=log_space)


@partial(jit, static_argnames=("shape", "dtype", "log_space"))
def _gamma(key: Any, a: Any, shape: Shape, dtype: np.dtype, log_space: bool) -> Any:
    a = lax.convert_element_type(a, dtype)
    return random_gamma_p.bind(key, broadcast_to(a, shape), log_space=log_space)


@takes_out_sharding
def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers from 0 to 1 with a density in proportion to x**(a - 1) * (1 - x)**(b - 1).

    Shape, dtype and errors are as in `gamma`; TypePromotionError for a parameter that the dtype
    cannot hold. It is the share of one of two gamma numbers in their sum, taken of logarithms.
    """
    key, shape, dtype = float_arguments("beta", key, shape, dtype, a=a, b=b)
    return _beta(key, a, b, shape, dtype)


@partial(jit, static_argnums=(3, 4))
def _beta(key: Any, a: Any, b: Any, shape: Shape, dtype: np.dtype) -> Any:
    a, b = (lax.convert_element_type(x, dtype) for x in (a, b))
    key_a, key_b = split(key)
    a, b = (broadcast_to(x, shape) for x in (a, b))
    log_a, log_b = loggamma(key_a, a, shape, dtype), loggamma(key_b, b, shape, dtype)
    log_max = lax.max(log_a, log_b)
    part_a, part_b = lax.exp(log_a - log_max), lax.exp(log_b - log_max)
    return part_a / (part_a + part_b)


@takes_out_sharding
def dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Vectors of shares, which add up to 1: of gamma numbers for each of `alpha` in their sum.

    The result has `shape`, by default alpha's but for its last axis, then that axis. Errors are
    as in `gamma`; ValueError for an alpha without axes.

    >>> from minijax.random import key
    >>> dirichlet(key(0), np.ones(3, np.float32))
    Array([0.36472058, 0.4282893 , 0.20699008], dtype=float32)
    """
    key, dtype = one_key("dirichlet", key), dtype_of_kind("dirichlet", dtype)
    check_arraylike("random.dirichlet", alpha=alpha)
    refuse_keys("random.dirichlet", alpha, error=ValueError)
    own = typeof(alpha).shape
    if not own:
        raise ValueError(
            f"random.dirichlet takes alpha as a vector or several, and got {shown(alpha)}.\n"
            f"Give an array that has an axis."
        )
    shape = own[:-1] if shape is None else known_shape("random.dirichlet", shape)
    check_shape("dirichlet", shape, "alpha, without its last axis,", own[:-1])
    return _dirichlet(key, alpha, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _dirichlet(key: Any, alpha: Any, shape: Shape, dtype: np.dtype) -> Any:
    alpha = lax.convert_element_type(alpha, dtype)
    logs = loggamma(key, alpha, (*shape, alpha.shape[-1]), dtype)
    largest = lax.stop_gradient(logs.max(-1, keepdims=True, initial=-np.inf))
    shares = lax.exp(logs - largest)
    return shares / shares.sum(-1, keepdims=True)


@takes_out_sharding
def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Sums of the squares of `df` standard normal numbers; df need not be whole.

    Shape, dtype and errors are as in `beta`.
    """
    key, shape, dtype = float_arguments("chisquare", key, shape, dtype, df=df)
    return _chisquare(key, df, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _chisquare(key: Any, df: Any, shape: Shape, dtype: np.dtype) -> Any:
    df = lax.convert_element_type(df, dtype)
    logs = loggamma(key, lax.div(df, constant(df, 2)), shape, dtype)
    return lax.mul(lax.exp(logs), constant(logs, 2))


@takes_out_sharding
def t(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Student's t: normal numbers over the square root of a chi-square number's mean, of `df`.

    Shape, dtype and errors are as in `beta`.
    """
    key, shape, dtype = float_arguments("t", key, shape, dtype, df=df)
    return _t(key, df, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _t(key: Any, df: Any, shape: Shape, dtype: np.dtype) -> Any:
    df = lax.convert_element_type(df, dtype)
    normal_key, gamma_key = split(key)
    above = normal(normal_key, shape, dtype)
    half = lax.div(df, constant(df, 2))
    return above * lax.sqrt(half / gamma(gamma_key, half, shape, dtype))


@takes_out_sharding
def f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = None) -> Any:
    """The F distribution: chi-square numbers over their `dfnum`, over others over `dfden`.

    Shape, dtype and errors are as in `beta`.
    """
    key, shape, dtype = float_arguments("f", key, shape, dtype, dfnum=dfnum, dfden=dfden)
    return _f(key, dfnum, dfden, shape, dtype)


@partial(jit, static_argnums=(3, 4))
def _f(key: Any, dfnum: Any, dfden: Any, shape: Shape, dtype: np.dtype) -> Any:
    dfden, dfnum = (lax.convert_element_type(x, dtype) for x in (dfden, dfnum))
    key_below, key_above = split(key)
    above = chisquare(key_above, dfnum, shape, dtype)
    below = chisquare(key_below, dfden, shape, dtype)
    return lax.div(lax.div(above, dfnum), lax.div(below, dfden))


@takes_out_sharding
def generalized_normal(
    key: Any, p: Any, shape: Any = (), dtype: Any = None
) -> Any:  # fmt: skip
    """Numbers with a density in proportion to exp(-abs(x)**p), of a `shape` and a float dtype.

    Errors are as in `gamma`.
    """
    shape = known_shape("random.generalized_normal", shape)
    key, dtype = one_key("generalized_normal", key), dtype_of_kind("generalized_normal", dtype)
    check_arraylike("random.generalized_normal", p=p)
    return _generalized_normal(key, p, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _generalized_normal(key: Any, p: Any, shape: Shape, dtype: np.dtype) -> Any:
    gamma_key, sign_key = split(key)
    sizes = gamma(gamma_key, 1 / p, shape, dtype)
    return rademacher(sign_key, shape, dtype) * sizes ** (1 / p)


@takes_out_sharding
def ball(key: Any, d: Any, p: Any = 2, shape: Any = (), dtype: Any = None) -> Any:
    """Points, evenly spread in the ball of d dimensions whose p-norm is at most 1.

    The result has `shape`, then an axis of size d, and a float dtype. Errors are as in `gamma`.
    (Barthe, Guedon, Mendelson and Naor, "A Probabilistic Approach to the Geometry of the l_p^n
    Ball", Annals of Probability, 2005.)
    """
    shape = known_shape("random.ball", shape)
    key, dtype = one_key("ball", key), dtype_of_kind("ball", dtype)
    check_arraylike("random.ball", p=p)
    return _ball(key, p, known_integer("random.ball", "d", d), shape, dtype)


@partial(jit, static_argnums=(2, 3, 4))
def _ball(key: Any, p: Any, d: int, shape: Shape, dtype: np.dtype) -> Any:
    point_key, rest_key = split(key)
    points = generalized_normal(point_key, p, (*shape, d), dtype)
    rest = exponential(rest_key, shape, dtype)
    sizes = ((lax.abs(points) ** p).sum(-1) + rest) ** (1 / p)
    return points / lax.expand_dims(sizes, (sizes.ndim,))
