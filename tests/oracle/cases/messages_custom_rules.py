"""Mistakes with rules, with jax.nn and its initializers, and words of what minijax says to them."""
# ruff: noqa: E501  (a case is one text)

SETUP = """\
X = jnp.array([0.5, -1.0, 2.0])
K = random.key(0)
nn = jax.nn
flatten_util, test_util = (
    __import__(f'{jax.__name__}.{name}', fromlist=['']) for name in ('flatten_util', 'test_util')
)

def with_jvp(rule, fun=lambda x: x, **options):
    f = jax.custom_jvp(fun, **options)
    f.defjvp(rule)
    return f

def with_vjp(fwd, bwd, fun=lambda x: x, **options):
    f = jax.custom_vjp(fun, **options)
    f.defvjp(fwd, bwd)
    return f

def with_vmap(rule, fun=lambda x: x):
    f = jax.custom_batching.custom_vmap(fun)
    f.def_vmap(rule)
    return f

def saved(x):
    return x, None

def cut(x, n):
    return x

def linear_call(back, r=2.0):
    call = __import__(f'{jax.__name__}.custom_derivatives', fromlist=['']).linear_call
    return jax.grad(lambda r, x: call(lambda r, x: r * x, back, r, x), 1)(r, 3.0)
"""

# What a case is called by in its message, where that isn't the function that it calls first.
NAMES: dict[str, str] = {}
MESSAGES: dict[str, str] = {}


def add(name: str, case: str, words: str) -> None:
    NAMES[case] = name
    MESSAGES[case] = words


# Calls.
add("cut", "jax.custom_jvp(cut)(1.0, 2)", "no rule for its derivative. Give it one: cut.defjvp.")
add("cut", "jax.custom_vjp(cut)(1.0, 2)", "no rule for its derivative. Give it one: cut.defvjp.")
add("cut", "with_jvp(3, cut)(1.0, 2)", "cut.defjvp takes functions, and got 3. Give those.")
add("cut", "with_vjp(saved, 4, cut)(1.0, 2)", "cut.defvjp takes functions, and got 4. Give those.")
add("cut", "with_jvp(saved, cut)(1.0)", "missing a required")
add("cut", "def cut(x, *, n):\n    return x\nwith_jvp(saved, cut)(1.0, n=2)", "make it a positional parameter")
add("cut", "jax.custom_jvp(cut, nondiff_argnums=1)", "and got 1. Give (1,).")
add("cut", "with_jvp(saved, cut, nondiff_argnums=(2,))(1.0, 2)",
    "cut has nondiff_argnums (2,), and was called with 2 arguments. Count them from 0.")
add("defjvps", "jax.custom_jvp(cut, nondiff_argnums=(1,)).defjvps(None)",
    "defjvps takes no nondiff_argnums. Use defjvp")
add("cut", "f = jax.custom_jvp(cut)\nf.defjvps(lambda *xs: xs[0])\njax.grad(f)(1.0, 2.0)",
    "was given 1 rules, and the call has 2 arguments")
add("defvjp", "jax.custom_vjp(cut).defvjp(saved, saved, True, True)", "Choose one.")
add("custom_vjp", "f = with_vjp(lambda x, n: (x, n), saved, cut, nondiff_argnums=(1,))\n"
    "jax.jit(f)(1.0, 2)", "An argument at nondiff_argnums of a custom_vjp function is a")

# Rules of custom_jvp.
add("rule", "def rule(p, t):\n    return p[0]\njax.grad(with_jvp(rule))(1.0)",
    "must return a pair: the result of")
add("rule", "def rule(p, t):\n    return p, t[0]\njax.grad(with_jvp(rule))(1.0)", "Give both the same.")
add("rule", "def rule(p, t):\n    return p, t\njax.grad(jax.jit(with_jvp(rule)))(1.0)",
    "Return what it returns.")
add("rule", "def rule(p, t):\n    return p[0], X\njax.grad(with_jvp(rule))(1.0)",
    "returned a tangent of float32[3] for a result of float32[]")
add("rule", "def rule(p, t):\n    return p[0], 'text'\njax.grad(with_jvp(rule))(1.0)",
    "returned a tangent that is none")
add("A custom rule", "f = with_jvp(lambda p, t: (p[1], t[1] + t[0]), lambda x, y: y)\n"
    "g = jax.jit(jax.vmap(f, (0, None)))\njax.jvp(lambda x: g(x, 1.0), (X,), (X,))",
    "and the function's own are not. Make the")
add("custom_jvp_call", "jax.grad(with_jvp(lambda p, t: (t[0], t[0])))(1.0)",
    "has a result that depends on a tangent")

# Rules of custom_vjp.
add("A custom_vjp function", "jax.jvp(with_vjp(saved, lambda _, ct: (ct,)), (1.0,), (1.0,))",
    "Use grad or vjp, or give it a custom_jvp rule.")
add("A custom_vjp function", "def outer(w):\n"
    "    return with_vjp(saved, lambda _, ct: (ct,), lambda x: x * w)(2.0)\n"
    "jax.grad(jax.jit(outer))(1.0)", "Make the value an argument")
add("rule", "def rule(x):\n    return x\njax.grad(with_vjp(rule, lambda _, ct: (ct,)))(1.0)",
    "and residuals for")
add("rule", "def rule(x):\n    return (x, x), None\n"
    "jax.grad(jax.jit(with_vjp(rule, lambda _, ct: (ct,))))(1.0)", "Return what it returns.")
add("rule", "def rule(_, ct):\n    return ct\njax.grad(with_vjp(saved, rule))(1.0)",
    "tuple of 1, one for each argument.")
add("rule", "def rule(_, ct):\n    return ct, ct\njax.grad(with_vjp(saved, rule))(1.0)",
    "tuple of 1, one for each argument.")
add("rule", "def rule(_, ct):\n    return (X,)\njax.grad(with_vjp(saved, rule))(1.0)",
    "returned a cotangent of float32[3] at [0], for an argument of")
add("custom_vjp_primal_tree_values", "jax.custom_derivatives.custom_vjp_primal_tree_values({'a': 1})",
    "takes leaves of CustomVJPPrimal, and got int")
add("rule", "def rule(x):\n    return x\njax.custom_gradient(rule)(1.0)",
    "and its backward function.")

# Rules of custom_vmap.
add("cut", "jax.custom_batching.custom_vmap(cut)(1.0, 2)", "Give it one: cut.def_vmap.")
add("rule", "def rule(n, b, x):\n    return x\njax.vmap(with_vmap(rule))(X)",
    "the results, and which of them are")
add("rule", "def rule(n, b, x):\n    return x, (True,)\njax.vmap(with_vmap(rule))(X)",
    "Give both the structure of the function's")
add("rule", "def rule(n, b, x):\n    return x, True\n"
    "jax.vmap(lambda w: with_vmap(rule, lambda x: x * w)(1.0))(X)", "Make the value an argument.")
add("A custom_vjp function's results are mapped",
    "f = jax.custom_vjp(lambda x: x * 2)\n"
    "f.defvjp(lambda x: (1.0, x), lambda r, ct: (ct,), optimize_remat=True)\n"
    "jax.jit(jax.vmap(lambda x: jax.vjp(f, x)[0], out_axes=None))(X)", "or leave out optimize_remat.")

# jax.nn and what belongs to it.
add("nn.relu", "nn.relu([1.0])", "nn.relu takes arrays and numbers, and argument x is [1.0]")
add("nn.softmax", "nn.softmax([1.0])", "takes arrays and numbers")
add("nn.glu", "nn.glu(X)", "nn.glu halves axis 0 of x, and it has 3 elements. Give")
add("nn.standardize", "nn.standardize(X, algorithm='best')", "Choose 'fast' or 'stable'.")
add("nn.one_hot", "jax.vmap(lambda x: nn.one_hot(1, 2, axis='i'), axis_name='i')(X)",
    "whose size is 3. Give as many classes")
add("variance_scaling", "nn.initializers.variance_scaling(1.0, 'fan', 'normal')(K, (2, 2))",
    "has no mode 'fan'.")
add("variance_scaling", "nn.initializers.variance_scaling(1.0, 'fan_in', 'flat')(K, (2, 2))",
    "has no distribution 'flat'")
add("An initializer", "nn.initializers.he_normal()(K, (3,))", "Give a matrix's shape, or in_axis.")
add("An initializer", "nn.initializers.he_normal()(K, (0, 3))", "Give a shape without zeros")
add("An Initializer", "nn.initializers.Initializer.__call__(None, K, (3,))", "is a function (key, shape, dtype)")
add("nn.initializers.orthogonal", "nn.initializers.orthogonal()(K, (2, 2), out_sharding=jax.P())",
    "makes whole matrices, and got out_sharding=")
add("The unravel function", "flatten_util.ravel_pytree(X)[1](jnp.ones(2))",
    "takes 3 numbers, and got the shape (2,)")
add("The unravel function", "flatten_util.ravel_pytree([X, 1])[1](jnp.arange(4))",
    "takes float32, and got int32")
add("check_grads", "def wrong(p, t):\n    return [p[0], p[0]], [t[0], t[0]]\n"
    "test_util.check_jvp(lambda x: (x, x), wrong, (1.0,))",
    "Compare results of")
add("check_grads", "def wrong(p, t):\n    return jnp.ones(1), jnp.ones(1)\n"
    "test_util.check_jvp(jnp.sin, wrong, (1.0,))",
    "got the shapes (1,) and () as primal. Compare results")
add("device_put", "jax.grad(jax.jit(lambda x: jax.device_put(x, jax.devices()[0], donate=True)))(1.0)",
    "has no derivative: what comes back needs")
add("linear_call", "jax.grad(lambda r: linear_call(lambda r, ct: ct, r))(1.0)",
    "linear_call is differentiated by its residuals, or by a value that its function")
add("linear_call", "linear_call(lambda r, ct: (ct, ct))",
    "has linear_args ~float32[] and a fun_transpose that")
add("linear_call", "linear_call(lambda r, ct: X * ct)", "returns float32[3].\nReturn what is like the first.")

CASES = tuple(MESSAGES)
