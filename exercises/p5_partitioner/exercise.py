"""Project: a partitioner. README.md says what is asked."""

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.batching import AxisData, extend_axis_env
from minijax.core.extend import ClosedJaxpr, Literal

# p5.1 Project: a partitioner

ELEMENTWISE = {
    "abs", "add", "add_any", "convert_element_type", "cos", "div", "eq", "exp", "ge", "gt",
    "integer_pow", "log", "logistic", "lt", "max", "min", "mul", "neg", "pow", "select_n", "sin",
    "sqrt", "square", "stop_gradient", "sub", "tanh",
}  # fmt: skip


def letters(eqn):
    """The letters of an equation's operands and of its result; None where nothing is known."""
    raise NotImplementedError("p5.1 letters")


def partition(closed, n, cuts):
    """The program of one of n devices, how its results are cut, and the bytes that are moved."""
    raise NotImplementedError("p5.1 partition")
