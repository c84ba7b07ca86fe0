"""The questions of chapter 15, drawn for each student."""

FUNCTIONS = ["jnp.sin", "jnp.exp", "jnp.tanh", "jnp.cos"]


def pick(rng, choices, count=None):
    order = rng.permutation(len(choices))
    return choices[order[0]] if count is None else [choices[k] for k in order[:count]]


def strides(rng):
    rows, columns = map(int, rng.integers(5, 12, 2))
    a, b = map(int, rng.integers(2, 4, 2))
    view = pick(rng, ["x[{a}:].T", "x[{a}:, ::{b}]", "x.T[{a}::{b}]", "x[::{a}, {b}:].T",
                      "x[{a}::{b}]", "x[:, {a}:].T[::{b}]"]).format(a=a, b=b)  # fmt: skip
    array = f"jnp.ones(({rows}, {columns}))"
    yield (f"`x` has the shape `({rows}, {columns})`. The loops run along the axes of `{view}`. "
           "Where in flat `x` is an element? Give `[offset, [strides]]`, a stride for each loop, "
           "such as `[0, [5, 1]]`.", f"read_at(lambda x: {view}, {array})")  # fmt: skip


def loops(rng):
    f = pick(rng, FUNCTIONS)
    a, b, c = (int(n) for n in rng.integers(2, 7, 3))
    array = f"jnp.ones(({a}, {b}, {c}))"
    fun = pick(rng, [
        f"lambda x: {f}(x) * 2",
        f"lambda x: {f}(x) + x[:1]",
        f"lambda x: {f}(x) + x[:, :1]",
        f"lambda x: {f}(x) + x[..., :1]",
        f"lambda x: {f}(x[1:])",
        f"lambda x: {f}(x[:, 1:])",
        f"lambda x: jnp.sum({f}(x), axis=2)",
        f"lambda x: jnp.sum({f}(x), axis=(1, 2))",
        f"lambda x: jnp.sum({f}(x), axis=0)",
        f"lambda x: {f}(x) / jnp.sum(x, axis=(1, 2), keepdims=True)",
    ])  # fmt: skip
    yield (f"`{fun}`, of an `x` of shape `({a}, {b}, {c})`: how often does each loop of the kernel "
           "run, from the outermost on? A list of numbers (`layout.sizes`).",
           f"list(map(int, layout({fun}, {array}).sizes))")  # fmt: skip


ROWS = [
    "lambda x: {f}(x) / jnp.sum({f}(x), axis=1, keepdims=True)",
    "lambda x: {f}(x - jnp.max(x, axis=1, keepdims=True))",
    "lambda x: {f}(x - jnp.sum({g}(x - jnp.max(x, axis=1, keepdims=True)), axis=1, keepdims=True))",
    "lambda x: {f}(x) * {g}(jnp.max(x, axis=1, keepdims=True)) + jnp.sum(x, 1, keepdims=True)",
    "lambda x: {f}(x - jnp.sum(x, axis=1, keepdims=True)) * jnp.max(x, axis=1, keepdims=True)",
]  # fmt: skip


def passes(rng):
    f, g = pick(rng, FUNCTIONS, 2)
    fun = pick(rng, ROWS).format(f=f, g=g)
    k = int(rng.integers(0, 2))
    yield (f"What does pass {k} of `{fun}` compute in its inner loop (`inner_values` without kept "
           "rows)? The names of the primitives in order, without reductions.",
           f"computed({fun}, {k}, x)")  # fmt: skip


def heads(rng):
    f, g = pick(rng, FUNCTIONS, 2)
    fun = pick(rng, [
        f"lambda x: {f}(x) + {g}(x)",
        f"lambda x: jnp.sum({f}(x), axis=0)",
        f"lambda x: jnp.sum({f}(x), axis=1)",
        f"lambda x: jnp.sum({f}(x))",
        f"lambda x: ({f}(x), {g}(x))",
        f"lambda x: {f}(x) / jnp.sum({f}(x), axis=1, keepdims=True)",
        f"lambda x: x / jnp.sum({f}(x), axis=1, keepdims=True)",
        f"lambda x: {f}(x) * x[:, :1]",
        f"lambda x: {f}(x[:, :7]) * x[:1, :7]",
    ])  # fmt: skip
    yield (f'What are the arguments of the kernel of `{fun}`? A list of names, such as '
           '`["x0", "y0", "n1", "lo", "hi"]`.', f"arguments({fun}, x)")  # fmt: skip


def kept(rng):
    sizes = sorted(int(n) for n in rng.choice([4, 6, 8, 9, 12, 30, 31, 64], 5, replace=False))
    f = pick(rng, FUNCTIONS)
    fun = pick(rng, [f"lambda x: {f}(x) + x[:, :1]", f"lambda x: jnp.sum({f}(x), axis=1)",
                     f"lambda x: {f}(x) * 2"])  # fmt: skip
    yield (f"`{fun}` is compiled for arrays of shapes `(40, n)`, n being {sizes}. How many "
           "different texts do the kernels have?",
           f"len({{text({fun}, jnp.ones((40, n))) for n in {sizes}}})")  # fmt: skip


def draw_15_3(rng):
    templates = [strides, loops, passes, heads, kept]
    for k in sorted(rng.permutation(len(templates))[:4]):
        yield from templates[k](rng)
