"""The questions of chapter 11, drawn for each student."""

MOVES = ["a", "b", "c", "lax.sin(a)", "b * c", "a + c", "lax.exp(b)", "2.0"]


def flags(rng, least=1):
    """Three flags, some of them True and some not."""
    chosen = rng.permutation(3)[: rng.integers(least, 3)]
    return tuple(bool(i in chosen) for i in range(3))


def function(rng, pieces, number):
    return f"lambda a, b, c: ({', '.join(rng.choice(pieces, number, replace=False))})"


def which_have_tangents(rng):
    return f"with_tangents({function(rng, MOVES, 4)}, {flags(rng)})"


def which_a_loop_needs(rng):
    turn = rng.choice([["b", "c", "lax.sin(a)"], ["b", "a * c", "2.0"], ["a", "a * b", "b + c"],
                       ["c", "b", "2 * a"], ["lax.exp(c)", "a", "c"]])  # fmt: skip
    chosen = rng.integers(3)
    start = tuple(bool(i == chosen) for i in range(3))
    return f"fixed_point(lambda a, b, c: ({', '.join(turn)}), {start})"


def where_residuals_are(rng):
    pieces = ["lax.exp(a)", "a * b", "lax.sin(c)", "lax.log(b)", "3.0 * c", "a + b", "b * b"]
    return f"sources({function(rng, pieces, rng.integers(2, 4))})"


def how_many_results(rng):
    pieces = ["lax.exp(a)", "lax.exp(b) * b", "lax.sin(c)", "lax.sin(a) * c", "a * b", "2.0 * c",
              "lax.cos(b)", "lax.sin(lax.exp(c))"]  # fmt: skip
    return f"results({function(rng, pieces, rng.integers(2, 4))})"


def what_is_left(rng):
    pieces = ["lax.sin(a) * b", "lax.exp(c)", "b", "lax.cos(a * c)", "a + b + c",
              "3.0 * lax.sin(b)"]  # fmt: skip
    return f"left({function(rng, pieces, 3)}, {flags(rng)})"


def how_many_jits(rng):
    call = rng.choice(["f(f(f(x)))", "f(x) * f(x) + g(x)", "f(g(f(x)))", "g(g(g(x)))",
                       "f(f(x)) - f(3.0)", "f(f(x)) * g(x)", "g(f(x)) + g(x)"])  # fmt: skip
    wrapped = rng.choice([
        "jax.grad({0})", "lambda x: jax.jvp({0}, (x,), (x,))", "jax.jit(jax.grad({0}))",
        "lambda x: jax.vjp({0}, x)[0]", "lambda x: jax.vmap({0})(x * jnp.ones(3))",
        "jax.grad(jax.jit({0}))",
    ])  # fmt: skip
    return f"jits({wrapped.format(f'lambda x: {call}')}, 2.0)"


def draw_11_3(rng):
    """One question of each kind: tangents, residuals and pruning, equations."""
    kinds = [
        [which_have_tangents, which_a_loop_needs],
        [where_residuals_are, how_many_results, what_is_left],
        [how_many_jits],
    ]
    for kind in kinds:
        case = kind[rng.integers(len(kind))](rng)
        yield f"What is `{case}`?", case
