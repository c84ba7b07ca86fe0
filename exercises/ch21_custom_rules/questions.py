"""The questions of chapter 21, drawn for each student."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

Pair = tuple[str, str]


def draw_21_3(rng: np.random.Generator) -> Iterator[Pair]:
    """Which functions run, what is kept, and three questions of other kinds."""
    yield which_run(rng)
    yield [kept_by_policy, kept_of_chain][rng.integers(2)](rng)
    others = [told_slope, second_order, cut, refusals, run_again]
    for k in rng.permutation(len(others))[:3]:
        yield others[k](rng)


def which_run(rng: np.random.Generator) -> Pair:
    ways = ["f(2.0)", "jax.grad(f)(2.0)", "jax.value_and_grad(f)(3.0)",
            "jax.vmap(jax.grad(f))(jnp.ones(3))", "jax.vjp(f, 2.0)", "jax.make_jaxpr(f)(2.0)",
            "g = jax.jit(f); g(2.0); g(3.0)", "g = jax.jit(jax.grad(f)); g(2.0); g(3.0)",
            "f(f(2.0))", "jax.grad(lambda x: f(f(x)))(2.0)", "jax.grad(jax.jit(f))(2.0)",
            "jax.grad(lambda x: x * f(2.0))(3.0)"]  # fmt: skip
    texts = [ways[k] for k in rng.permutation(len(ways))[:3]]
    body = "\n".join(texts)
    return (
        "`fwd` of a `custom_vjp` called `f` doesn't call `f`. All three functions write their "
        f'names to `log`: "f", "fwd" or "bwd". What is in it after these lines?\n\n'
        f"```python\n{body}\n```\n",
        f"f, log = logged()\n{body}\nlog",
    )


def told_slope(rng: np.random.Generator) -> Pair:
    a, b, x, power = (int(k) for k in rng.integers(2, 6, 4))
    inside = ["f(x) * x", "f(2 * x)", "f(x) ** 2", "f(f(x))", "x - f(x * x)"][rng.integers(5)]
    text = f"f = with_rule(lambda x: x**{power % 3 + 1}, lambda x: {a} * x + {b})"
    return (
        f"`{text}` is a `custom_jvp`: the function, and the derivative that its rule tells. What "
        f"is `jax.grad(lambda x: {inside})({x}.0)`?",
        f"{text}\njax.grad(lambda x: {inside})({x}.0)",
    )


def second_order(rng: np.random.Generator) -> Pair:
    a, b, x = (int(k) for k in rng.integers(2, 7, 3))
    result = ["f(x)", "x * x"][rng.integers(2)]
    outer = ["f(x)", "f(x) ** 2"][int(rng.integers(4) > 0)]
    text = f"""\
@jax.custom_jvp
def f(x):
    return x * x


@f.defjvp
def f_jvp(primals, tangents):
    [x], [t] = primals, tangents
    return {result}, ({a} * x + {b}) * t"""
    case = f"jax.grad(jax.grad(lambda x: {outer}))({x}.0)"
    return f"What is `{case}`, with\n\n```python\n{text}\n```\n", f"{text}\n{case}"


def cut(rng: np.random.Generator) -> Pair:
    low, high, x, k = -int(rng.integers(1, 4)), *(int(k) for k in rng.integers(2, 7, 3))
    ways = ["{k} * c(x) ** 2", "c({k} * x ** 2)", "{k} * c(x ** 2)", "-c(x) ** 3 + c({k} * x)",
            "c(c(x) ** 2) * {k}", "c(x) * c({k} * x)", "-{k} * c(x * x)"]  # fmt: skip
    text = str(rng.choice(ways)).format(k=k)
    return (
        f"`c` returns its argument, and its `bwd` cuts the cotangent to between {low} and {high}. "
        f"What is `jax.grad(lambda x: {text})({x}.0)`?",
        f"c = clipped({low}.0, {high}.0)\njax.grad(lambda x: {text})({x}.0)",
    )


def refusals(rng: np.random.Generator) -> Pair:
    k = int(rng.integers(2, 9))
    ways = [
        f"jax.jvp, same, ({k}.0,), (1.0,)",
        f"jax.hessian(lambda x: same(x) ** 2), {k}.0",
        f"jax.jacfwd(lambda x: same(x) ** 2), {k}.0",
        f"jax.custom_jvp(lambda x: x), {k}.0",
        f"jax.grad(jax.custom_vjp(lambda x: x)), {k}.0",
        f"jax.vmap(same), jnp.ones({k})",
        f"jax.jacrev(lambda x: same(x) ** 2), {k}.0",
        f"jax.jvp, jax.grad(same), ({k}.0,), (1.0,)",
    ]
    texts = [ways[i] for i in rng.permutation(len(ways))[:4]]
    shown = "\n".join(f"- `error_of({text})`" for text in texts)
    return (
        "`same` returns its argument, by a `custom_vjp`. `error_of(fun, *args)` calls a function "
        'and gives the name of the exception that is raised, "none" if there is none. What does '
        f"it give for each of these? A list of four.\n\n{shown}\n",
        f"[{', '.join(f'error_of({text})' for text in texts)}]",
    )


def kept_by_policy(rng: np.random.Generator) -> Pair:
    rows, inner, middle, outer = (int(k) for k in rng.permutation(np.arange(2, 9))[:4])
    how = ["everything_saveable", "nothing_saveable", "dots_saveable"][rng.integers(3)]
    shapes = [(rows, inner), (inner, middle), (middle, outer)]
    fun = "lambda x, a, b: jnp.sum(jnp.sin(jnp.sin(x @ a) @ b))"
    checked = f"jax.checkpoint({fun}, policy=jax.checkpoint_policies.{how})"
    args = ", ".join(f"jnp.ones({shape})" for shape in shapes)
    return (
        f"x, a and b have the shapes {', '.join(map(str, shapes))}. For the gradient by all three "
        f"of `{checked}`, how many numbers wait for the way back, the arguments among them?",
        f"numbers_kept({checked}, {args})",
    )


def kept_of_chain(rng: np.random.Generator) -> Pair:
    group, count = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    size = int(rng.integers(2, 6))
    step = f"jax.checkpoint(lambda x: chain(x, {group}))"
    ways = [
        (f"jax.checkpoint(lambda x: chain(x, {group * count}))", "one checkpoint around all"),
        (f"lambda x: chain(x, {count}, {step})", f"a checkpoint around each {group}"),
        (f"lambda x: chain(x, {group * count})", "no checkpoint"),
    ]
    fun, words = ways[int(rng.choice(3, p=[0.2, 0.6, 0.2]))]
    return (
        f"A chain of {group * count} layers $x \\leftarrow \\sin(x)\\, x$ on {size} numbers, with "
        f"{words}. How many numbers wait for the way back, the argument among them?",
        f"numbers_kept({fun}, jnp.ones({size}))",
    )


def run_again(rng: np.random.Generator) -> Pair:
    n = int(rng.integers(2, 8))
    step = ["jnp.sin(x)", "jnp.sin(x) * x", "jnp.sin(2.0 * x)"][rng.integers(3)]
    fun = f"lambda x: chain(x, {n}, lambda x: {step})"
    fun = [fun, f"jax.checkpoint({fun})"][int(rng.integers(4) > 0)]
    return (
        f"`chain(x, n, step)` applies `step` n times. How many sines and how many cosines are in "
        f"the program of `jax.grad({fun})`, what is computed again included? A list of two.",
        f'times(["sin", "cos"], jax.grad({fun}), 0.5)',
    )
