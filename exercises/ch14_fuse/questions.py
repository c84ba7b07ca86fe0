"""The questions of chapter 14, drawn for each student."""

FUNCTIONS = ["jnp.sin", "jnp.exp", "jnp.cos", "jnp.tanh"]


def pick(rng, choices, count=None):
    order = rng.permutation(len(choices))
    return choices[order[0]] if count is None else [choices[k] for k in order[:count]]


def kinds(rng):
    f, g = pick(rng, FUNCTIONS, 2)
    fun = pick(rng, [
        f"lambda x, w: {f}(x) @ w + {g}(x)",
        f"lambda x, w: {f}({g}(x) @ w) @ w",
        f"lambda x, w: {f}(x) / jnp.sum({g}(x), axis=1, keepdims=True) + 1",
        f"lambda x, w: {f}(x) - jnp.sum({g}(x), axis=0)",
        f"lambda x, w: jnp.sort({f}(x)) + {g}(x)",
        f"lambda x, w: {f}(w) + {g}(w).T",
        f"lambda x, w: {f}(x) * {g}(w[0])",
        f"lambda x, w: {f}(w + w.T) * 2",
        f"lambda x, w: {f}(x).T * 2",
        f"lambda x, w: {f}(x).astype('float16') + 1",
        f"lambda x, w: ({f}(x), {g}(x), {f}(w))",
        f"lambda x, w: jnp.max({f}(x)) + {g}(x)",
    ])  # fmt: skip
    yield (f"The steps of `{fun}`, each as `\"kernel\"` or `\"call\"`, in a list?",
           f"kinds({fun}, x, w)")  # fmt: skip


def places(rng):
    a, b, c = (int(k) for k in rng.integers(2, 5, 3))
    view = pick(rng, [
        f"x[{a}::{b}]", f"x[:, {a}::{b}].T", f"x.T[{a}:]", f"x[{a}:, {b}:].T",
        f"x[::{a}, {c}::{b}]", f"x.T[::{a}, {b}:]", f"x[{a}::{b}][{c}::{a}]",
        f"x[{a}:].T[{b}::{c}]",
    ])  # fmt: skip
    fun = f"lambda x: {view}"
    yield (f"Element `[i, j]` of `{view}`: where in `x` is it? For each dimension of `x` its place "
           "as `[axis, scale, offset]`, such as `[[0, 1, 0], [1, 1, 0]]` for `x` itself, "
           "where `i` counts along axis 0 and `j` along axis 1.", f"read_at({fun}, x)")  # fmt: skip


def traffic(rng):
    rows, columns = int(rng.integers(3, 9)) * 10, int(rng.integers(3, 9)) * 10
    f, g = pick(rng, FUNCTIONS, 2)
    fun = pick(rng, [
        f"lambda x: {f}({g}(x) * 2) + 1",
        f"lambda x: {f}(x) / jnp.sum({g}(x), axis=1, keepdims=True)",
        f"lambda x: {f}(x) / jnp.sum({g}(x), axis=0)",
        f"lambda x: ({f}(x), {g}(x))",
        f"lambda x: jnp.sum({f}(x) * {g}(x), axis=1)",
        f"lambda x: {f}(x) + {g}(x[:1])",
        "lambda x: jax.nn.softmax(x)",
        f"lambda x: jnp.sort({f}(x)) * 2",
    ])  # fmt: skip
    array = f"jnp.ones(({rows}, {columns}))"
    yield (f"How many numbers do the steps of `{fun}` read and write in all, for an `x` of shape "
           f"`({rows}, {columns})`? Each step reads each of its arrays once, and writes what later "
           "steps or the caller need.", f"moved({fun}, {array})")  # fmt: skip


def totals(rng):
    shape = [int(n) for n in rng.integers(2, 6, 4)]
    axes = pick(rng, [(3,), (2, 3), (1, 2, 3), (0,), (0, 1), (1,), (0, 2), (1, 2), (2,)])
    if rng.integers(2):
        shape[rng.integers(4)] = 1
        axes = pick(rng, [(0, 3), (2, 3), (1, 2, 3), (0, 1, 2, 3), (3,)])
        shape = [1, *shape[1:]] if axes == (0, 3) else shape
    if all(shape[d] == 1 for d in axes):
        shape[axes[-1]] = 7
    fun = f"lambda x: jnp.sum(jnp.sin(x), axis={axes})"
    array = f"jnp.ones({tuple(shape)})"
    yield (f"`{fun}`, of an `x` of shape `{tuple(shape)}`, is one kernel. Its `rows` and the list "
           "of its `columns`, in order, as `[rows, columns]`, such as `[2, []]` or `[None, [1]]`?",
           f"sums({fun}, {array})")  # fmt: skip


def draw_14_3(rng):
    for template in (kinds, places, traffic, totals):
        yield from template(rng)
