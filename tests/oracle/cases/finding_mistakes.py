"""What helps to find mistakes: options, guards, what is alive, and the warnings that are given."""

SETUP = """\
import logging
F = jnp.array([1.0, 2.0, 3.0])
I = jnp.arange(3)
N = np.ones(3, np.float32)

def under(context, f, *args):
    with context:
        return f(*args)

def logged(f, *args):
    '''What a call returns, and how often something was logged.'''
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    names = [n for n in logging.root.manager.loggerDict if n.partition('.')[0] == jax.__name__]
    loggers = [logging.getLogger(n) for n in {*names, jax.__name__}]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        out = f(*args)
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    return out, [r.getMessage() for r in records if r.levelno >= logging.WARNING]

leaked = []

def leaking(x):
    leaked.append(x * 2)
    return x
"""

ALIVE = [
    "x = jnp.ones((7, 5, 3)) * 2\n[a.shape for a in jax.live_arrays() if a.shape == (7, 5, 3)]",
    "x = jnp.ones((7, 5, 2)) * 2\nx.delete()\n[a for a in jax.live_arrays('cpu') if a.shape == (7, 5, 2)]",  # noqa: E501
    "jax.live_arrays('x')", "F.is_ready(), jax.block_until_ready(F).is_ready()", "type(jax.live_arrays()).__name__",  # noqa: E501
    "x = random.split(random.key(0), 41)\nlen([a for a in jax.live_arrays() if a.shape[:1] == (41,)]) > 0",  # noqa: E501
    "jax.print_environment_info(return_string=True).count('numpy:')",
    "'python' in jax.print_environment_info(return_string=True)",
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as t:\n"
    "    x = jax.print_environment_info()\nx, 'process_count: 1' in t.getvalue()",
]

CACHES = [
    f"f = jax.jit(lambda x, n=1: x * n{options})\n{calls}\nf._cache_size()"
    for options in ("", ", static_argnums=1")
    for calls in (
        "0", "f(F), f(F + 1)", "f(F, 1), f(F, 2)", "f(F), f(I)", "f(F), f(F[:2])", "f(1.0), f(2.0)",
        "f(F), f(1.0), f(1)", "f(F), f.clear_cache()", "jax.vmap(f)(F)", "jax.grad(f)(1.0)",
        "f.lower(F), f.trace(F), f.eval_shape(F)", "jax.make_jaxpr(f)(F)", "f(F), jax.clear_caches()",  # noqa: E501
    )
]  # fmt: skip

TRACING = [
    "f = jax.jit(lambda x: x)\nunder(jax.no_tracing(), f, F)",
    "f = jax.jit(lambda x: x)\nf(F)\nunder(jax.no_tracing(), f, F + 1)",
    "f = jax.jit(lambda x: x)\nf(F)\nunder(jax.no_tracing(), f, I)",
    "under(jax.no_tracing(False), jax.jit(lambda x: x), F)",
    "under(jax.checking_leaks(), jax.jit(leaking), F)",
    "under(jax.check_tracer_leaks(), jax.jit(leaking), F)",
    "under(jax.check_tracer_leaks(False), jax.jit(leaking), F)",
    "under(jax.checking_leaks(), jax.jit(lambda x: x * 2), F)",
    "under(jax.checking_leaks(), jax.vmap(leaking), F)",
    "under(jax.checking_leaks(), jax.grad(leaking), 1.0)",
    "under(jax.checking_leaks(), lax.scan, lambda c, x: (c, leaking(x)), 0.0, F)",
    "jax.jit(leaking)(F)\nleaked[-1] + 1",
    "def f(x):\n    with jax.ensure_compile_time_eval():\n        y = jnp.sin(2.0)\n"
    "        z = bool(y > 0)\n    return x * y if z else x\njax.jit(f)(F), jax.make_jaxpr(f)(1.0)",
    "def f(x):\n    with jax.ensure_compile_time_eval():\n        return x + 1\njax.jit(f)(F)",
    "under(jax.ensure_compile_time_eval(), lambda: jax.jit(lambda x: x + 1)(F))",
    "under(jax.disable_jit(), lambda: jax.jit(lambda x: x if x > 0 else -x)(-1.0))",
    "under(jax.disable_jit(), lambda: lax.cond(True, lambda x: float(x), lambda x: x, 1.0))",
    "under(jax.disable_jit(False), jax.jit(lambda x: x if x > 0 else -x), -1.0)",
    "under(jax.thread_guard(True), lambda: F + 1), under(jax.thread_guard(False), lambda: F + 1)",
    "under(jax.no_execution(False), lambda: F + 1)",
]

LOGS = [
    "f = jax.jit(lambda x: x * 3)\nunder(jax.log_compiles(), logged, f, F)[0]",
    "f = jax.jit(lambda x: x * 3)\nx = jax.block_until_ready(F)\n"
    "out, lines = under(jax.log_compiles(), logged, f, x)\n"
    "any('<lambda>' in line for line in lines), any(line.startswith('Compiling') for line in lines)",  # noqa: E501
    "f = jax.jit(lambda x: x * 3)\nf(F)\nunder(jax.log_compiles(), logged, f, F)",
    "logged(jax.jit(lambda x: x * 3), F), under(jax.log_compiles(False), logged, jax.jit(jnp.sin), F)",  # noqa: E501
    "f = jax.jit(lambda x: x * 3)\nf(F)\n"
    "len(under(jax.explain_cache_misses(), logged, f, I)[1]) > 0",
    "f = jax.jit(lambda x: x * 3)\nf(F)\nunder(jax.explain_cache_misses(), logged, f, F)[1]",
    "f = jax.jit(lambda x: x * 3)\nf(F)\n"
    "len(under(jax.explain_cache_misses(), under, jax.enable_x64(True), logged, f, F)[1]) > 0",
    "f = jax.jit(lambda x: x * 3)\nf(F)\nwith jax.explain_cache_misses(), "
    "jax.default_matmul_precision('float32'):\n    out = logged(f, F)\nlen(out[1]) > 0",
]

# What may be brought from the host: each line, under each level.
TRANSFERS = (
    "jnp.sin(F)", "F + F", "F * 2", "F + 1.5", "F + N", "jnp.sin(N)", "jnp.add(F, N)", "jnp.add(F, 1)",  # noqa: E501
    "jax.jit(jnp.cos)(F)", "jax.jit(jnp.cos)(N)", "jax.jit(jnp.cos)(1.0)",
    "jax.jit(lambda x: x + N)(F)", "jax.jit(lambda x: x + 2)(F)", "jnp.array(N)", "jnp.asarray(N)",
    "jnp.array([1, 2])", "jnp.array(1)", "jnp.array(F)", "jnp.asarray(F)", "jnp.float32(1)",
    "jnp.ones(1)", "jnp.zeros((2, 3))", "jnp.arange(3)", "jnp.eye(2)", "jnp.full(2, 1.5)",
    "jnp.zeros_like(F)", "jnp.linspace(0, 1, 3)", "jax.device_put(N)", "jax.device_put(1.0)",
    "jax.device_put(F)", "jax.device_get(F)", "np.asarray(F)", "str(F)", "float(F[0])", "F.tolist()",  # noqa: E501
    "F[0]", "F[1:]", "F[I]", "F[jnp.array(1)]", "F.at[0].set(1.0)", "jnp.sum(F)", "jnp.sum(F, axis=0)",  # noqa: E501
    "jnp.where(F > 1, F, 0.0)", "jax.grad(lambda x: x * x)(F[0])", "jax.vmap(jnp.sin)(F)",
    "lax.add(F, F)", "lax.add(F, N)", "lax.mul(F, 2.0)", "random.key(0)", "random.PRNGKey(0)",
    "lax.scan(lambda c, x: (c + x, c), 0.0, F)", "lax.fori_loop(0, 3, lambda i, x: x * 2, F)",
    "lax.cond(True, jnp.sin, jnp.cos, F)", "jax.eval_shape(jnp.sin, N)", "jax.make_jaxpr(jnp.sin)(N)",  # noqa: E501
)  # fmt: skip
HOST = [
    f"def f():\n    return {line}\nunder(jax.transfer_guard_host_to_device('disallow'), f)"
    for line in TRANSFERS
]
LEVELS = [
    f"under(jax.{guard}({level!r}), lambda: {line})"
    for guard in ("transfer_guard", "transfer_guard_host_to_device", "transfer_guard_device_to_host",  # noqa: E501
                  "transfer_guard_device_to_device")
    for level in ("allow", "log", "disallow", "log_explicit", "disallow_explicit")
    for line in ("jnp.cos(N)", "jax.device_put(N)", "np.asarray(F)", "jax.device_get(F)")
]  # fmt: skip
NESTED = [
    "with jax.transfer_guard('disallow'), jax.transfer_guard('allow'):\n    x = jnp.cos(N)\nx",
    "with jax.transfer_guard('disallow'), jax.transfer_guard_host_to_device('allow'):\n"
    "    x = jnp.cos(N)\nx",
    "with jax.transfer_guard_host_to_device('disallow'), jax.transfer_guard('allow'):\n"
    "    x = jnp.cos(N)\nx",
    "f = jax.jit(jnp.cos)\nf(N), f(N), f(N)\nunder(jax.transfer_guard('disallow'), f, N)",
    "jnp.cos(N), jnp.cos(N), jnp.cos(N)\nunder(jax.transfer_guard('disallow'), jnp.cos, N)",
    "try:\n    under(jax.transfer_guard('disallow'), jnp.cos, N)\nexcept Exception:\n    pass\n"
    "jnp.cos(N)",
    "@jax.transfer_guard('disallow')\ndef f(x):\n    return jnp.cos(x)\nf(F), f(N)",
    "under(jax.transfer_guard('x'), jnp.cos, N)", "under(jax.transfer_guard(None), jnp.cos, N)",
    "import threading\nout = []\nwith jax.transfer_guard('disallow'):\n"
    "    t = threading.Thread(target=lambda: out.append(jnp.cos(N)))\n    t.start()\n    t.join()\nout",  # noqa: E501
    "jax.config.update('jax_transfer_guard', 'disallow')\ntry:\n"
    "    raised_one = raised(lambda: jnp.cos(N))\nfinally:\n"
    "    jax.config.update('jax_transfer_guard', None)\n    out = jnp.cos(N)\nraised_one, out",
]

WARNINGS = [
    "jax.jit(lambda x: x.sum(), donate_argnums=0)(F + 1)",
    "jax.jit(lambda x, y: x + y, donate_argnums=(0, 1))(F + 1, F + 2)",
    "jax.jit(lambda x: x + 1, donate_argnums=0)(F + 1)",
    "f = jax.jit(lambda x: x.sum(), donate_argnums=0)\nf(F + 1)\nwith warnings.catch_warnings():\n"
    "    warnings.simplefilter('error')\n    x = f(F + 2)\nx",
    "jax.jit(lambda x: x[:2] * 1, donate_argnums=0)(F + 1)",
    "jax.jit(lambda x, y: y, donate_argnums=0)(F + 1, F)",
    "jax.jit(lambda d: d['a'] * d['b'], donate_argnums=0)({'a': F + 1, 'b': F + 2})",
    # Said before the program runs, also where it then can't.
    "f = jax.jit(lambda x: x.sum(), donate_argnums=0)\nf.lower(F).donate_argnums, f(F + 1)",
    "f = jax.jit(lambda x: x.sum(), donate_argnums=0)\ng, x = f.lower(F).compile(), f.trace(F)\n"
    "with warnings.catch_warnings():\n    warnings.simplefilter('error')\n    y = g(F + 1)\ny",
    "x = F + 1\nx.delete()\nraised(jax.jit(lambda x: x.sum(), donate_argnums=0), x)",
    "jax.jit(lambda x: x.sum(), donate_argnums=0)(N)",
    "jax.jit(lambda x, y: (y.sum(), x + 1)[1], donate_argnums=1)(F, F[:2])",
    "F.at[0].set(1 + 1j)", "I.at[0].set(1.5)", "I.at[0].add(F[0])", "F.at[:2].set(I[:2])",
    "jnp.int8([1, 2]).at[0].set(jnp.int32(7))", "I.at[0].set(2)", "F.astype('complex64').astype('float32')",  # noqa: E501
    "(F * 1j).astype('float32')", "(F * 1j).real", "jnp.asarray(F * 1j, 'float32')",
    "lax.convert_element_type(F * 1j, 'float32')", "jnp.array([1j], dtype='float32')",
    "jax.nn.one_hot(F, 4)", "jax.nn.one_hot(I, 4)", "jnp.sum([1, 2])", "jnp.add([1], 2)",
    "jnp.concatenate([[1], [2]])", "jnp.stack([[1], [2]])", "jnp.take([1, 2], 1)",
    "jnp.array([1.0], dtype='float64')", "jnp.zeros(2, 'int64')", "F.astype('float64')",
    "F.astype(np.int64)", "jnp.arange(2, dtype='uint64')", "random.normal(random.key(0), (2,), 'float64')",  # noqa: E501
    "under(jax.numpy_rank_promotion('warn'), jnp.add, F, jnp.ones((2, 3)))", "F[jnp.array([0.5])]",
    "jnp.clip(F, 0, 1)", "jnp.clip(F, a_min=0)", "jnp.hstack([1, 2])", "bool(jnp.array([]))",
    "jax.scipy.linalg.solve(jnp.eye(2), F[:2], assume_a='sym')",
    "jnp.array(None)", "jnp.array([None, 1.0])", "jnp.linalg.svd(jnp.eye(2), hermitian=True)[1]",
    "jnp.isin(I, [1, 2])", "jnp.full(2, [1, 2])", "jnp.where([True, False], 1, 2)",
]  # fmt: skip

GONE = """\
x, y = F + 1, F + 1
jax.jit(lambda x: x * 2, donate_argnums=0)(x), y.delete()
def raised_by(f, *args):
    return [raised(f, z, *args) for z in (x, y)]
"""

# Which deleted arrays a program takes, and which error the others are.
DELETED = [
    GONE + case
    for case in (
        "f = jax.jit(lambda x: x + 1)\nf(F), raised_by(f)",
        "f = jax.jit(lambda x: x + 1)\nraised_by(f), f(F), raised_by(f)",
        "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nf(F + 1), raised_by(f)",
        "f = jax.jit(lambda x: x + 1).lower(F).compile()\nf(F), raised_by(f)",
        "f = jax.jit(lambda x: x + 1).lower(F).compile()\nraised_by(f), f(F), raised_by(f)",
        "f = jax.jit(lambda x, y: y + 1)\nf(x, F), f(y, F), f.lower(x, F).compile()(y, F)",
        "f = jax.jit(lambda x, y: y + 1, keep_unused=True)\nraised_by(f, F)",
        "f = jax.jit(lambda x, y: (x.sum(), y + 1)[1], donate_argnums=(0, 1))\n"
        "z = F + 1\nf(z, F + 1), z.is_deleted(), f(x, F + 1), f(y, F + 1)",
        "f = jax.jit(lambda x, y: jax.jit(lambda x, y: y)(x, y))\nf(x, F), jax.vmap(f)(y, F)",
        "k = random.key(0)\nk.delete()\njax.jit(lambda k, x: x * 2)(k, F)",
    )
]

CASES = [*ALIVE, *CACHES, *TRACING, *LOGS, *HOST, *LEVELS, *NESTED, *WARNINGS, *DELETED]
