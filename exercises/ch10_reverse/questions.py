"""The questions of chapter 10, drawn for each student."""


def cotangents_of_a_sum(rng):
    a, b, c, p, q = rng.integers(2, 6, 5)
    text = rng.choice([
        f"x * x * {a} + x * y * {b}", f"(x + y) * ({a} * x) - {b} * y",
        f"x * y * y + {a} * x - {b}",
    ])  # fmt: skip
    return f"[float(ct) for ct in jax.vjp(lambda x, y: {text}, {p}.0, {q}.0)[1]({c}.0)]"


def cotangents_of_what_is_spread(rng):
    rows, columns, factor = rng.integers(2, 6, 3)
    case = rng.choice([
        f"jax.grad(lambda s: jnp.sum(s * {factor} * jnp.ones(({rows}, {columns}))))(2.0).item()",
        f"jax.grad(lambda v: jnp.sum(v * jnp.full(({rows}, {columns}), {factor}.0)))"
        f"(jnp.ones({columns})).tolist()",
        f"jax.grad(lambda v: jnp.sum(v + jnp.full(({rows}, 1), {factor}.0)))"
        f"(jnp.ones((1, {columns}))).tolist()",
    ])  # fmt: skip
    return str(case)


def slope_of_a_choice(rng):
    fun = rng.choice(["lax.log({})", "1 / {}", "lax.log({}) * x", "{} * {}"])
    inner, rest = rng.choice(["x", "jnp.where(x > 0, x, 1.0)"]), rng.choice(["0.0", "3 * x", "x"])
    case = fun.format(inner, inner)
    return f"slope(lambda x: jnp.where(x > 0, {case}, {rest}), {rng.choice([0, 0, 4])}.0)"


def slope_of_a_complex_number(rng):
    a, b, x, y = rng.integers(1, 6, 4)
    text = rng.choice([
        f"{a} * jnp.real(z) ** 2 + {b} * jnp.imag(z)",
        f"jnp.real(z) * {a} - {b} * jnp.imag(z) ** 2",
        f"jnp.real(z * z) * {a}", f"jnp.imag(z * z) * {b}", f"{a} * jnp.real(z) * jnp.imag(z)",
    ])  # fmt: skip
    return f"both(jax.grad(lambda z: {text})({x} + {y}j))"


def sums_in_a_gradient(rng):
    factors = rng.choice(["x", "lax.sin(x)", "lax.exp(x)", "lax.cos(x)"], rng.integers(2, 5))
    extra = rng.choice(["", " + x", " + 3 * x", " - lax.sin(x)"])
    return f"adds(lambda x: {' * '.join(factors)}{extra}, 2.0)"


def exceptions(rng):
    n = rng.integers(2, 6)
    calls = rng.choice([
        f"jax.grad(lambda x: x * {n}.0), jnp.ones({n})",
        f"jax.grad(lambda x: x * {n}.0), {n}",
        f"jax.vjp(lambda x: x * x, jnp.ones({n}))[1], jnp.ones({n + 1})",
        f"jax.vjp(lambda x: [x, x], {n}.0)[1], {n}.0",
        f"jax.grad(lambda x: x * {n}.0), {n} + 1j",
        f"jax.grad(lambda x, y: x * {n}), {n}.0, {n}",
        f"jax.vjp(lambda x, y: x * y, {n}.0, 1.0)[1], 1.0, 1.0",
        f"jax.grad(lambda x: jnp.sum(x * {n})), jnp.ones({n})",
    ], 3, replace=False)  # fmt: skip
    return f"[{', '.join(f'complaint({call})' for call in calls)}]"


def draw_10_3(rng):
    """One question of each kind: what flows back, what is chosen or complex, what is written."""
    kinds = [
        [cotangents_of_a_sum, cotangents_of_what_is_spread],
        [slope_of_a_choice, slope_of_a_complex_number],
        [sums_in_a_gradient, exceptions],
    ]
    for kind in kinds:
        case = kind[rng.integers(len(kind))](rng)
        yield f"What is `{case}`?", case
