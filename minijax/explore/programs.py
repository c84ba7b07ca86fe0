"""The explorer's programs, and the transformations that make sense of each.

A program is a text that defines `f`; its examples are texts of Python too, so that a reader sees
all that is run. A transformation is a text in which `f` stands for the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

NAMES = "import minijax as jax\nimport minijax.numpy as jnp\nfrom minijax import lax, nn, random\n"

# By the name that a program's row uses: the text, and what it is called with.
TRANSFORMATIONS = {
    "f": ("f", "one"),
    "jit": ("jax.jit(f)", "one"),
    "grad": ("jax.grad(f)", "one"),
    "grad grad": ("jax.grad(jax.grad(f))", "one"),
    "jit grad": ("jax.jit(jax.grad(f))", "one"),
    "value_and_grad": ("jax.value_and_grad(f)", "one"),
    "jvp": ("lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))", "one"),
    "jacfwd": ("jax.jacfwd(f)", "one"),
    "jacrev": ("jax.jacrev(f)", "one"),
    "vmap": ("jax.vmap(f, in_axes=AXES)", "many"),
    "vmap jvp": ("jax.vmap(lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),)))", "many"),
    "vmap grad": ("jax.vmap(jax.grad(f), in_axes=AXES)", "many"),
    "jit vmap": ("jax.jit(jax.vmap(f, in_axes=AXES))", "many"),
    "jit vmap grad": ("jax.jit(jax.vmap(jax.grad(f), in_axes=AXES))", "many"),
    "grad checkpoint": ("jax.grad(jax.checkpoint(f))", "one"),
}

SCALAR = ("f", "jvp", "grad", "grad grad", "vmap", "vmap jvp", "vmap grad", "jit", "jit vmap grad")
LOSS = ("f", "grad", "vmap", "vmap grad", "jit grad")
ARRAY = ("f", "jvp", "vmap", "jit")


@dataclass(frozen=True)
class Program:
    """One row.

    Attributes:
      name: for addresses: small letters and hyphens.
      title: as the list shows it.
      text: Python that defines `f`.
      one: the text of a tuple, `f`'s arguments.
      many: of a tuple, the arguments of `f` mapped; "" where no transformation maps it.
      transformations: keys of `TRANSFORMATIONS`.
      axes: `vmap`'s `in_axes`, as text.
    """

    name: str
    title: str
    text: str
    one: str
    many: str
    transformations: Sequence[str]
    axes: str = "0"

    def expression(self, transformation: str) -> str:
        """The text of the transformed function.

        >>> programs["sine"].expression("vmap grad")
        'jax.vmap(jax.grad(f))'
        """
        text, _ = TRANSFORMATIONS[transformation]
        return text.replace(", in_axes=AXES", "" if self.axes == "0" else f", in_axes={self.axes}")

    def arguments(self, transformation: str) -> str:
        """The text of a tuple, what the transformed function is called with.

        >>> programs["sine"].arguments("vmap grad")
        '(jnp.arange(3.0),)'
        """
        _, which = TRANSFORMATIONS[transformation]
        return self.many if which == "many" else self.one


def program(
    name: str, title: str, one: str, many: str, transformations: Sequence[str], text: str,
    axes: str = "0",
) -> Program:  # fmt: skip
    return Program(name, title, dedent(text).strip("\n"), one, many, transformations, axes)


_table = [
    program("sine", "A sine", "(2.0,)", "(jnp.arange(3.0),)", SCALAR, """
        def f(x):
            return jnp.sin(x) * x
        """),
    program("polynomial", "A polynomial", "(jnp.array(2.0),)", "(jnp.arange(3.0),)", SCALAR, """
        def f(x):
            return 3 * x**2 + 2 * x + 1
        """),
    program("sigmoid", "A sigmoid", "(0.5,)", "(jnp.linspace(-1, 1, 3),)", SCALAR, """
        def f(x):
            return 1 / (1 + jnp.exp(-x))
        """),
    program("norm", "The length of a vector", "(jnp.array([3.0, 4.0]),)",
            "(jnp.array([[3.0, 4.0], [5.0, 12.0]]),)", LOSS, """
        def f(x):
            return jnp.sqrt(jnp.sum(x * x))
        """),
    program("softmax", "A softmax", "(jnp.arange(3.0),)", "(jnp.arange(6.0).reshape(2, 3),)",
            (*ARRAY, "jacrev", "jit vmap"), """
        def f(x):
            weights = jnp.exp(x - jnp.max(x))
            return weights / jnp.sum(weights)
        """),
    program("where", "A choice for each number", "(-1.0,)", "(jnp.array([-1.0, 0.0, 2.0]),)",
            SCALAR, """
        def f(x):
            return jnp.where(x > 0, x, 0.1 * x)
        """),
    program("product", "A matrix times a vector",
            "(jnp.ones((2, 3)), jnp.arange(3.0))", "(jnp.ones((2, 3)), jnp.ones((4, 3)))",
            ("f", "vmap", "jit", "jacrev", "jit vmap"), """
        def f(weights, x):
            return weights @ x
        """, axes="(None, 0)"),
    program("line", "A line's loss",
            "({'slope': 2.0, 'start': 1.0}, jnp.arange(3.0), jnp.array([1.0, 2.0, 4.0]))",
            "({'slope': 2.0, 'start': 1.0}, jnp.arange(6.0).reshape(2, 3), jnp.ones((2, 3)))",
            (*LOSS, "value_and_grad"), """
        def f(params, x, y):
            guess = params["slope"] * x + params["start"]
            return jnp.mean((guess - y) ** 2)
        """, axes="(None, 0, 0)"),
    program("mlp", "A network of two layers",
            "([jnp.ones((2, 3)), jnp.ones(3)], jnp.array([0.5, -0.5]))",
            "([jnp.ones((2, 3)), jnp.ones(3)], jnp.array([[0.5, -0.5], [1.0, 2.0]]))", LOSS, """
        def f(params, x):
            hidden, out = params
            return jnp.tanh(x @ hidden) @ out
        """, axes="(None, 0)"),
    program("cross-entropy", "Cross-entropy", "(jnp.array([2.0, 0.0, 1.0]), 0)",
            "(jnp.ones((2, 3)), jnp.array([0, 2]))", LOSS, """
        def f(scores, label):
            return nn.logsumexp(scores) - scores[label]
        """, axes="(0, 0)"),
    program("layer-norm", "A layer's norm", "(jnp.array([1.0, 2.0, 4.0]),)",
            "(jnp.arange(6.0).reshape(2, 3),)", ARRAY, """
        def f(x):
            centred = x - jnp.mean(x)
            return centred / jnp.sqrt(jnp.mean(centred**2) + 1e-5)
        """),
    program("attention", "One head of attention",
            "(jnp.eye(2), jnp.ones((2, 2)), jnp.arange(4.0).reshape(2, 2))",
            "(jnp.ones((3, 2, 2)), jnp.ones((3, 2, 2)), jnp.ones((3, 2, 2)))",
            ("f", "vmap", "jit", "jit vmap"), """
        def f(query, key, value):
            scores = query @ key.T / jnp.sqrt(2.0)
            return nn.softmax(scores) @ value
        """),
    program("scan", "A running sum, in a scan", "(jnp.arange(4.0),)",
            "(jnp.arange(8.0).reshape(2, 4),)", ("f", "jit", "vmap", "jvp", "jacrev"), """
        def f(x):
            def step(total, one):
                total = total + one * one
                return total, total
            return lax.scan(step, 0.0, x)[1]
        """),
    program("rnn", "A recurrent network", "(0.5, jnp.arange(3.0))",
            "(0.5, jnp.ones((2, 3)))", LOSS, """
        def f(weight, inputs):
            def step(state, x):
                return jnp.tanh(weight * state + x), None
            state, _ = lax.scan(step, 0.0, inputs)
            return state
        """, axes="(None, 0)"),
    program("while", "Newton's square root", "(2.0,)", "(jnp.array([2.0, 9.0]),)",
            ("f", "jit", "jvp", "vmap", "jit vmap"), """
        def f(x):
            def is_far(guess):
                return jnp.abs(guess * guess - x) > 1e-3
            def better(guess):
                return 0.5 * (guess + x / guess)
            return lax.while_loop(is_far, better, x)
        """),
    program("fori", "A power, in a loop", "(1.5,)", "(jnp.array([1.5, 2.0]),)",
            ("f", "jit", "grad", "vmap", "jit grad"), """
        def f(x):
            return lax.fori_loop(0, 3, lambda i, y: y * x, 1.0)
        """),
    program("cond", "A branch", "(2.0,)", "(jnp.array([-1.0, 2.0]),)", SCALAR, """
        def f(x):
            return lax.cond(x > 0, jnp.sin, lambda x: 3 * x, x)
        """),
    program("custom-rule", "A rule of one's own", "(2.0,)", "(jnp.arange(3.0),)",
            ("f", "grad", "vmap", "vmap grad", "jit grad"), """
        @jax.custom_vjp
        def clipped(x):
            return x
        def forward(x):
            return x, None
        def backward(_, cotangent):
            return (jnp.clip(cotangent, -1, 1),)
        clipped.defvjp(forward, backward)

        def f(x):
            return clipped(x) ** 2
        """),
    program("checkpoint", "Less kept for the way back", "(1.0,)", "(jnp.arange(3.0),)",
            ("grad", "grad checkpoint", "vmap grad", "jit grad"), """
        def f(x):
            return jnp.sin(jnp.sin(jnp.sin(x)))
        """),
    program("keys", "Random numbers", "(random.key(0),)", "(random.split(random.key(0), 3),)",
            ("f", "vmap", "jit", "jit vmap"), """
        def f(key):
            first, second = random.split(key)
            return random.uniform(first) + random.normal(second)
        """),
    program("indexing", "Rows that are looked up",
            "(jnp.arange(6.0).reshape(3, 2), jnp.array([2, 0]))",
            "(jnp.arange(6.0).reshape(3, 2), jnp.array([[2, 0], [1, 1]]))",
            ("f", "vmap", "jit", "jacfwd"), """
        def f(table, rows):
            return table[rows].sum(axis=0)
        """, axes="(None, 0)"),
    program("update", "One place changed", "(jnp.zeros(4), 1)",
            "(jnp.zeros((2, 4)), jnp.array([1, 3]))", ("f", "vmap", "jit", "jacrev"), """
        def f(x, i):
            return x.at[i].add(1.0)
        """),
    program("convolution", "A convolution", "(jnp.arange(5.0), jnp.array([1.0, 0.0, -1.0]))",
            "(jnp.arange(10.0).reshape(2, 5), jnp.array([1.0, 0.0, -1.0]))",
            ("f", "vmap", "jit", "jacrev"), """
        def f(signal, window):
            return jnp.convolve(signal, window, mode="valid")
        """, axes="(0, None)"),
    program("sort", "A sort", "(jnp.array([3.0, 1.0, 2.0]),)",
            "(jnp.array([[3.0, 1.0, 2.0], [0.0, -1.0, 5.0]]),)", ARRAY, """
        def f(x):
            return jnp.sort(x)
        """),
    program("cholesky", "A Cholesky factor", "(jnp.array([[4.0, 2.0], [2.0, 3.0]]),)", "",
            ("f", "jvp", "jit"), """
        def f(matrix):
            return jnp.linalg.cholesky(matrix)
        """),
    program("distances", "All pairs of points", "(jnp.arange(6.0).reshape(3, 2),)", "",
            ("f", "jit", "jvp"), """
        def f(points):
            def distance(p, q):
                return jnp.sqrt(jnp.sum((p - q) ** 2) + 1e-9)
            to_all = jax.vmap(distance, in_axes=(None, 0))
            return jax.vmap(to_all, in_axes=(0, None))(points, points)
        """),
    program("newton", "A step of Newton's method", "(2.0,)", "(jnp.array([2.0, 3.0]),)",
            ("f", "jit", "vmap"), """
        def height(x):
            return x**3 - 2 * x

        def f(x):
            return x - jax.grad(height)(x) / jax.grad(jax.grad(height))(x)
        """),
    program("print", "A print from inside", "(2.0,)", "(jnp.arange(2.0),)",
            ("f", "jit", "grad", "vmap"), """
        def f(x):
            y = jnp.sin(x)
            jax.debug.print("y is {}", y)
            return y * x
        """),
]  # fmt: skip

programs = {row.name: row for row in _table}
