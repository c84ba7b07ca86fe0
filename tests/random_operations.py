"""What random programs are strung together from, said so that it runs under JAX and minijax.

An operation is a function of the package (`jax`), its operands and its settings. All values are
arrays of float64; indices, orders and choices are made from them inside of an operation.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple


class Operation(NamedTuple):
    """`function(jax, *operands, *settings)`; whether it has a gradient, and forward derivatives."""

    function: Callable
    gradient: bool = True
    forward: bool = True


def bounded(jax, x):
    """Between -0.8 and 0.8."""
    return 0.8 * jax.numpy.tanh(x)


def above_zero(jax, x):
    return 0.3 + jax.lax.logistic(x)


def of_bounded(name: str) -> Operation:
    return Operation(lambda jax, x: getattr(jax.lax, name)(bounded(jax, x)))


def of_positive(name: str) -> Operation:
    return Operation(lambda jax, x: getattr(jax.lax, name)(above_zero(jax, x)))


def place(jax, x, size: int):
    """An index below `size` that depends on a value, a little out of range now and then."""
    number = jax.lax.stop_gradient(jax.numpy.sum(jax.numpy.sin(3 * x)))
    return jax.lax.convert_element_type(number * size, "int32")


def is_high(jax, x):
    return jax.numpy.sum(x) > 0.1


# Element by element: one operand, or two of one shape.

UNARY = {
    name: of_bounded(name)
    for name in (
        "neg", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asin", "acos", "atan", "asinh",
        "atanh", "exp", "exp2", "expm1", "log1p", "erf", "erfc", "erf_inv", "logistic", "square",
        "abs", "sign", "floor", "ceil", "round", "stop_gradient",
    )
} | {
    name: of_positive(name)
    for name in ("log", "sqrt", "rsqrt", "cbrt", "lgamma", "digamma", "reciprocal")
} | {
    "acosh": Operation(lambda jax, x: jax.lax.acosh(1.2 + above_zero(jax, x))),
    "integer_pow": Operation(lambda jax, x: jax.lax.integer_pow(x, 3)),
    "relu": Operation(lambda jax, x: jax.nn.relu(x)),
    "gelu": Operation(lambda jax, x: jax.nn.gelu(x)),
    "softplus": Operation(lambda jax, x: jax.nn.softplus(x)),
    "to float32 and back": Operation(
        lambda jax, x: jax.lax.convert_element_type(
            jax.lax.convert_element_type(jax.lax.round(8 * x), "float32"), "float64")),
    "jit": Operation(lambda jax, x: jax.jit(lambda z: z * jax.numpy.cos(z))(x)),
    "checkpoint": Operation(lambda jax, x: jax.checkpoint(
        lambda z: jax.numpy.sin(jax.numpy.sin(z)) * z)(x)),
    "grad inside": Operation(
        lambda jax, x: jax.grad(lambda z: jax.numpy.sum(jax.numpy.sin(z) * x))(x)),
    "custom_jvp": Operation(lambda jax, x: with_a_jvp(jax)(x)),
    "custom_vjp": Operation(lambda jax, x: with_a_vjp(jax)(x), forward=False),
    "fori_loop": Operation(lambda jax, x: jax.lax.fori_loop(
        0, 3, lambda i, z: jax.numpy.sin(z) + 0.1 * i * x, x)),
    "while_loop": Operation(lambda jax, x: jax.lax.while_loop(
        lambda z: jax.numpy.sum(z * z) < 1.0, lambda z: 1.5 * z + 0.3, x), gradient=False),
    "cond": Operation(lambda jax, x: jax.lax.cond(
        is_high(jax, x), lambda z: jax.numpy.sin(z), lambda z: z * x, x)),
    "noise": Operation(lambda jax, x: x * jax.random.normal(jax.random.key(7), x.shape)),
    "dropout": Operation(lambda jax, x: jax.numpy.where(
        jax.random.bernoulli(jax.random.fold_in(jax.random.key(1), place(jax, x, 9)), 0.7, x.shape),
        x, 0.0)),
}  # fmt: skip

BINARY = {
    name: Operation(lambda jax, x, y, name=name: getattr(jax.lax, name)(x, y))
    for name in ("add", "sub", "mul", "max", "min", "atan2")
} | {
    "div": Operation(lambda jax, x, y: jax.lax.div(x, above_zero(jax, y))),
    "rem": Operation(lambda jax, x, y: jax.lax.rem(x, above_zero(jax, y))),
    "pow": Operation(lambda jax, x, y: jax.lax.pow(above_zero(jax, x), bounded(jax, y))),
    "clamp": Operation(lambda jax, x, y: jax.lax.clamp(-0.5 - jax.lax.abs(x), y, 0.5 + x * x)),
    "select_n": Operation(lambda jax, x, y: jax.lax.select(x > y, x, y * 2)),
    "switch": Operation(lambda jax, x, y: jax.lax.switch(
        place(jax, x, 3), [lambda a, b: a * b, lambda a, b: a - b, lambda a, b: b], x, y)),
    "cond that closes over": Operation(
        lambda jax, x, y: jax.lax.cond(is_high(jax, y), lambda: x * y, lambda: jax.numpy.cos(x))),
}  # fmt: skip


def with_a_jvp(jax):
    @jax.custom_jvp
    def cube(x):
        return x * x * x

    cube.defjvps(lambda t, ans, x: 3 * x * x * t + 0 * ans)
    return cube


def with_a_vjp(jax):
    @jax.custom_vjp
    def sine(x):
        return jax.numpy.sin(x)

    sine.defvjp(lambda x: (jax.numpy.sin(x), x), lambda x, ct: (jax.numpy.cos(x) * ct,))
    return sine


# Along the first axis of an array.

ALONG = {
    "cumsum": Operation(lambda jax, x: jax.lax.cumsum(x, 0)),
    "cumprod": Operation(lambda jax, x: jax.lax.cumprod(bounded(jax, x), 0)),
    "cummax": Operation(lambda jax, x: jax.lax.cummax(x, 0, reverse=True)),
    "cummin": Operation(lambda jax, x: jax.lax.cummin(x, 0)),
    "cumlogsumexp": Operation(lambda jax, x: jax.lax.cumlogsumexp(x, 0)),
    "sort": Operation(lambda jax, x: jax.lax.sort(x, dimension=0)),
    "sort by another": Operation(lambda jax, x: jax.lax.sort((jax.numpy.sin(9 * x), x), 0)[1]),
    "rev": Operation(lambda jax, x: jax.lax.rev(x, (0,))),
    "take in order": Operation(
        lambda jax, x: jax.numpy.take_along_axis(x, jax.numpy.argsort(-x, 0), 0)),
    "add at": Operation(lambda jax, x: x.at[jax.numpy.array([0, 0, -1])].add(x[0])),
    "set at": Operation(lambda jax, x: x.at[place(jax, x, len(x))].set(2.0)),
    "multiply at": Operation(lambda jax, x: x.at[jax.numpy.array([0, -1])].multiply(3.0)),
    "max at": Operation(lambda jax, x: x.at[0].max(0.2)),
    "dynamic_update_slice": Operation(lambda jax, x: jax.lax.dynamic_update_slice_in_dim(
        x, x[:1] * 2, place(jax, x, len(x)), 0)),
    "scan": Operation(lambda jax, x: jax.lax.scan(
        lambda c, y: (c * jax.numpy.cos(y), c + y), x[0], x)[1]),
    "scan backwards": Operation(lambda jax, x: jax.lax.scan(
        lambda c, y: ((c[0] + 1, c[1] * 0.5 + y), c[1] * c[0]), (1, x[-1]), x, reverse=True)[1]),
    "scan of a branch": Operation(lambda jax, x: jax.lax.scan(lambda c, y: (jax.lax.cond(
        is_high(jax, y), lambda a: jax.numpy.sin(a), lambda a: a * y, c), c), x[0], x)[1]),
    "map": Operation(lambda jax, x: jax.lax.map(lambda y: jax.numpy.sin(y) * x[0], x)),
    "vmap inside": Operation(lambda jax, x: jax.vmap(lambda y: y * x[0] + jax.numpy.sum(y))(x)),
    "associative_scan": Operation(
        lambda jax, x: jax.lax.associative_scan(lambda a, b: a * 0.5 + b, x)),
    "softmax": Operation(lambda jax, x: jax.nn.softmax(x, 0)),
}  # fmt: skip

# To fewer numbers, along an axis.

REDUCTIONS = {
    "reduce_sum": Operation(lambda jax, x, axis: jax.numpy.sum(x, axis)),
    "reduce_max": Operation(lambda jax, x, axis: jax.numpy.max(x, axis)),
    "reduce_min": Operation(lambda jax, x, axis: jax.numpy.min(x, axis)),
    "reduce_prod": Operation(lambda jax, x, axis: jax.numpy.prod(bounded(jax, x), axis)),
    "logsumexp": Operation(lambda jax, x, axis: jax.nn.logsumexp(x, axis)),
    "argmax": Operation(lambda jax, x, axis: 0.1 * jax.numpy.argmax(x, axis)),
    "top_k": Operation(
        lambda jax, x, axis: jax.lax.top_k(jax.numpy.moveaxis(x, axis, -1), 1)[0][..., 0]),
    "one of them": Operation(lambda jax, x, axis: jax.lax.dynamic_index_in_dim(
        x, place(jax, x, x.shape[axis]), axis, keepdims=False)),
    "gather": Operation(lambda jax, x, axis: jax.numpy.take(x, place(jax, x, 2), axis)),
    "dot_general": Operation(
        lambda jax, x, axis: jax.numpy.tensordot(x, jax.numpy.arange(1.0, x.shape[axis] + 1),
                                                 ((axis,), (0,)))),
}  # fmt: skip

SHAPES_CHANGED = {
    "broadcast": Operation(lambda jax, x: jax.numpy.broadcast_to(x, (2, *x.shape))),
    "transpose": Operation(lambda jax, x: jax.numpy.transpose(x)),
    "pad": Operation(lambda jax, x: jax.lax.pad(x, 0.5, [(1, 0, 0)] + [(0, 0, 0)] * (x.ndim - 1))),
    "slice": Operation(lambda jax, x: x[1:]),
    "concatenate": Operation(lambda jax, x: jax.numpy.concatenate([x, x * 2])),
    "gather rows": Operation(lambda jax, x: x[jax.numpy.array([1, 0, -1])]),
    "ravel": Operation(lambda jax, x: jax.numpy.ravel(x)),
}

OPERATIONS = UNARY | BINARY | ALONG | REDUCTIONS | SHAPES_CHANGED
LARGEST_AXIS = 4


class Instruction(NamedTuple):
    """An operation, the values that it reads (inputs first, then results), its settings."""

    name: str
    operands: tuple[int, ...]
    settings: tuple = ()


def changed_shape(name: str, shape: tuple) -> tuple | None:
    """The shape after an operation that changes shapes; None where it doesn't apply."""
    if name == "broadcast":
        return (2, *shape) if len(shape) < 2 else None
    if name == "transpose":
        return shape[::-1] if len(shape) == 2 else None
    if not shape:
        return None
    if name == "ravel":
        return (shape[0] * shape[1],) if len(shape) == 2 and shape[0] * shape[1] < 7 else None
    size = {"pad": shape[0] + 1, "slice": shape[0] - 1, "concatenate": 2 * shape[0],
            "gather rows": 3}[name]  # fmt: skip
    fits = 0 < size <= LARGEST_AXIS and (name != "gather rows" or shape[0] > 1)
    return (size, *shape[1:]) if fits else None


def next_instructions(known: list[tuple]) -> Iterator[tuple[Instruction, tuple]]:
    """What may come next after values of these shapes, with the shape of its result."""
    for i, shape in enumerate(known):
        yield from ((Instruction(name, (i,)), shape) for name in UNARY)
        if shape:
            yield from ((Instruction(name, (i,)), shape) for name in ALONG)
        for axis, name in product(range(len(shape)), REDUCTIONS):
            yield Instruction(name, (i,), (axis,)), shape[:axis] + shape[axis + 1 :]
        for name in SHAPES_CHANGED:
            after = changed_shape(name, shape)
            if after is not None:
                yield Instruction(name, (i,)), after
    for (i, x), (j, y) in product(enumerate(known), repeat=2):
        if x == y:
            yield from ((Instruction(name, (i, j)), x) for name in BINARY)
