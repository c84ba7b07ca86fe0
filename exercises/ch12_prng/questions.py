"""The questions of chapter 12, drawn for each student."""

def a_shape(rng):
    a, b, c, d = rng.integers(2, 6, 4)
    draw = f"lambda k: random.bits(k, ({c}, {d}))"
    return str(rng.choice([
        f"list(jax.vmap(lambda k: random.split(k, {b}))(random.split(k, {a})).shape)",
        f"list(jax.vmap(jax.vmap({draw}))(random.split(k, ({a}, {b}))).shape)",
        f"list(random.key_data(random.split(k, ({a}, {b}))).shape)",
        f"list(jax.vmap({draw}, out_axes=1)(random.split(k, {a})).shape)",
        f"list(random.key_data(jax.vmap(lambda i: random.fold_in(k, i))(jnp.arange({a}))).shape)",
        f"list(jax.vmap(lambda k: random.split(k, ({b}, {c})))(random.split(k, {a})).shape)",
    ]))  # fmt: skip


def equalities(rng):
    n, i = int(rng.integers(3, 7)), int(rng.integers(0, 3))
    pairs = [
        f"same(random.fold_in(k, {i}), random.split(k, {n})[{i}])",
        f"same(random.split(k, {n})[:2], random.split(k, 2))",
        f"same(random.bits(k, ({n + 2},))[:{n}], random.bits(k, ({n},)))",
        f"same(random.bits(k, ({n},))[{i}], random.bits(random.fold_in(k, {i})))",
        f"same(random.fold_in(random.fold_in(k, {i}), {n}), random.fold_in(k, {i + n}))",
        f"same(random.split(k, (2, {n}))[1, {i}], random.split(k, {2 * n})[{n + i}])",
        f"same(random.fold_in(k, {i}), random.fold_in(k, {i} + 2**31))",
        f"same(random.key({n}), random.key({n} + 2**32))",
        f"same(random.split(random.key({n}))[0], random.split(random.key({n + 1}))[0])",
        f"same(random.uniform(k, ({n},)), jax.vmap(random.uniform)(random.split(k, {n})))",
    ]
    return f"[{', '.join(rng.choice(pairs, 4, replace=False))}]"


def how_often_both(rng):
    a, b = rng.choice([0.2, 0.5, 0.8], 2)
    first, second = f"u(k) < {a}", f"u(k) > {round(1 - b, 1)}"
    if a + b <= 1 or rng.integers(2):
        second = f"u(k) < {b}"
    if rng.integers(2):
        second = second.replace("u(k)", "u(random.split(k)[1])")
    return f"share({first}, {second})"


def how_many_numbers(rng):
    n, m = rng.integers(3, 6), rng.integers(6, 9)
    return str(rng.choice([
        f"different(jax.vmap(lambda x: x + random.uniform(k))(jnp.zeros({n})))",
        f"different(jax.vmap(lambda k: random.bits(k, ({n},)))(random.split(k, {m})))",
        f"different([random.bits(random.fold_in(k, i % {n})) for i in range({m})])",
        f"different([*random.bits(k, ({n},)), *random.bits(k, ({m},))])",
        f"different([fast(x) for x in [0.0] * {n} + [0] * {m}])",
        f"different(jax.vmap(fast)(jnp.zeros({n})))",
        f"different([random.bits(key) for m in ({n}, {m}) for key in random.split(k, m)])",
    ]))  # fmt: skip


def draw_12_3(rng):
    """One question of each kind: a shape, what equals what, how many or how often."""
    kinds = [[a_shape], [equalities], [how_often_both, how_many_numbers]]
    for kind in kinds:
        case = kind[rng.integers(len(kind))](rng)
        yield f"What is `{case}`?", case
