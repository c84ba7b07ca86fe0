"""The functions that every nesting of transformations is applied to.

Each is written once, over a namespace `m`: minijax's in the test, NumPy's in the reference.
Where a function calls a transformation itself, the reference is a second function in which the
derivative was taken by hand. All are smooth near their arguments.
"""

from collections import OrderedDict
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

import minijax as jax
import minijax.numpy as jnp
from minijax import lax

MINIJAX = SimpleNamespace(
    **{name: getattr(jnp, name) for name in (
        "abs", "asarray", "broadcast_to", "concatenate", "cos", "dot", "exp", "log", "matmul",
        "max", "maximum", "minimum", "power", "reshape", "sin", "sqrt", "stack", "sum", "tanh",
        "transpose", "where", "zeros_like")},
    float64=lambda x: x.astype(jnp.float64),
    jit=jax.jit,
    logistic=lax.logistic,
    rsqrt=lax.rsqrt,
    stop_gradient=lax.stop_gradient,
)

NUMPY = SimpleNamespace(
    **{name: getattr(np, name) for name in vars(MINIJAX) if hasattr(np, name)} | dict(
        float64=lambda x: np.asarray(x).astype(np.longdouble),
        jit=lambda f: f,
        logistic=lambda x: 1 / (1 + np.exp(-x)),
        rsqrt=lambda x: 1 / np.sqrt(x),
        stop_gradient=lambda x: x,
    )
)

CONSTANT = np.array([0.3, -1.1])


class Affine(NamedTuple):
    weight: np.ndarray
    bias: np.ndarray


class Case(NamedTuple):
    """A function, the arguments it is tried on, and its reference when that is not itself."""

    function: Callable
    args: tuple
    by_hand: Callable | None = None

    @property
    def name(self) -> str:
        return self.function.__name__


def polynomial(m, x):
    return x**3 - 2.0 * x * x + 0.5


def elementwise(m, x):
    return m.sin(x) * m.exp(-x) + m.logistic(x) / (2.0 + m.tanh(x))


def positive_domain(m, x):
    z = m.sqrt(x) + m.rsqrt(x) + m.log(x)
    return m.power(x, z) * 0.25


def several_inputs(m, x, y, z):
    return (x * y + m.cos(z)) / (2.0 + m.sin(y)) - z


def several_outputs(m, x, y):
    return m.sin(x) * y, x - y, m.sum(x)


def pytrees(m, layer, xs):
    z = m.tanh(m.dot(layer.weight, xs["in"]) + layer.bias)
    return OrderedDict(out=(z, None), extra=[xs["scale"] * z[0]])


def constants(m, x):
    offset = m.asarray(CONSTANT)
    return x * offset + m.sin(offset) * 2.0 - CONSTANT


def integers_beside_floats(m, x, n):
    return 0.3 * x * m.float64(n) + m.sin(x), n * 2 + 1, n > 2


def integers_only_between(m, x, n):
    k = n - 4
    return 0.2 * m.float64(k * n) * x + x**2


def dead_code(m, x, y):
    unused = m.exp(m.dot(x, x)) * y
    m.jit(lambda z: (z * unused, m.cos(z)))(x)
    return m.jit(lambda z: (m.sin(z), z * y))(x)[0]


def ignores_an_argument(m, x, y, n):
    return m.cos(x)


def answers_a_constant(m, x):
    return m.asarray(CONSTANT), 0.75 * m.asarray(1.0), m.zeros_like(x)


def forwards_inputs(m, x, y):
    return y, x, y


def forwards_through_jit(m, x, y):
    a, b, c = m.jit(lambda p, q: (q, p, q * p))(x, y)
    return a * b + c, b


def closes_over_arguments(m, x, y):
    inner = m.jit(lambda z: m.sin(z) * x + m.jit(lambda w: w * y + x)(z))
    return inner(y) * inner(x)


def one_jit_called_twice(m, x):
    step = m.jit(lambda z: z * m.cos(z))
    return step(step(x)) + step(x)


def softmax_loss(m, x, y):
    top = m.stop_gradient(m.max(x))
    return m.log(m.sum(m.exp(x - top))) + top - m.sum(x * y)


def masks(m, x, y):
    chosen = m.where(x > y, m.sin(x), x * y)
    return m.maximum(chosen, 0.3 * y) + m.abs(m.minimum(x, y))


def shapes(m, x, y):
    grid = m.reshape(m.concatenate([x * 2.0, m.reshape(y, (1,)), x]), (1, 5))
    table = m.broadcast_to(m.transpose(grid), (5, 2)) * x
    return m.sum(table[1:4], 0) + m.stack([y, y])


def products(m, a, x):
    return 0.2 * m.sum(m.matmul(m.transpose(a), a)) + m.dot(a, m.dot(a, x))


def grad_inside(m, x, y):
    slope = jax.grad(lambda z: m.sin(x * z) + z * y)
    return x * slope(y)


def grad_inside_by_hand(m, x, y):
    return x * (m.cos(x * y) * x + y)


def vmap_inside(m, x, y):
    rows = jax.vmap(lambda z, k: m.sin(z * y) + k * x[0], in_axes=(0, None))(x, y)
    return m.sum(rows * x)


def vmap_inside_by_hand(m, x, y):
    return m.sum((m.sin(x * y) + y * x[0]) * x)


def linearize_inside(m, x, y):
    value, tangent = jax.linearize(m.jit(lambda z: m.exp(z) * y), x * x)
    return value + tangent(x) * tangent(y)


def linearize_inside_by_hand(m, x, y):
    slope = m.exp(x * x) * y
    return slope + slope * x * slope * y


def jvp_of_vjp_inside(m, x, y):
    def pulled(z):
        _, pull = jax.vjp(lambda a, b: m.sin(a) * b * x, z, y)
        return pull(x)

    (da, db), (dda, ddb) = jax.jvp(pulled, (x,), (y,))
    return da + 0.5 * ddb, db * dda


def jvp_of_vjp_inside_by_hand(m, x, y):
    da, db = m.cos(x) * y * x * x, m.sin(x) * x * x
    dda, ddb = -m.sin(x) * y * y * x * x, m.cos(x) * y * x * x
    return da + 0.5 * ddb, db * dda


X = np.array(0.6)
Y = np.array(-0.35)
Z = np.array(0.2)
PAIR = np.array([0.9, -0.4])
OTHER = np.array([0.25, 0.7])
MATRIX = np.array([[0.5, -0.2], [0.3, 0.8]])
COUNT = np.array(2)
COUNTS = np.array([1, 3])

CASES = [
    Case(polynomial, (PAIR,)),
    Case(elementwise, (PAIR,)),
    Case(positive_domain, (np.array([1.3, 0.8]),)),
    Case(several_inputs, (X, PAIR, Y)),
    Case(several_outputs, (PAIR, Y)),
    Case(pytrees, (Affine(PAIR.reshape(1, 2), X), {"scale": Y, "in": OTHER})),
    Case(constants, (PAIR,)),
    Case(integers_beside_floats, (PAIR, COUNTS)),
    Case(integers_only_between, (X, COUNT)),
    Case(dead_code, (PAIR, Y)),
    Case(ignores_an_argument, (X, PAIR, COUNT)),
    Case(answers_a_constant, (X,)),
    Case(forwards_inputs, (PAIR, Y)),
    Case(forwards_through_jit, (X, PAIR)),
    Case(closes_over_arguments, (X, Y)),
    Case(one_jit_called_twice, (PAIR,)),
    Case(softmax_loss, (np.array([0.2, 0.9, -0.5]), np.array([0.0, 0.25, 0.75]))),
    Case(masks, (PAIR, OTHER)),
    Case(shapes, (PAIR, Y)),
    Case(products, (MATRIX, PAIR)),
    Case(grad_inside, (X, Y), grad_inside_by_hand),
    Case(vmap_inside, (PAIR, Y), vmap_inside_by_hand),
    Case(linearize_inside, (X, Y), linearize_inside_by_hand),
    Case(jvp_of_vjp_inside, (X, Y), jvp_of_vjp_inside_by_hand),
]
