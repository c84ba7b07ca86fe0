"""Samplers beside those of topic `random`: their bits under both settings, for every dtype and
several shapes; their jaxprs, derivatives and refusals."""

SETUP = """\
k = random.key(0)
ks = random.split(random.key(3), 3)
r = random.PRNGKey(0)
F = jnp.arange(1.0, 4.0)
I = jnp.arange(3)
LOGITS = jnp.log(jnp.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]))

def show(f, *args, **kwargs):
    return jax.make_jaxpr(f, **kwargs)(*args)

def words(x):
    return lax.bitcast_convert_type(x, 'int32')
"""
SHAPES = "((), (2, 3))"
STANDARD = ("exponential", "laplace", "logistic", "cauchy", "maxwell", "gumbel")
PARAMETERS = {  # of one number for each parameter, then of an array
    "truncated_normal": ("-1.0, 2.0", "-F, F"),
    "pareto": ("2.0", "F"),
    "rayleigh": ("2.0", "F"),
    "wald": ("0.5", "F"),
    "triangular": ("0.0, 1.0, 3.0", "0.0, F, 5"),
    "lognormal": ("0.5", "F"),
    "gamma": ("2.0", "F / 3"),
    "loggamma": ("0.1", "F / 3"),
    "beta": ("2.0, 0.5", "F, 2.0"),
    "chisquare": ("3.0", "F"),
    "t": ("3.0", "F"),
    "f": ("3.0, 4.0", "F, F"),
}
WHOLE = {"geometric": ("0.3", "F / 5"), "poisson": ("3.0", "F * 10")}
SETTINGS = (True, False)
# Rejection flips, once in a while, where XLA keeps digits that a dtype of 16 bits lacks.
OF_GAMMA = ("gamma", "loggamma", "beta", "chisquare", "t", "f")
DRAWS = ((True, "float32"), (False, "float32"), (True, "bfloat16"), (True, "float16"))


def drawn(setting, *texts, x64=False):
    x64 = ", jax.enable_x64(True)" * x64
    return (f"with jax.threefry_partitionable({setting}){x64}:\n"
            f"    out = [{', '.join(texts)}]\nout")


BITS = (  # float32 to the last bit
    *(drawn(s, f"words(random.{name}(k, (20,)))") for s in SETTINGS
      for name in ("normal", "exponential", "laplace")),
    *(drawn(s, f"words(random.{name}(k, {a}, (20,)))") for s in SETTINGS
      for name, parameters in (("gamma", "1.0 2.0 30.0"), ("loggamma", "0.5 1.0 2.0 30.0"))
      for a in parameters.split()),
)
VALUES = (
    *(drawn(s, f"random.{name}(k, shape, '{d}') for shape in {SHAPES}")
      for name in STANDARD for s, d in DRAWS if (name, d) != ("logistic", "float16")),
    *(drawn(True, f"random.{name}(k, (2, 3))", x64=True) for name in STANDARD),
    *(f"random.{name}(r, 2), random.{name}(key=k, shape=[1, 2]), random.{name}(k, (0,), float)"
      for name in STANDARD),
    *(drawn(s, f"random.{name}(k, {one}, shape, '{d}') for shape in {SHAPES}")
      for name, (one, _) in PARAMETERS.items() for s, d in DRAWS
      if d == "float32" or name not in OF_GAMMA),
    *(drawn(s, f"random.{name}(k, {many}, (2, 3))") for name, (_, many) in PARAMETERS.items()
      for s in SETTINGS),
    *(drawn(True, f"random.{name}(k, {one}, (2, 3))", x64=True)
      for name, (one, _) in PARAMETERS.items()),
    *(drawn(s, f"random.{name}(k, {one}, shape, '{d}') for shape in {SHAPES}")
      for name, (one, _) in WHOLE.items()
      for s, d in ((True, "int32"), (False, "int32"), (True, "uint8"), (True, "int16"))),
    *(drawn(s, f"random.{name}(k, {many}, (2, 3))") for name, (_, many) in WHOLE.items()
      for s in SETTINGS),
    *(drawn(True, f"random.{name}(k, {one}, (2, 3))", x64=True)
      for name, (one, _) in WHOLE.items()),
    *(drawn(True, f"random.rademacher(k, shape, '{d}') for shape in {SHAPES}")
      for d in ("int32", "int8", "uint8", "float32", "bool", "complex64")),
    drawn(False, "random.rademacher(k, (9,))"),
    *(drawn(s, f"random.gumbel(k, (2, 3), '{d}', mode='{mode}')")
      for s, d in DRAWS for mode in ("high", "highest")),
    *(drawn(s, "random.dirichlet(k, F)", "random.dirichlet(k, F, (2,))", "random.dirichlet(k,"
            " jnp.ones((2, 3)) / 9, (4, 2))", "random.dirichlet(k, F[:1], (0,))")
      for s in SETTINGS),
    *(drawn(s, "random.binomial(k, 10, 0.3, (8,))", "random.binomial(k, 100, 0.6, (8,))",
            "random.binomial(k, F * 100, F / 4)", "random.binomial(k, 5, 0.5)")
      for s in SETTINGS),
    "random.binomial(k, jnp.array([math.nan, -1.0, 5.0, 5.0, math.inf, 5.0, 0.0]),"
    " jnp.array([0.5, 0.5, math.nan, -0.5, 0.5, 1.0, 0.5]))",
    "random.poisson(k, jnp.array([0.0, math.nan, 0.01, 9.99, 10.0, 1e6]))",
    "random.geometric(k, jnp.array([1.0, 0.001, 0.999])), random.geometric(k, 0.0)",
    "random.gamma(k, jnp.array([0.0, 1e-6, math.nan, 1e6]), (2, 4)),"
    " random.loggamma(k, jnp.array([1e-6, 1e-30]))",
    *(drawn(s, "random.multinomial(k, 20, F / 6)", "random.multinomial(k, jnp.array([5.0, 50.0]),"
            " jnp.ones((2, 4)) / 4)", "random.multinomial(k, 20, F / 6, shape=(2, 3))")
      for s in SETTINGS),
    *(drawn(s, f"random.generalized_normal(k, {p}, (4,))", f"random.ball(k, 3, {p}, (2,))")
      for s in SETTINGS for p in ("1.0", "2.0", "3")),
    *(drawn(s, "random.weibull_min(k, 2.0, 1.5, (4,))", "random.weibull_min(k, F, 2.0, (2, 3))",
            "random.double_sided_maxwell(k, 1.0, 2.0, (4,))",
            "random.double_sided_maxwell(k, F, 2.0)", "random.double_sided_maxwell(k, F, F, (2,))")
      for s in SETTINGS),
    "random.lognormal(k, shape=(3,)), random.lognormal(k, dtype='complex64'), random.lognormal(k)",
    "random.gamma(k, 2), random.gamma(k, jnp.int32(2)), random.beta(k, 1, True),"
    " random.pareto(k, np.int8(2)), random.poisson(k, 3), random.geometric(k, 1)",
)
DRAWN = (
    *(drawn(s, "random.permutation(k, 10)", "random.permutation(k, F)",
            "random.permutation(k, jnp.arange(12).reshape(4, 3))",
            "random.permutation(k, jnp.arange(12).reshape(4, 3), 1)",
            "random.permutation(k, jnp.arange(12).reshape(4, 3), -2, independent=True)",
            "random.permutation(r, 3000)", "random.permutation(k, 0)", "random.permutation(k, -2)")
      for s in SETTINGS),
    *(drawn(s, "random.choice(k, 10)", "random.choice(k, 10, (2, 3))",
            "random.choice(k, 10, (5,), replace=False)", "random.choice(k, F, (4,))",
            "random.choice(k, F, (2,), False)", "random.choice(k, 3, (9,), p=F)",
            "random.choice(k, 3, (2,), False, F)", "random.choice(k, LOGITS, (4,), axis=1)",
            "random.choice(k, LOGITS, (2,), False, axis=1)",
            "random.choice(k, LOGITS, (4,), True, F, -1)", "random.choice(k, 5, (0, 2))",
            "random.choice(k, 5, (2,), False, jnp.ones(5), mode='high')")
      for s in SETTINGS),
    *(drawn(s, "random.categorical(k, LOGITS)", "random.categorical(k, LOGITS, 0)",
            "random.categorical(k, LOGITS, shape=(6, 2))",
            "random.categorical(k, LOGITS, -1, (3, 2), mode='high')",
            "random.categorical(k, LOGITS, 1, (2, 2), replace=False)",
            "random.categorical(k, LOGITS, 0, (2, 3), False)",
            "random.categorical(k, LOGITS[0], shape=())",
            "random.categorical(r, LOGITS.astype('bfloat16'))",
            "random.categorical(k, LOGITS[:, None], shape=(2, 5, 2, 1))")
      for s in SETTINGS),
    drawn(True, "random.choice(k, 10, (3,))", "random.permutation(k, 4)",
          "random.categorical(k, LOGITS)", "random.choice(k, 3, (2,), p=F)", x64=True),
)
JAXPRS = (
    *(f"show(lambda x: random.{name}(x, (3,)), k), show(random.{name}, r)" for name in STANDARD
      if name != "maxwell"),
    *(f"with jax.enable_x64(True):\n    out = show(lambda x: random.{name}(x, (3,)), k)\nout"
      for name in STANDARD),
    *(f"show(lambda x: random.{name}(x, {one}), k), show(lambda x: random.{name}(x, {many}), k)"
      for name, (one, many) in {**PARAMETERS, "geometric": WHOLE["geometric"]}.items()),
    *(f"f = jax.vmap(lambda x: random.{name}(x, {one}, (2,)))\nf(ks),"
      " show(f, ks)" for name, (one, _) in PARAMETERS.items()),
    *(f"f = jax.jit(lambda x: random.{name}(x, {many}))\nf(k), show(f, k)"
      for name, (_, many) in {**PARAMETERS, **WHOLE}.items() if name != "poisson"),
    "show(lambda x: random.gumbel(x, (3,), mode='high'), k),"
    " show(lambda x: random.gumbel(x, (3,), mode='highest'), k)",
    "show(lambda x: random.categorical(x, LOGITS), k), show(lambda x, y: random.categorical(x, y,"
    " 0, (4, 3)), k, LOGITS)",
    "show(lambda x: random.rademacher(x, (3,)), k), show(lambda x: random.rademacher(x, (3,),"
    " 'float32'), k)",
    "show(lambda x: random.permutation(x, 5), k), show(lambda x, y: random.permutation(x, y), k,"
    " F), show(lambda x, y: random.permutation(x, y), k, LOGITS)",
    "show(lambda x: random.choice(x, 5, (3,)), k), show(lambda x, y: random.choice(x, y, (3,)), k,"
    " F), show(lambda x: random.choice(x, 5, (3,), False), k)",
    "show(lambda x: random.weibull_min(x, 2.0, 1.5, (4,)), k),"
    " show(lambda x: random.double_sided_maxwell(x, F, 2.0), k)",
)
DERIVATIVES = (
    *(f"jax.grad(lambda a: random.{name}(k, {args}).sum())(1.5)"
      for name, args in {
          "truncated_normal": "-a, a, (4,)", "pareto": "a, (4,)", "rayleigh": "a, (4,)",
          "wald": "a, (4,)", "triangular": "0.0, a, 4.0, (4,)", "lognormal": "a, (4,)",
          "gamma": "a, (4,)", "loggamma": "a, (4,)", "chisquare": "a, (4,)", "t": "a, (4,)",
          "beta": "a, 2.0, (4,)", "f": "a, 3.0, (4,)", "weibull_min": "1.0, a, (4,)",
          "double_sided_maxwell": "1.0, a, (4,)", "generalized_normal": "a, (4,)",
      }.items()),
    "jax.grad(lambda a: random.loggamma(k, a))(1e-3), jax.grad(lambda a: random.gamma(k, a))(50.0)",
    "jax.grad(lambda a: random.dirichlet(k, a)[0])(F)",
    "jax.jvp(lambda a: random.gamma(k, a), (F,), (F,))",
    "jax.vmap(jax.grad(lambda a, x: random.gamma(x, a)))(F, ks)",
    "jax.vmap(lambda a: random.gamma(k, a), 1, 1)(jnp.ones((2, 3))),"
    " jax.vmap(lambda x: random.gamma(x, F))(ks), jax.vmap(random.gamma)(ks, F)",
    "jax.jit(jax.grad(lambda a: random.gamma(k, a, (3,)).sum()))(2.0)",
    "show(jax.vmap(random.gamma), ks, F), show(jax.vmap(lambda x: random.gamma(x, F)), ks)",
    "jax.vmap(lambda x, a: random.poisson(x, a))(ks, 7 * F), jax.vmap(lambda x, p:"
    " random.binomial(x, 20, p))(ks, F / 7), jax.vmap(lambda x: random.permutation(x, 5))(ks),"
    " jax.vmap(lambda x: random.choice(x, 5, (3,), False))(ks)",
    "jax.vmap(lambda x, y: random.categorical(x, y), (None, 0))(k, LOGITS)",
    "jax.jit(lambda x: (random.poisson(x, F), random.binomial(x, 5, 0.3), random.choice(x, F,"
    " (3,), True, F)))(k)",
    "with jax.disable_jit():\n    out = random.exponential(k, (2,)), random.gamma(k, 2.0)\nout",
)


def each_raises(call, arguments):
    """One case: the call with each of the arguments in the place of the braces."""
    return f"[{', '.join(f'raised(lambda: {call.format(x)})' for x in arguments)}]"


WRONG_KEYS = ("ks", "random.split(r, 3)", "0", "F", "jnp.zeros(2)", "[0, 0]", "None")
WRONG_SHAPES = ("(2.5,)", "'ab'", "(F[0],)", "2.0")
REFUSED = (
    *(each_raises(f"random.{name}({{}})", WRONG_KEYS) for name in STANDARD),
    *(each_raises(f"random.{name}(k, {{}})", (*WRONG_SHAPES, "(2,), int", "(2,), 'complex64'",
                                              "(2,), 'no'", "None")) for name in STANDARD),
    *(each_raises(f"random.{name}({{}}, {one})", WRONG_KEYS)
      for name, (one, _) in {**PARAMETERS, **WHOLE}.items()),
    *(each_raises(f"random.{name}(k, {many}, {{}})",
                  (*WRONG_SHAPES, "(2,)", "(3, 2)", "(3,), 'no'")) for name, (_, many)
      in {**PARAMETERS, **WHOLE}.items()),
    *(each_raises(f"random.{name}(k, {one}, (2,), {{}})", ("int", "'complex64'"))
      for name, (one, _) in PARAMETERS.items() if name != "lognormal"),
    each_raises("random.gumbel(k, (2,), mode={})", ("'no'", "3", "True")),
    each_raises("random.geometric(k, 0.5, (2,), {})", ("float", "'complex64'", "bool")),
    each_raises("random.categorical(k, {})",
                ("[0.0, 1.0]", "1.0", "F, 2", "F, -2", "F, -1, (2.5,)", "LOGITS, -1, (3,)",
                 "F, mode='no'", "F, -1, (4,), False", "None", "LOGITS, -1, (2, 4)", "I", "F > 1")),
    each_raises("random.permutation(k, {})",
                ("2.5", "[1, 2]", "F, 1", "F, -2", "1j")),
    each_raises("random.choice(k, {})",
                ("[1, 2]", "F, 3", "F, (2.5,)", "0, (1,)", "F, (4,), False", "F, (2,), axis=1",
                 "F, (2,), True, LOGITS", "F, (2,), True, F[:2]", "F, (2,), True, [1]",
                 "-1, (2,)", "jnp.zeros((0, 2)), (2,)", "5, (2,), False, jnp.ones(5), mode='no'")),
    each_raises("random.poisson(k, {})", ("'a'", "None", "[1.0]", "1.0, (2.5,)")),
    each_raises("random.binomial(k, {})",
                ("'a', 0.5", "5, None", "F, F[:2]", "5, 0.5, (2.5,)", "F, 0.5, (2,)",
                 "5, 0.5, (2,), int")),
    each_raises("random.multinomial(k, {})", ("[5], F", "5, [1]", "F[:2], F", "5, F, shape=(2,)")),
    each_raises("random.dirichlet(k, {})", ("2.0", "F, (2.5,)", "LOGITS, (3,)")),
    each_raises("random.ball(k, {})", ("2.5", "'a'", "F", "3, 2.0, (2.5,)")),
    each_raises("random.generalized_normal(k, {})", ("'a'", "2.0, (2.5,)", "None")),
    each_raises("random.weibull_min(k, {})", ("'a', 1.0", "F, F[:2]", "1.0, 1.0, (2.5,)")),
    each_raises("random.double_sided_maxwell(k, {})", ("'a', 1.0", "F, F[:2]", "1.0, 1.0, 'ab'")),
    *(each_raises(f"random.{name}(k, {{}})", ("jnp.ones(3, 'complex64')", "[1.0]"))
      for name in ("pareto", "rayleigh", "wald", "chisquare", "t")),
    "with jax.enable_x64(True):\n    out = [raised(random.pareto, k, np.float64(2), None, d)"
    " for d in ('float32', 'bfloat16')], raised(random.t, k, np.float64(2), None, 'float32')\nout",
    "random.lognormal(k, dtype='bfloat16')",
    "jax.jit(lambda x, n: random.permutation(x, n))(k, 3)",
    "jax.jit(lambda x, n: random.choice(x, n))(k, 3)",
)

CASES = (*BITS, *VALUES, *DRAWN, *JAXPRS, *DERIVATIVES, *REFUSED)
