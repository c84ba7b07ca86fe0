"""The questions of chapter 09, drawn for each student."""

SAVING = ["lax.sin({})", "lax.exp({})", "lax.cos({})", "lax.log({})"]
LINEAR = ["3 * {}", "({} + 1)", "-{}", "({} - x)"]


def chain(rng):
    """A chain of functions, of which some keep something."""
    steps = [*rng.choice(SAVING, 2, replace=False), *rng.choice(LINEAR, 2, replace=False)]
    text = "x"
    for step in rng.permutation(steps):
        text = str(step).format(text)
    return f"lambda x: {text}"


def kept_by_a_chain(rng):
    product = str(rng.choice(["x * lax.sin(x)", "lax.exp(x) * lax.exp(x)", "(x * x) * x"]))
    summed = f"lambda x: {product} + {rng.choice(SAVING).format('x')}"
    return f"residuals({chain(rng) if rng.integers(2) else summed}, x)"


def kept_by_factors(rng):
    a, b = rng.choice(["lax.sin(x)", "lax.exp(x)", "x", "3.0", "lax.cos(x)"], 2, replace=False)
    return f"residuals(lambda x: {a} * {b}, x)"


def written_by_rules(rng):
    inner = rng.choice(["3 * x", "x - 1", "-x", "x / 2"])
    outer = rng.choice(["lax.sin({})", "lax.exp({})", "lax.cos({})", "({}) ** 2"]).format(inner)
    last = rng.choice(["jnp.sum({})", "lax.log({})", "{} + x", "lax.neg({})"]).format(outer)
    return f"program(lambda x: {last}, x)"


def written_by_a_loop(rng):
    start, limit, factor = rng.integers(1, 4), rng.integers(20, 90), rng.integers(2, 5)
    return f"len(program(lambda x: grow(x, {factor}, {limit}), {start}.0))"


def computed_by_asking(rng):
    name, number = rng.choice(["sin", "cos"]), rng.integers(3, 7)
    way = rng.choice(["by_program", "by_jvp"])
    return f"runs(lambda: {way}(lambda x: lax.{name}(x) * lax.exp(x), {number}))"


def draw_09_3(rng):
    """One question of each kind: what is kept, what is written down, what runs when."""
    kinds = [
        [kept_by_a_chain, kept_by_factors],
        [written_by_rules],
        [written_by_a_loop, computed_by_asking],
    ]
    for kind in kinds:
        case = kind[rng.integers(len(kind))](rng)
        yield f"What is `{case}`?", case
