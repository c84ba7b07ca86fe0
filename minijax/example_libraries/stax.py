"""Networks as pairs of functions, under the names of `jax.example_libraries.stax`.

A layer is a pair. `init_fun(rng, input_shape)` gives (output_shape, params); `apply_fun(params,
inputs, **kwargs)` the outputs, with the keyword `rng` for those that draw. Names in capitals make
layers, or are ones that take no choices.

>>> init_fun, apply_fun = serial(Dense(8), Relu, Dense(2), LogSoftmax)
>>> shape, params = init_fun(random.key(0), (-1, 3))
>>> shape, apply_fun(params, numpy.ones((5, 3))).shape
((-1, 2), (5, 2))
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from minijax import lax, numpy, random
from minijax.face.boundaries import guard
from minijax.nn import (
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    selu,
    sigmoid,
    softmax,
    softplus,
    standardize,
)
from minijax.nn.initializers import glorot_normal, normal, ones, zeros

__all__ = """
    AvgPool BatchNorm Conv Conv1DTranspose ConvTranspose Dense Dropout Elu Exp FanInConcat FanInSum
    FanOut Flatten Gelu GeneralConv GeneralConvTranspose Identity LeakyRelu LogSoftmax MaxPool Relu
    Selu Sigmoid Softmax Softplus SumPool Tanh elementwise elu gelu glorot glorot_normal leaky_relu
    log_softmax logsoftmax normal ones parallel randn relu selu serial shape_dependent sigmoid
    softmax softplus standardize zeros
""".split()

Layer = tuple[Callable, Callable]
_WEIGHTS, _BIAS, _SMALL_BIAS = glorot_normal(), normal(), normal(1e-6)
glorot, randn, logsoftmax = glorot_normal, normal, log_softmax  # older names


def _without_params(apply: Callable, shape_of: Callable = lambda shape: shape) -> Layer:
    """A layer that has no parameters: of a function of its inputs, and one of their shape."""
    return (
        lambda rng, input_shape: (shape_of(input_shape), ()),
        lambda params, inputs, **kwargs: apply(inputs),
    )


# Layers with parameters.


def Dense(out_dim: int, W_init: Callable = _WEIGHTS, b_init: Callable = _BIAS) -> Layer:
    """A matrix product along the last axis, and a bias.

    >>> Dense(4)[0](random.key(0), (2, 3))[0]
    (2, 4)
    """

    def init_fun(rng: Any, input_shape: Sequence[int]) -> tuple:
        *outer, size = input_shape
        weights_key, bias_key = random.split(rng)
        params = W_init(weights_key, (size, out_dim)), b_init(bias_key, (out_dim,))
        return (*outer, out_dim), params

    def apply_fun(params: tuple, inputs: Any, **kwargs: Any) -> Any:
        weights, bias = params
        return numpy.dot(inputs, weights) + bias

    return init_fun, apply_fun


def _convolution(
    shape_rule: Callable, convolve: Callable, dimension_numbers: Sequence[str], out_chan: int,
    filter_shape: Sequence[int], strides: Any, padding: Any, W_init: Any, b_init: Callable,
) -> Layer:  # fmt: skip
    inputs_are, kernel_is, outputs_are = dimension_numbers
    strides = strides or (1,) * len(filter_shape)
    W_init = W_init or glorot_normal(kernel_is.index("I"), kernel_is.index("O"))

    def init_fun(rng: Any, input_shape: Sequence[int]) -> tuple:
        sizes = {"O": out_chan, "I": input_shape[inputs_are.index("C")]}
        spatial = iter(filter_shape)
        kernel_shape = [sizes[c] if c in sizes else next(spatial) for c in kernel_is]
        shape = shape_rule(input_shape, kernel_shape, strides, padding, dimension_numbers)
        weights_key, bias_key = random.split(rng)
        bias_shape = [out_chan if c == "C" else 1 for c in outputs_are]
        return shape, (W_init(weights_key, kernel_shape), b_init(bias_key, bias_shape))

    def apply_fun(params: tuple, inputs: Any, **kwargs: Any) -> Any:
        weights, bias = params
        out = convolve(inputs, weights, strides, padding, dimension_numbers=dimension_numbers)
        return out + bias

    return init_fun, apply_fun


def GeneralConv(
    dimension_numbers: Sequence[str], out_chan: int, filter_shape: Sequence[int],
    strides: Any = None, padding: Any = "VALID", W_init: Callable | None = None,
    b_init: Callable = _SMALL_BIAS,
) -> Layer:  # fmt: skip
    """A convolution, of axes in any order: see `lax.conv_general_dilated`.

    >>> GeneralConv(("NCH", "OIH", "NCH"), 4, (3,))[0](random.key(0), (1, 2, 8))[0]
    (1, 4, 6)
    """
    return _convolution(
        lax.conv_general_shape_tuple, lax.conv_general_dilated, dimension_numbers, out_chan,
        filter_shape, strides, padding, W_init, b_init,
    )  # fmt: skip


def GeneralConvTranspose(
    dimension_numbers: Sequence[str], out_chan: int, filter_shape: Sequence[int],
    strides: Any = None, padding: Any = "VALID", W_init: Callable | None = None,
    b_init: Callable = _SMALL_BIAS,
) -> Layer:  # fmt: skip
    """A transposed convolution: see `lax.conv_transpose`.

    >>> GeneralConvTranspose(("NHC", "HIO", "NHC"), 4, (3,))[0](random.key(0), (1, 6, 2))[0]
    (1, 8, 4)
    """
    return _convolution(
        lax.conv_transpose_shape_tuple, lax.conv_transpose, dimension_numbers, out_chan,
        filter_shape, strides, padding, W_init, b_init,
    )  # fmt: skip


Conv = partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
ConvTranspose = partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))


def BatchNorm(
    axis: int | Sequence[int] = (0, 1, 2), epsilon: Any = 1e-5, center: bool = True,
    scale: bool = True, beta_init: Callable = zeros, gamma_init: Callable = ones,
) -> Layer:  # fmt: skip
    """Inputs brought to mean 0 and variance 1 over some axes, then scaled and moved.

    >>> [x.shape for x in BatchNorm()[0](random.key(0), (8, 4, 4, 3))[1]]
    [(3,), (3,)]
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)

    def init_fun(rng: Any, input_shape: Sequence[int]) -> tuple:
        shape = tuple(n for d, n in enumerate(input_shape) if d not in axes)
        beta_key, gamma_key = random.split(rng)
        beta = beta_init(beta_key, shape) if center else ()
        return input_shape, (beta, gamma_init(gamma_key, shape) if scale else ())

    def apply_fun(params: tuple, x: Any, **kwargs: Any) -> Any:
        beta, gamma = params
        places = [d for d in range(numpy.ndim(x)) if d in axes]
        out = standardize(x, axes, epsilon=epsilon)
        out = numpy.expand_dims(gamma, places) * out if scale else out
        return out + numpy.expand_dims(beta, places) if center else out

    return init_fun, apply_fun


# Functions of each element.


def elementwise(fun: Callable, **fun_kwargs: Any) -> Layer:
    """A function of the inputs, of which it keeps the shape.

    >>> elementwise(numpy.clip, max=1.0)[1]((), numpy.array([0.5, 2.0]))
    Array([0.5, 1. ], dtype=float32)
    """
    return _without_params(partial(fun, **fun_kwargs))


Tanh, Exp = elementwise(numpy.tanh), elementwise(numpy.exp)
Relu, Elu, LeakyRelu, Selu, Gelu = map(elementwise, (relu, elu, leaky_relu, selu, gelu))
Sigmoid, Softplus = elementwise(sigmoid), elementwise(softplus)
Softmax, LogSoftmax = elementwise(softmax, axis=-1), elementwise(log_softmax, axis=-1)


# Windows.


def _pool(
    inputs: Any, window: Sequence[int], strides: Sequence[int], padding: Any, reducer: Callable,
    init_val: float, is_mean: bool,
) -> Any:  # fmt: skip
    reduce = partial(
        lax.reduce_window, init_value=init_val, computation=reducer, window_dimensions=window,
        window_strides=strides, padding=padding,
    )  # fmt: skip
    if not is_mean:
        return reduce(inputs)
    # A window at the border has fewer elements. Along axes without windows all have as many.
    shape = [1 if size == 1 else n for size, n in zip(window, inputs.shape, strict=True)]
    return reduce(inputs) / reduce(numpy.ones(shape, inputs.dtype))


def _pooling(reducer: Callable, init_val: float, is_mean: bool = False) -> Callable[..., Layer]:
    def make_layer(
        window_shape: Sequence[int], strides: Any = None, padding: Any = "VALID", spec: Any = None
    ) -> Layer:
        """What windows have together; `spec`, such as "NHWC", says which axes have none."""
        outer = (spec.index("N"), spec.index("C")) if spec else (0, len(window_shape) + 1)

        def of_all(sizes: Sequence[int]) -> tuple[int, ...]:
            rest = iter(sizes)
            return tuple(1 if d in outer else next(rest) for d in range(len(sizes) + 2))

        window, steps = of_all(window_shape), of_all(strides or (1,) * len(window_shape))

        def shape_of(input_shape: Sequence[int]) -> tuple[int, ...]:
            pads = lax.padtype_to_pads(input_shape, window, steps, padding)
            one = (1,) * len(window)
            return lax.reduce_window_shape_tuple(input_shape, window, steps, pads, one, one)

        pool = partial(
            _pool, window=window, strides=steps, padding=padding, reducer=reducer,
            init_val=init_val, is_mean=is_mean,
        )  # fmt: skip
        return _without_params(pool, shape_of)

    return make_layer


MaxPool = _pooling(lax.max, -math.inf)
SumPool = _pooling(lax.add, 0.0)
AvgPool = _pooling(lax.add, 0.0, is_mean=True)


# Shapes, and several inputs.

Flatten = _without_params(
    lambda x: numpy.reshape(x, (x.shape[0], -1)), lambda shape: (shape[0], math.prod(shape[1:]))
)
Identity = _without_params(lambda x: x)
FanInSum = _without_params(sum, lambda shapes: shapes[0])


def FanOut(num: int) -> Layer:
    """The inputs, so many times.

    >>> FanOut(2)[1]((), 1.0)
    [1.0, 1.0]
    """
    repeat = lambda x: [x] * num  # noqa: E731
    return _without_params(repeat, repeat)


def FanInConcat(axis: int = -1) -> Layer:
    """Several inputs, one behind the other along an axis.

    >>> FanInConcat()[0](None, [(2, 3), (2, 4)])
    ((2, 7), ())
    """

    def shape_of(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
        first, d = tuple(shapes[0]), axis % len(shapes[0])
        return (*first[:d], sum(shape[d] for shape in shapes), *first[d + 1 :])

    return _without_params(lambda xs: numpy.concatenate(xs, axis), shape_of)


def Dropout(rate: float, mode: str = "train") -> Layer:
    """Keeps elements with the probability `rate`, and divides them by it; in another mode than
    "train" all, as they are. ValueError for a call without the keyword `rng`, a key.

    >>> Dropout(0.5, mode="test")[1]((), numpy.ones(2), rng=random.key(0))
    Array([1., 1.], dtype=float32)
    """

    def apply_fun(params: tuple, inputs: Any, rng: Any = None, **kwargs: Any) -> Any:
        if rng is None:
            raise ValueError(
                "Dropout draws what it keeps, and got no key. Call the network with one, as the "
                "keyword rng."
            )
        if mode != "train":
            return inputs
        return numpy.where(random.bernoulli(rng, rate, inputs.shape), inputs / rate, 0)

    return _without_params(lambda x: x)[0], apply_fun


# Layers of layers.


def _keys(rng: Any, layers: Sequence[Layer]) -> Iterator[Any]:
    return iter([None] * len(layers) if rng is None else random.split(rng, len(layers)))


def serial(*layers: Layer) -> Layer:
    """One layer after the other; its parameters are a list of theirs.

    >>> serial(FanOut(2), FanInSum)[1]([(), ()], 3.0)
    6.0
    """

    def init_fun(rng: Any, input_shape: Any) -> tuple:
        params = []
        for init, _ in layers:
            rng, key = random.split(rng)
            input_shape, param = init(key, input_shape)
            params.append(param)
        return input_shape, params

    def apply_fun(params: Sequence[Any], inputs: Any, rng: Any = None, **kwargs: Any) -> Any:
        for (_, apply), param, key in zip(layers, params, _keys(rng, layers), strict=False):
            inputs = apply(param, inputs, rng=key, **kwargs)
        return inputs

    return init_fun, apply_fun


def parallel(*layers: Layer) -> Layer:
    """Each layer with an input of its own; inputs and outputs are lists.

    >>> parallel(Identity, Exp)[1]([(), ()], [1.0, numpy.array(0.0)])
    [1.0, Array(1., dtype=float32, weak_type=True)]
    """

    def init_fun(rng: Any, input_shape: Sequence[Any]) -> Any:
        keys = random.split(rng, len(layers))
        made = [init(k, s) for (init, _), k, s in zip(layers, keys, input_shape, strict=False)]
        return zip(*made, strict=True)

    def apply_fun(params: Sequence[Any], inputs: Any, rng: Any = None, **kwargs: Any) -> Any:
        given = zip(layers, params, inputs, _keys(rng, layers), strict=False)
        return [apply(param, x, rng=key, **kwargs) for (_, apply), param, x, key in given]

    return init_fun, apply_fun


def shape_dependent(make_layer: Callable[[Any], Layer]) -> Layer:
    """The layer that `make_layer` makes for the shape of the inputs, as soon as that is known.

    >>> shape_dependent(lambda shape: Dense(2 * shape[-1]))[0](random.key(0), (5, 3))[0]
    (5, 6)
    """
    return (
        lambda rng, input_shape: make_layer(input_shape)[0](rng, input_shape),
        lambda params, inputs, **kwargs: make_layer(inputs.shape)[1](params, inputs, **kwargs),
    )


guard(sys.modules[__name__])
