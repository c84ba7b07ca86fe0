"""What stands between the layers of a network: functions of single numbers, each with a kink or
a bend."""

from __future__ import annotations

from typing import Any

import numpy as np

from minijax import lax, numpy
from minijax.core.tracing import typeof
from minijax.lax.custom.derivatives import custom_jvp
from minijax.lax.shapes.axes import known_axis
from minijax.numpy.arguments import library_jit
from minijax.numpy.promotion import promote_args


@library_jit
def identity(x: Any) -> Any:
    """x itself, as an array."""
    return numpy.asarray(x)


# With a kink: the derivative there is 0, by a rule.


@custom_jvp
@library_jit
def relu(x: Any) -> Any:
    """max(x, 0), with the derivative 0 at 0.

    Bertoin et al., Numerical influence of ReLU'(0) on backpropagation (2021).

    >>> relu(np.float32(-2))
    Array(0., dtype=float32)
    """
    return numpy.maximum(x, 0)


relu.defjvps(lambda g, ans, x: lax.select(x > 0, g, lax.full_like(g, 0)))


@custom_jvp
@library_jit
def relu6(x: Any) -> Any:
    """x, held between 0 and 6; its derivative is 0 at both."""
    return numpy.minimum(numpy.maximum(x, 0), 6.0)


relu6.defjvps(lambda g, ans, x: lax.select((x > 0) & (x < 6), g, lax.full_like(g, 0)))


@library_jit
def leaky_relu(x: Any, negative_slope: Any = 1e-2) -> Any:
    """x, and `negative_slope` times x below 0."""
    return numpy.where(x >= 0, x, negative_slope * x)


@library_jit
def hard_tanh(x: Any) -> Any:
    """x, held between -1 and 1."""
    return numpy.where(x > 1, 1, numpy.where(x < -1, -1, x))


@library_jit
def hard_sigmoid(x: Any) -> Any:
    """From 0 to 1 in a straight line, between -3 and 3."""
    return relu6(x + 3.0) / 6.0


@library_jit
def hard_silu(x: Any) -> Any:
    """x * hard_sigmoid(x)."""
    return x * hard_sigmoid(x)


hard_swish = hard_silu

# From 0 to 1, and what is made of that.


@library_jit(inline=True)
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)).

    >>> sigmoid(0.0)
    Array(0.5, dtype=float32, weak_type=True)
    """
    return lax.logistic(x)


@library_jit
def silu(x: Any) -> Any:
    """x * sigmoid(x)."""
    return x * sigmoid(x)


swish = silu


@library_jit
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), whose derivative is the sigmoid."""
    return numpy.logaddexp(x, 0)


@library_jit
def log_sigmoid(x: Any) -> Any:
    """log(sigmoid(x)), without loss for negative x."""
    return -softplus(-x)


@library_jit
def mish(x: Any) -> Any:
    """x * tanh(softplus(x)). Misra, Mish (2019)."""
    return x * numpy.tanh(softplus(x))


@library_jit
def squareplus(x: Any, b: Any = 4) -> Any:
    """(x + sqrt(x**2 + b)) / 2. Barron, Squareplus: a softplus-like algebraic rectifier (2021)."""
    return (x + numpy.sqrt(numpy.square(x) + b)) / 2


@library_jit
def soft_sign(x: Any) -> Any:
    """x / (|x| + 1), from -1 to 1."""
    return x / (numpy.abs(x) + 1)


@library_jit
def sparse_plus(x: Any) -> Any:
    """0 up to -1, x from 1 on, a parabola between: its derivative is the sparse sigmoid."""
    return numpy.where(x <= -1.0, 0.0, numpy.where(x >= 1.0, x, (x + 1.0) ** 2 / 4))


@library_jit
def sparse_sigmoid(x: Any) -> Any:
    """From 0 to 1 in a straight line, between -1 and 1.

    Blondel, Martins and Niculae, Learning with Fenchel-Young losses (2020), section 6.2.
    """
    return 0.5 * numpy.clip(x + 1.0, 0.0, 2.0)


# Exponential on the negative side.


@library_jit
def elu(x: Any, alpha: Any = 1.0) -> Any:
    """x above 0, and alpha * (exp(x) - 1) below. Clevert, Unterthiner and Hochreiter (2015)."""
    return numpy.where(x > 0, x, alpha * numpy.expm1(numpy.where(x > 0, 0.0, x)))


@library_jit
def celu(x: Any, alpha: Any = 1.0) -> Any:
    """x above 0, and alpha * (exp(x / alpha) - 1) below. Barron (2017)."""
    return numpy.maximum(x, 0.0) + alpha * numpy.expm1(numpy.minimum(x, 0.0) / alpha)


@library_jit
def selu(x: Any) -> Any:
    """elu, scaled so that normal numbers keep mean 0 and variance 1. Klambauer et al. (2017)."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return scale * elu(x, alpha)


def gelu(x: Any, approximate: bool = True) -> Any:
    """x times the chance that a normal number is smaller; `approximate` has it by tanh.

    Hendrycks and Gimpel, Gaussian error linear units (2016).

    >>> gelu(1.0), gelu(1.0, approximate=False)
    (Array(0.841192, dtype=float32), Array(0.8413447, dtype=float32))
    """
    (x,) = promote_args("nn.gelu", x, inexact=True)
    dtype = typeof(x).dtype
    if approximate:
        slope = np.sqrt(2 / np.pi).astype(dtype)
        return x * (0.5 * (1.0 + numpy.tanh(slope * (x + 0.044715 * (x**3)))))
    return numpy.array(0.5 * x * lax.erfc(-x * np.sqrt(0.5).astype(dtype)), dtype=dtype)


@custom_jvp
@library_jit
def log1mexp(x: Any) -> Any:
    """log(1 - exp(-x)), for x above 0.

    Maechler, Accurately computing log(1 - exp(-|a|)) (2012).
    """
    return numpy.where(x < numpy.log(2.0), numpy.log(-numpy.expm1(-x)), numpy.log1p(-numpy.exp(-x)))


log1mexp.defjvps(lambda g, ans, x: g / numpy.expm1(x))


@library_jit(static_argnames=("axis",))
def glu(x: Any, axis: int = -1) -> Any:
    """The first half of x along an axis, times the sigmoid of the second.

    Dauphin et al., Language modeling with gated convolutional networks (2017). Raises
    AssertionError, as JAX does, where the axis has an odd size.
    """
    axis = known_axis("nn.glu", axis, x.ndim, IndexError)
    if x.shape[axis] % 2:
        raise AssertionError(
            f"nn.glu halves axis {axis} of x, and it has {x.shape[axis]} elements. Give an even "
            f"number of them."
        )
    first, second = numpy.split(x, 2, axis)
    return first * sigmoid(second)
