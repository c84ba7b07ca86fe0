"""The questions of chapter 13, drawn for each student."""

ENDS = ["{} * 1", "{} + 0.0", "{} + -0.0", "{} - 0.0", "{} / 8", "{} / 3", "{} * 0.0", "{} / 1",
        "{} - -0.0", "-(-({}))", "lax.max({}, -np.inf)", "lax.sin({})"]  # fmt: skip
FUNCTIONS = ["sin", "cos", "exp", "tanh"]


def chain(rng):
    """An expression of five operations."""
    text = "x"
    for k in rng.permutation(len(ENDS))[:5]:
        text = ENDS[k].format(text if text == "x" or ENDS[k][0] in "-l" else f"({text})")
    fun = f"lambda x: {text}"
    yield (f"Which primitives are left of `{fun}`, in order? A list of names, such as "
           '`["add", "mul"]`.', f"left({fun}, x)")  # fmt: skip


def sharing(rng):
    """Equal parts, and parts that only look equal."""
    f, g, h = (FUNCTIONS[k] for k in rng.permutation(len(FUNCTIONS))[:3])
    n = int(rng.integers(2, 6))
    variants = [
        f"jnp.{f}(x) * jnp.{g}(jnp.{f}(-(-x))) + jnp.{f}(x / 1)",
        f"(jnp.{f}(x + 0.0), jnp.{f}(x + -0.0), jnp.{f}(x))",
        f"(jnp.{f}(jnp.{g}(x)), jnp.{g}(jnp.{f}(x)), jnp.{f}(jnp.{g}(x * 1)))",
        f"(jnp.{f}(x) + jnp.{h}(x), jnp.{h}(x) + jnp.{f}(x), jnp.{f}(x) + jnp.{h}(x * 1))",
        f"(x / {2**n}, x * {1 / 2**n}, jnp.{f}(x * 1), jnp.{f}(x / {2**n}))",
    ]
    fun = f"lambda x: {variants[rng.integers(len(variants))]}"
    yield f"How many equations are left of `{fun}`?", f"len(left({fun}, x))"


def quotient(rng):
    number = [2, 3, 4, 5, 6, 10, 16, 0.5, 0.25, 0.2, -8, 12][rng.integers(12)]
    fun = f"lambda x: x / {number}"
    yield (f"One equation is left of `{fun}`. Which primitive, and with which number as its second "
           'operand? Such as `["add", 7.0]`.', f"numbers({fun})")  # fmt: skip


def hoisting(rng):
    """A step of a sum of terms, some of constants alone."""
    f, g, h = (FUNCTIONS[k] for k in rng.permutation(len(FUNCTIONS))[:3])
    terms = [f"c * jnp.{f}(a)", f"jnp.{g}(a * a)", f"jnp.{h}(y) * a", f"jnp.{f}(-c)",
             f"jnp.{g}(a + y)", "a / 3"]  # fmt: skip
    chosen = [terms[k] for k in rng.permutation(len(terms))[:3]]
    fun = f"lambda a, c, y: {' + '.join(chosen)}"
    yield (f"The step of a `scan` is `{fun}`: `a` is a constant of the loop, `c` the carry and `y` "
           "a row of what it runs over. Which primitives does the simplified step hold, sorted by "
           "name? One that is there twice is named twice.", f"in_step({fun})")  # fmt: skip


def barrier(rng):
    depth, guarded = int(rng.integers(2, 6)), bool(rng.integers(2))
    block = "x"
    for _ in range(depth):
        block = f"jnp.sin({block})"
    extra = "" if guarded else ", prevent_cse=False"
    fun = f"jax.checkpoint(lambda x: jnp.sum({block}){extra})"
    yield (f"How many `sin` are left of the program of `jax.value_and_grad({fun})`?",
           f"sines({fun})")  # fmt: skip


def draw_13_3(rng):
    templates = [chain, sharing, quotient, hoisting, barrier]
    for k in sorted(rng.permutation(len(templates))[:4]):
        yield from templates[k](rng)
