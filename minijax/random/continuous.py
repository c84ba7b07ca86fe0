"""Floats of many distributions, each made of uniform or normal numbers by a formula.

Where a distribution function F can be inverted, F**-1 of a uniform number follows it. (Devroye,
Non-Uniform Random Variate Generation, 1986, chapter II.2; other sources are named below.)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minijax import lax
from minijax.core.forward import constant
from minijax.core.jitting import jit
from minijax.core.primitives import Shape
from minijax.dtypes import finfo
from minijax.lax.out_sharding import takes_out_sharding
from minijax.lax.shapes.axes import known_shape
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.elementwise.ufuncs import clip, power
from minijax.numpy.shapes.reshaping import broadcast_shapes, broadcast_to
from minijax.random.arguments import (
    check_safe,
    dtype_of_kind,
    float_arguments,
    one_key,
    parameter_shape,
)
from minijax.random.discrete import rademacher
from minijax.random.keys import split
from minijax.random.samplers import normal, uniform

# Without parameters.


def _standard(fun_name: str, key: Any, shape: Any, dtype: Any) -> tuple[Any, Shape, np.dtype]:
    key = one_key(fun_name, key)
    return key, known_shape(f"random.{fun_name}", shape), dtype_of_kind(fun_name, dtype)


@takes_out_sharding
def exponential(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers x > 0 with the density exp(-x), of a `shape` and a float dtype.

    ValueError for another dtype and for an array of keys; TypeError for what is no key or shape.

    >>> from minijax.random import key
    >>> exponential(key(0), (2,))
    Array([2.950128 , 3.8434246], dtype=float32)
    """
    return _exponential(*_standard("exponential", key, shape, dtype))


@partial(jit, static_argnums=(1, 2))
def _exponential(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    return lax.neg(lax.log1p(lax.neg(uniform(key, shape, dtype))))  # 1 - u is never 0


@takes_out_sharding
def laplace(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers with the density exp(-abs(x)) / 2, of a `shape` and a float dtype.

    Errors as of `exponential`.
    """
    return _laplace(*_standard("laplace", key, shape, dtype))


@partial(jit, static_argnums=(1, 2))
def _laplace(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    u = uniform(key, shape, dtype, minval=-1.0 + finfo(dtype).epsneg, maxval=1.0)
    return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))


@takes_out_sharding
def logistic(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers with the distribution function 1 / (1 + exp(-x)), of a `shape` and a float dtype.

    Errors as of `exponential`.
    """
    return _logistic(*_standard("logistic", key, shape, dtype))


@partial(jit, static_argnums=(1, 2))
def _logistic(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    u = uniform(key, shape, dtype, minval=finfo(dtype).tiny, maxval=1.0)
    return lax.sub(lax.log(u), lax.log1p(lax.neg(u)))


@takes_out_sharding
def cauchy(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers with the density 1 / (pi * (1 + x**2)), of a `shape` and a float dtype.

    Errors as of `exponential`.
    """
    return _cauchy(*_standard("cauchy", key, shape, dtype))


@partial(jit, static_argnums=(1, 2))
def _cauchy(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    u = uniform(key, shape, dtype, minval=finfo(dtype).eps, maxval=1.0)
    return lax.tan(lax.mul(constant(u, np.pi), lax.sub(u, constant(u, 0.5))))


@takes_out_sharding
def maxwell(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Lengths of vectors of three standard normal numbers, of a `shape` and a float dtype.

    Errors as of `exponential`.
    """
    return _maxwell(*_standard("maxwell", key, shape, dtype))


@partial(jit, static_argnums=(1, 2))
def _maxwell(key: Any, shape: Shape, dtype: np.dtype) -> Any:
    return norm(normal(key, (*shape, 3), dtype))


@jit
def norm(vectors: Any) -> Any:
    return lax.sqrt((vectors * vectors).sum(-1))


# With parameters.

_ONE = np.float32(1)


@takes_out_sharding
def truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Any = None
) -> Any:  # fmt: skip
    """Standard normal numbers, of those between `lower` and `upper`.

    The result has `shape`, by default that of the bounds, which must broadcast to it, and a float
    dtype. ValueError for another dtype, for shapes that don't fit and for an array of keys;
    TypeError for what is no key or shape.

    >>> from minijax.random import key
    >>> truncated_normal(key(0), 0.0, 1.0, (2,))
    Array([0.9287132, 0.970226 ], dtype=float32)
    """
    key = one_key("truncated_normal", key)
    shape = parameter_shape("truncated_normal", shape, lower=lower, upper=upper)
    dtype = dtype_of_kind("truncated_normal", dtype)
    return _truncated_normal(key, lower, upper, shape, dtype)


@partial(jit, static_argnums=(3, 4))
def _truncated_normal(key: Any, lower: Any, upper: Any, shape: Shape, dtype: np.dtype) -> Any:
    sqrt2 = np.array(np.sqrt(2), dtype)
    lower, upper = (lax.convert_element_type(x, dtype) for x in (lower, upper))
    u = uniform(key, shape, dtype, minval=lax.erf(lower / sqrt2), maxval=lax.erf(upper / sqrt2))
    x = sqrt2 * lax.erf_inv(u)
    # The bounds themselves are left out, which rounding may reach.
    infinity = np.array(np.inf, dtype)
    return clip(
        x, lax.nextafter(lax.stop_gradient(lower), infinity),
        lax.nextafter(lax.stop_gradient(upper), -infinity),
    )  # fmt: skip


@takes_out_sharding
def pareto(key: Any, b: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers x > 1 with the density b / x**(b + 1).

    The result has `shape`, by default that of b, which must broadcast to it, and a float dtype.
    ValueError for another dtype, for shapes that don't fit and for an array of keys; TypeError
    for what is no key or shape; TypePromotionError for a parameter that the dtype cannot hold.
    """
    key, shape, dtype = float_arguments("pareto", key, shape, dtype, b=b)
    return _pareto(key, b, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _pareto(key: Any, b: Any, shape: Shape, dtype: np.dtype) -> Any:
    b = lax.convert_element_type(b, dtype)
    return lax.exp(exponential(key, shape, dtype) / b)


@takes_out_sharding
def rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers x > 0 with the density x / s**2 * exp(-(x / s)**2 / 2), where s is the `scale`.

    Shape, dtype and errors are as in `pareto`.
    """
    key, shape, dtype = float_arguments("rayleigh", key, shape, dtype, scale=scale)
    return _rayleigh(key, scale, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _rayleigh(key: Any, scale: Any, shape: Shape, dtype: np.dtype) -> Any:
    u = uniform(key, shape, dtype)
    scale = broadcast_to(scale.astype(dtype), shape)
    return lax.mul(scale, lax.sqrt(lax.mul(lax.log(u), constant(scale, -2))))


@takes_out_sharding
def wald(key: Any, mean: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers of Wald's distribution, the inverse Gaussian of scale 1 and a given `mean`.

    Shape, dtype and errors are as in `pareto`. (Michael, Schucany and Haas, "Generating Random
    Variates Using Transformations with Multiple Roots", The American Statistician, 1976.)
    """
    key, shape, dtype = float_arguments("wald", key, shape, dtype, mean=mean)
    return _wald(key, mean, shape, dtype)


@partial(jit, static_argnums=(2, 3))
def _wald(key: Any, mean: Any, shape: Shape, dtype: np.dtype) -> Any:
    normal_key, uniform_key = split(key)
    mean = broadcast_to(mean.astype(dtype), shape)
    v, z = normal(normal_key, shape, dtype), uniform(uniform_key, shape, dtype)
    y = lax.integer_pow(v, 2)
    y_squared, mean_squared = lax.integer_pow(y, 2), lax.integer_pow(mean, 2)
    root = lax.sqrt(4 * mean * y + mean_squared * y_squared)
    x = mean + mean_squared * y / 2 - mean / 2 * root
    return lax.select(lax.le(z, mean / (mean + x)), x, mean_squared / x)


@takes_out_sharding
def triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = None
) -> Any:  # fmt: skip
    """Numbers from `left` to `right`, whose density is a triangle with its top at `mode`.

    Shape, dtype and errors are as in `pareto`.
    """
    key, shape, dtype = float_arguments(
        "triangular", key, shape, dtype, left=left, mode=mode, right=right
    )
    return _triangular(key, left, mode, right, shape, dtype)


@partial(jit, static_argnums=(4, 5), inline=True)
def _triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Shape, dtype: np.dtype
) -> Any:  # fmt: skip
    left, right, mode = (
        broadcast_to(lax.convert_element_type(x, dtype), shape) for x in (left, right, mode)
    )
    share = (mode - left) / (right - left)
    u = uniform(key, shape, dtype)
    low = left + lax.sqrt(u * (right - left) * (mode - left))
    high = right - lax.sqrt((1 - u) * (right - left) * (right - mode))
    return lax.select(u < share, low, high)


@takes_out_sharding
def lognormal(
    key: Any, sigma: Any = _ONE, shape: Any = None, dtype: Any = None
) -> Any:  # fmt: skip
    """exp(sigma * z) of standard normal numbers z, floats or complex.

    Shape, dtype and errors are as in `pareto`.
    """
    key, dtype = one_key("lognormal", key), dtype_of_kind("lognormal", dtype, np.inexact)
    shape = parameter_shape("lognormal", shape, sigma=sigma)
    check_safe("lognormal", dtype, sigma=sigma)
    return _lognormal(key, sigma, shape, dtype)


@partial(jit, static_argnums=(2, 3), inline=True)
def _lognormal(key: Any, sigma: Any, shape: Shape, dtype: np.dtype) -> Any:
    sigma = lax.convert_element_type(sigma, dtype)
    return lax.exp(normal(key, shape, dtype) * sigma)


def weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = (), dtype: Any = None
) -> Any:  # fmt: skip
    """scale * e**(1 / concentration) of exponential numbers e: Weibull's distribution.

    The numbers e have `shape` and a float dtype, and meet the parameters as in a product. Errors
    as of `exponential`.
    """
    key, shape, dtype = _standard("weibull_min", key, shape, dtype)
    check_arraylike("random.weibull_min", scale=scale, concentration=concentration)
    return _weibull_min(key, scale, concentration, shape, dtype)


@partial(jit, static_argnums=(3, 4))
def _weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Shape, dtype: np.dtype
) -> Any:  # fmt: skip
    u = uniform(key, shape, minval=0, maxval=1, dtype=dtype)
    return power(-lax.log1p(-u), 1.0 / concentration) * scale


def double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Any = None
) -> Any:  # fmt: skip
    """loc + scale * m, with numbers m of Maxwell's distribution and of either sign.

    The result has `shape` with the parameters' own behind it, as in JAX, or the parameters' alone
    twice, where `shape` is (). Errors as of `exponential`.
    """
    key, shape, dtype = _standard("double_sided_maxwell", key, shape, dtype)
    check_arraylike("random.double_sided_maxwell", loc=loc, scale=scale)
    return _double_sided_maxwell(key, loc, scale, shape, dtype)


@partial(jit, static_argnums=(3, 4))
def _double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: Shape, dtype: np.dtype
) -> Any:  # fmt: skip
    parameters = broadcast_shapes(loc.shape, scale.shape)
    shape = (*(shape or parameters), *parameters)
    maxwell_key, sign_key = split(key)
    lengths, signs = maxwell(maxwell_key, shape, dtype), rademacher(sign_key, shape, dtype)
    return signs * lengths * scale + loc
