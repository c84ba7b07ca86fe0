"""Checks within programs: what is found, first, through each construct and transformation."""

SETUP = """\
import importlib
checkify = importlib.import_module(f'{jax.__name__}.experimental.checkify')
check, ALL, USER = checkify.check, checkify.all_checks, checkify.user_checks
A = jnp.array([1.0, 2.0, 3.0])
I = jnp.array([[0, 1], [2, 3]])

# Functions of one float, each with something that may go wrong.

def positive(x):
    check(x > 0, '{x} must be positive', x=x)
    return x * 2

def bounded(x):
    check(x < 5, '{} is large: {y[a]}', x, y={'a': x * 2})
    check(x > -5, 'it is small')
    return jnp.sin(x)

def logarithm(x):
    return jnp.log(x) * 0.5

def quotient(x):
    return (x + 1) / x

def element(x):
    return A[x.astype(int)] * x

def written(x):
    return A.at[x.astype(int)].set(x)[0] + jnp.sqrt(x)

def same(x):
    return x * 1.0

# Constructs around such a function.

def jitted(f):
    return jax.jit(f)

def taken(f):
    return lambda x: lax.cond(x > -100, f, same, x)

def left(f):
    return lambda x: lax.cond(x < -100, f, same, x)

def switched(f):
    return lambda x: lax.switch((x > 0).astype(int) + 1, [same, f, jnp.cos], x)

def scanned(f):
    return lambda x: lax.scan(lambda c, y: (c - 1, f(c) + y), x, A)[1]

def carried(f):
    return lambda x: lax.fori_loop(0, 3, lambda i, c: f(c) - 1, x)

def looped(f):
    return lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, f(c[1]) - 2), (0, x))

def until(f):
    return lambda x: lax.while_loop(lambda c: (f(c[1]) < 50) & (c[0] < 3),
                                    lambda c: (c[0] + 1, c[1] - 1), (0, x))

def mapped(f):
    return lambda x: lax.map(f, x - A)

def vmapped(f):
    return lambda x: jax.vmap(f)(x - A)

def vmapped_choice(f):
    return lambda x: jax.vmap(lambda x: lax.cond(x > 0, f, same, x))(x - A)

def gradient(f):
    return jax.grad(f)

def forward(f):
    return lambda x: jax.jvp(jax.jit(f), (x,), (2.0,))

def second(f):
    return jax.grad(jax.grad(lambda x: f(x) * x))

def checkpointed(f):
    return jax.checkpoint(f)

def gradient_checkpointed(f):
    return jax.grad(jax.checkpoint(lambda x: f(jnp.sin(f(x)))))

def gradient_scanned(f):
    return jax.grad(lambda x: scanned(f)(x).sum())

def with_jvp(f):
    g = jax.custom_jvp(f)
    g.defjvp(lambda p, t: (f(*p), t[0] / p[0]))
    return g

def with_vjp(f):
    g = jax.custom_vjp(f)
    g.defvjp(lambda x: (f(x), x), lambda x, ct: (ct / x,))
    return g

def jvp_jitted(f):
    return lambda x: jax.jit(with_jvp(f))(x) + 1

def gradient_jvp(f):
    return jax.grad(with_jvp(f))

def gradient_vjp(f):
    return jax.grad(with_vjp(f))

def checked_twice(f):
    def g(x):
        error, out = checkify.checkify(f, errors=ALL)(x)
        checkify.check_error(error)
        return out
    return g

def found(f, *args, errors=ALL, wrap=jax.jit):
    error, out = wrap(checkify.checkify(f, errors=errors))(*args)
    return error.get(), out
"""

FUNCTIONS = {
    "positive": (2.0, -1.5), "bounded": (1.0, 7.0, -6.0), "logarithm": (2.0, -1.0),
    "quotient": (2.0, 0.0), "element": (1.0, 5.0, -4.0), "written": (2.0, 3.0, -1.0),
}  # fmt: skip
CONSTRUCTS = (
    "jitted", "taken", "left", "switched", "scanned", "carried", "looped", "until", "mapped",
    "vmapped", "vmapped_choice", "gradient", "forward", "second", "checkpointed",
    "gradient_checkpointed", "gradient_scanned", "with_jvp", "with_vjp", "jvp_jitted",
    "gradient_jvp", "gradient_vjp", "checked_twice",
)  # fmt: skip

# Each construct alone, jitted and mapped; asked of both libraries by test_checkify_live.py.
EACH = [
    case
    for construct in CONSTRUCTS
    for name, values in FUNCTIONS.items()
    for case in (
        f"[found({construct}({name}), x) for x in {values}]",
        f"found({construct}({name}), jnp.array({list(values)}), wrap=jax.vmap)",
    )
    # Where JAX itself fails: mapped scatters, indices in checkpointed functions, mapped conditions
    # with checks. In the derivative of a scan it loses the user's checks.
    if not (construct.startswith("vmapped") and name == "written")
    if not (construct.endswith("checkpointed") and name in ("element", "written"))
    if not (construct == "gradient_scanned" and name in ("positive", "bounded"))
    if (construct, case[-9:]) != ("until", "jax.vmap)")
]
NESTED = [
    f"found({outer}({inner}({name})), {FUNCTIONS[name][1]})"
    for outer in ("jitted", "taken", "carried", "mapped", "vmapped", "gradient", "checkpointed")
    for inner in ("jitted", "taken", "looped", "with_jvp", "with_vjp", "checkpointed")
    for name in ("positive", "quotient")
    if (outer, inner) not in (("gradient", "looped"), ("vmapped", "checkpointed"))
]
SETS = [
    f"found(lambda x: bounded(x) + logarithm(x) + quotient(x) + element(x), {x}, "
    f"errors=checkify.{errors})"
    for errors in (
        "user_checks", "nan_checks", "index_checks", "div_checks", "float_checks",
        "automatic_checks", "all_checks", "div_checks | checkify.user_checks",
    )
    for x in ("9.0",)
]  # fmt: skip

INDICES = [
    "found(lambda i: lax.dynamic_slice(I, (i, 1), (1, 1)), 3)",
    "found(lambda i: lax.dynamic_slice(I, (0, i), (1, 2)), 1)",
    "found(lambda i: lax.dynamic_slice(I, (i, i), (1, 2)), -3)",
    "found(lambda i: lax.dynamic_slice(I, (i, 0), (2, 2)), jnp.uint8(1))",
    "found(lambda i: lax.dynamic_update_slice(A, A[:2], (i,)), 2)",
    "found(lambda i: lax.dynamic_update_slice(I, I[:1], (i, 0)), 1)",
    "found(lambda i: lax.dynamic_index_in_dim(A, i), 7)",
    "found(lambda i: I[i], 2)", "found(lambda i: I[1, i], -3)", "found(lambda i: I[i], -2)",
    "found(lambda i: I[i], jnp.array([0, 1, 5, 7]))",
    "found(lambda i: I[:, i], jnp.array([[0, 1], [-1, 4]]))",
    "found(lambda i: I[i, i], jnp.array([0, 3, -4]))",
    "found(lambda i: I[i, :1], jnp.array([True, False]))",
    "found(lambda i: I.at[i].set(0), 2)", "found(lambda i: I.at[i].add(1), jnp.array([0, -3]))",
    "found(lambda i: A.at[i].mul(2.0, mode='drop'), 3)",
    "found(lambda i: A.at[i].max(2.0, mode='clip'), 3)",
    "found(lambda i: A.at[i].min(jnp.nan), 1)", "found(lambda i: A.at[i].add(jnp.nan), 1)",
    "found(lambda i: A.at[i].add(jnp.nan), 1, errors=checkify.nan_checks)",
    "found(lambda i: A.at[i].get(mode='fill'), 4)", "found(lambda i: jnp.take(A, i), -4)",
    "found(lambda i: jnp.take(A, i, mode='wrap'), 4)",
    "found(lambda i: jnp.take_along_axis(I, i, 1), jnp.array([[0], [2]]))",
    "found(lambda i: I.at[:, i].set(7), 2)", "found(lambda i: I.at[i, 1:].set(7), 2)",
    "found(lambda i: lax.dynamic_slice(A, (i,), (2,)), jnp.array([0, 1, 2]), wrap=jax.vmap)",
    "found(jax.vmap(lambda i: I[i]), jnp.array([0, 3, 1]))",
    "found(jax.vmap(lambda i: lax.dynamic_slice(A, (i,), (2,))), jnp.array([0, 1, 2]))",
    "found(jax.grad(lambda x: x[5]), A)", "found(jax.grad(lambda x: (x[I - 1] ** 2).sum()), A)",
    "found(lambda i: jnp.arange(3)[5], 0)", "found(lambda i: jnp.zeros((0, 2))[:, i], 3)",
]

NUMBERS = [
    f"found(lambda x: {code}, {x})"
    for code, x in (
        ("jnp.sin(x)", "jnp.inf"), ("x - x", "A / 0"), ("jnp.sqrt(x).sum()", "-A"),
        ("x / x", "0.0"), ("x // 2", "jnp.inf"), ("x % 0", "5.0"), ("3 // x", "0"), ("5 % x", "0"),
        ("lax.div(x, x)", "I"), ("x ** 0.5", "-1.0"), ("x ** -1", "0.0"), ("jnp.exp(x)", "jnp.nan"),
        ("jnp.dot(x, x)", "jnp.array([jnp.inf, 0.0]) * 0"), ("x @ I", "I * jnp.inf"),
        ("jnp.cumsum(x)", "A.at[1].set(jnp.nan)"), ("jnp.max(x)", "A.at[1].set(jnp.nan)"),
        ("jnp.arccos(x)", "A"), ("jnp.linalg.inv(x)", "jnp.zeros((2, 2))"),
        ("jnp.fft.fft(x)", "A * jnp.inf"), ("jnp.where(x > 0, jnp.log(x), 0.0)", "-A"),
        ("jax.nn.softmax(x)", "A * jnp.inf"), ("jax.nn.relu(x) / 0", "A"),
        ("jax.nn.logsumexp(x)", "-A * jnp.inf"), ("jnp.mean(x[:0])", "A"), ("jnp.std(x)", "A * jnp.nan"),  # noqa: E501
        ("lax.rsqrt(x)", "-A"), ("x * (1 + 1j)", "jnp.inf"), ("lax.complex(x, x) * jnp.inf", "A"),
        ("jnp.log1p(x)", "-2.0"), ("lax.erf_inv(x)", "A"), ("jnp.float16(x) - x", "jnp.inf"),
        ("x.astype('bfloat16') / 0", "0.0"), ("jnp.prod(x)", "A * jnp.nan"),
        ("lax.reduce(x, 0.0, lax.add, (0,))", "A * jnp.nan"), ("lax.integer_pow(x, -2)", "0.0"),
        ("jax.random.uniform(jax.random.key(0), (2,)) * x", "jnp.nan"), ("-x", "jnp.nan"),
        ("jnp.abs(x) + 1", "jnp.nan"), ("jnp.nanmean(x)", "A * jnp.nan"), ("jnp.isnan(x)", "A / 0"),
        ("jnp.sort(x)", "A * jnp.nan"), ("jnp.concatenate([x, x]) * 1", "A * jnp.nan"),
        ("lax.stop_gradient(x) + 0", "jnp.nan"), ("jax.jit(lambda y: jax.jit(jnp.cos)(y))(x)", "jnp.inf"),  # noqa: E501
    )
]  # fmt: skip

# Each device has an error of its own.
ON_DEVICES = [
    "found(jax.pmap(positive), A[:2] - 1.5)", "found(jax.pmap(bounded), A[:2] * 4)",
    "found(jax.pmap(quotient), A[:2] - 1)", "found(jax.pmap(same), A[:2])",
    "error, _ = checkify.checkify(jax.pmap(bounded))(A[:2])\n"
    "[x.shape for x in jax.tree.leaves(error)], error.get()",
    """
mesh = jax.sharding.Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ('x', 'y'))
spec = jax.P('x', 'y')
f = jax.shard_map(lambda x: logarithm(positive(x[0, 0]) * x), mesh=mesh, in_specs=spec,
                  out_specs=spec)
found(f, I + 1.0), found(f, I - 2.0), found(jax.jit(f), I - 1.0, errors=USER)""",
    """
mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), 'x')
f = jax.shard_map(positive, mesh=mesh, in_specs=jax.P(), out_specs=jax.P(), check_vma=False)
found(f, 2.0), found(f, -2.0), found(lambda x: (positive(x), f(x - 3))[1], 2.0)""",
]

CHECKS = ON_DEVICES + [
    "check(True, 'x'), check(jnp.bool_(True), '{}', A), checkify.debug_check(False, 'x')",
    "found(lambda: check(False, 'plain')), found(lambda: check(False, '{{}} {}', A))",
    "found(lambda x: check((x > 0).all(), '{:}|{k}', x, k=[]), A - 1)",
    "found(lambda x: check(x > 0, '{x:.2f}', x=x), -1.0, wrap=lambda f: f)",
    "found(lambda x: check(x > 0, '{x:.2f}', x=x), jnp.float32(-1), wrap=lambda f: f)",
    "found(lambda x: checkify.debug_check(x > 0, 'd {}', x), jnp.float32(-1))",
    "found(lambda x: check(x > 0, 'd {}', x, debug=True), jnp.float32(-1))",
    "jax.jit(lambda x: (checkify.debug_check(x > 0, 'd'), x)[1])(-1.0)",
    "jax.vmap(lambda x: (checkify.debug_check(x > 0, 'd'), x)[1])(-A)",
    "jax.grad(lambda x: (checkify.debug_check(x > 0, 'd'), x)[1])(-1.0)",
    "jax.grad(positive)(1.0), jax.vmap(positive)(A), jax.jvp(positive, (1.0,), (1.0,))",
    "positive(-1.0)", "positive(jnp.float32(-1))", "jax.grad(positive)(-1.0)",
    "jax.vmap(positive)(A - 2)", "jax.vmap(jax.vmap(positive))(A[None] - 2)",
    "jax.jit(positive)(1.0)", "jax.jit(positive)(-1.0)", "lax.cond(True, positive, same, 1.0)",
    "lax.scan(lambda c, x: (c, positive(x)), 0.0, A)", "lax.fori_loop(0, 2, lambda i, x: positive(x), 1.0)",  # noqa: E501
    "lax.while_loop(lambda x: x < 3, positive, 1.0)", "jax.jit(lambda x: jax.vmap(positive)(x))(A)",
    "jax.checkpoint(positive)(1.0)", "jax.checkpoint(positive)(-1.0)", "with_jvp(positive)(-1.0)",
    "with jax.disable_jit():\n    jax.jit(positive)(-1.0)",
    "with jax.disable_jit():\n    x = jax.jit(positive)(1.0)\nx",
    "jax.make_jaxpr(lambda x: check(x, '{}', A))(True).eqns[-1].primitive.name",
    "len(jax.make_jaxpr(lambda x: check(x, 'm'))(True).effects)",
    "checkify.checkify(positive)(-1.0)[0].throw()", "checkify.checkify(positive)(1.0)[0].throw()",
    "jax.jit(checkify.checkify(positive))(-1.0)[0].throw()",
    "jax.vmap(checkify.checkify(positive))(A - 2)[0].throw()",
    "jax.vmap(checkify.checkify(positive))(A)[0].throw()",
    "checkify.check_error(checkify.checkify(positive)(-1.0)[0])",
    "checkify.check_error(checkify.init_error), checkify.init_error.get()",
    "jax.jit(lambda x: checkify.check_error(checkify.checkify(positive)(x)[0]))(1.0)",
    "found(lambda x: checkify.checkify(positive)(x)[0].throw(), -1.0)",
    "found(lambda x: checkify.check_error(jax.vmap(checkify.checkify(positive))(x)[0]), A - 3)",
    "found(lambda x: checkify.check_error(jax.vmap(checkify.checkify(bounded))(x)[0]), A * 4 - 10)",
    "found(lambda x: checkify.checkify(quotient, errors=ALL)(x)[0], 0.0)[1].get()",
    "str(checkify.checkify(positive)(-1.0)[0]), str(checkify.checkify(positive)(1.0)[0])",
    "error = checkify.checkify(positive)(-1.0)[0]\ntype(error).__name__, "
    "type(error.get_exception()).__name__, [x.shape for x in jax.tree.leaves(error)]",
    "error = jax.vmap(checkify.checkify(positive))(A - 2)[0]\n"
    "[x.shape for x in jax.tree.leaves(error)], error.get()",
    "jax.vmap(jax.vmap(checkify.checkify(positive)))(A[None] - 2)[0].get()",
    "jax.jit(lambda e: e)(checkify.checkify(positive)(-1.0)[0]).get()",
    "lax.cond(True, lambda e: e, lambda e: e, checkify.checkify(positive)(-1.0)[0]).get()",
    "[sorted(k.__name__ for k in getattr(checkify, f'{n}_checks')) for n in "
    "('user', 'nan', 'index', 'div', 'float', 'automatic', 'all')]",
    "checkify.JaxRuntimeError.__mro__[1].__name__, checkify.ErrorCategory is not None",
    "try:\n    checkify.checkify(positive)(-1.0)[0].throw()\nexcept ValueError as e:\n"
    "    x = type(e).__name__, type(e.__cause__).__name__, str(e).split('\\n')[0]\nx",
    "jax.grad(lambda x: checkify.checkify(positive)(x)[1])(3.0)",
    "jax.grad(lambda x: jax.jit(checkify.checkify(quotient, errors=ALL))(x)[1])(2.0)",
    "jax.grad(lambda x: checkify.checkify(lambda x: scanned(positive)(x).sum())(x)[1])(5.0)",
    "(jax.value_and_grad(lambda x: checkify.checkify(positive)(x)[::-1], has_aux=True)(-2.0)"
    ")[0][1].get()",
    "jax.jvp(lambda x: checkify.checkify(bounded)(x)[1], (1.0,), (1.0,))",
    "jax.linearize(lambda x: checkify.checkify(bounded)(x)[1], 1.0)[1](1.0)",
    "jax.vmap(jax.grad(lambda x: checkify.checkify(bounded, errors=ALL)(x)[1]))(A)",
    "jax.grad(lambda x: checkify.checkify(with_jvp(quotient), errors=ALL)(x)[1])(2.0)",
    "jax.jit(jax.grad(lambda x: checkify.checkify(with_vjp(quotient), errors=ALL)(x)[1]))(2.0)",
    "lax.scan(lambda c, x: checkify.checkify(positive)(x)[::-1], 0.0, A - 2)[1].get()",
    "lax.map(checkify.checkify(bounded), A * 6 - 7)[0].get()",
    "found(lambda x, y: positive(x) + positive(y), 1.0, -2.0)",
    "found(lambda d: {'a': positive(d['x']), 'b': (d, None)}, {'x': 1.0, 'y': 2})",
    "found(lambda *a, **k: positive(k['x']), 1.0, wrap=lambda f: lambda x: f(x=-x))",
    "found(lambda x: positive(x) if x > 0 else x, 3.0, wrap=lambda f: f)",
    "found(lambda x: positive(x) if x > 0 else x, jnp.float32(3.0), wrap=lambda f: f)",
    "found(lambda k: random.uniform(k, (2,)), random.key(1)), found(lambda: None)",
    "@jax.custom_vjp\ndef g(x):\n    return x\ndef bwd(_, ct):\n    check(ct < 0, 'ct {}', ct)\n"
    "    return (ct,)\ng.defvjp(lambda x: (g(x), None), bwd)\nfound(jax.grad(g), -1.0)",
    "@jax.custom_vjp\ndef g(x):\n    return x\ndef bwd(_, ct):\n    check(ct < 0, 'ct {}', ct)\n"
    "    return (ct,)\ng.defvjp(lambda x: (g(x), None), bwd)\njax.grad(g)(-1.0)",
    "def f(x):\n    for i in range(3):\n        check(x < i, '{} at {}', x, jnp.array(i))\n    return x\n"  # noqa: E501
    "[found(f, x) for x in (-1.0, 0.5, 2.5)]",
    "def f(x):\n    y = 1 / x\n    check(y > 0, 'later')\n    return y\n[found(f, x) for x in (0.0, -1.0)]",  # noqa: E501
    "found(lambda x: lax.scan(lambda c, y: (c * y, quotient(c - 3)), x, A), 3.0)",
    "found(lambda x: lax.scan(lambda c, y: (c, (quotient(y), positive(y - 2))), x, A), 3.0)",
    "found(lambda x: lax.while_loop(lambda x: x < 5, lambda x: (check(x < 3, '{}', x), x + 1)[1], x)"  # noqa: E501
    ", 0)",
    "found(jax.vmap(lambda x: lax.while_loop(lambda x: x < 5, lambda x: x + 1, x)), A)",
    "found(lambda x: lax.cond(x[0] > 0, lambda y: positive(y), lambda y: bounded(y), x[1]), "
    "(jnp.array([1, -1, 1, -1]), jnp.array([-1.0, 7.0, 1.0, -6.0])), wrap=jax.vmap)",
    "found(lambda x: jnp.sum(jax.jit(jax.vmap(quotient))(x)), A - 1)",
    "found(jax.vmap(lambda x: x / lax.psum(x, 'i'), axis_name='i'), A * 0)",
    "found(lambda x: lax.associative_scan(jnp.multiply, x), A * jnp.nan)",
    "found(lambda x: jax.lax.custom_linear_solve(lambda y: y * x, A, lambda f, b: b / x), 0.0)",
    "found(lambda x: jnp.linalg.solve(jnp.zeros((2, 2)) * x, A[:2]), 1.0)[0]",
    "found(lambda x: jax.hessian(logarithm)(x), 0.0)", "found(lambda x: jax.jacfwd(quotient)(x), 0.0)",  # noqa: E501
    "found(lambda x: random.normal(random.key(0), (2,)).sum() * x, 1.0)[0]",
    "f = jax.custom_batching.custom_vmap(logarithm)\n"
    "f.def_vmap(lambda size, mapped, x: (logarithm(x) * 2, True))\n"
    "[found(g, -A) for g in (f, jax.vmap(f), jax.jit(jax.vmap(f)), jax.vmap(jax.jit(f)))]",
    "f = jax.custom_batching.custom_vmap(positive)\n"
    "f.def_vmap(lambda size, mapped, x: (positive(x[0]) * x, True))\n"
    "[found(jax.vmap(f), x) for x in (A, -A)], raised(lambda: found(f, -1.0))",
]

LIVE = [*EACH, *NESTED]
CASES = [*SETS, *INDICES, *NUMBERS, *CHECKS]
