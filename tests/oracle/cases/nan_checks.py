"""Where a NaN or an infinity is an error, while `jax_debug_nans` or `jax_debug_infs` is on."""

SETUP = """\
F = jnp.array([1.0, 0.0, -1.0])
N = jnp.array([1.0, jnp.nan])
Z = jnp.zeros(3)
I = jnp.arange(3)

def nans(f, *args, on=True):
    with jax.debug_nans(on):
        return f(*args)

def infs(f, *args, on=True):
    with jax.debug_infs(on):
        return f(*args)

def both(f, *args):
    return [raised(nans, f, *args), raised(infs, f, *args)]
"""
# What is called, with its arguments, under each of the options.
CALLS = (
    "jnp.log, F",
    "jnp.log, Z",
    "jnp.sqrt, F",
    "lax.log, F",
    "lambda x: x / x, F",
    "lambda x: 1 / x, F",
    "lambda x: x + 1, N",
    "jnp.sin, N",
    "jnp.isnan, N",
    "jnp.nan_to_num, N",
    "jnp.exp, F * 1000",
    "jnp.sum, N",
    "jnp.nansum, N",
    "jnp.where(F > 0, F, jnp.nan).sum",
    "lambda x: jnp.where(x > 0, jnp.log(x), 0.0), F",
    "jax.jit(lambda x: jnp.where(x > 0, jnp.log(x), 0.0)), F",
    "jax.jit(jnp.log), F",
    "jax.jit(lambda x: jnp.log(x) * 0), F",
    "jax.jit(lambda x: (x, jnp.log(x).sum())), F",
    "jax.jit(lambda x: x), N",
    "jax.jit(lambda x: jnp.nan), F",
    "jax.jit(lambda x: x[1]), N",
    "jax.jit(lambda x: jnp.isnan(x)), N",
    "jax.jit(lambda x: x.astype(int)), N",
    "jax.jit(lambda x: jax.jit(jnp.log)(x) + 1), F",
    "jax.jit(lambda x: {'a': x, 'b': (jnp.log(x), 3)}), F",
    "jax.jit(lambda x: jnp.log(x) if x.ndim else x), F",
    "jax.jit(jnp.log, donate_argnums=0), F + 0",
    "jax.grad(jnp.sqrt), 0.0",
    "jax.grad(lambda x: jnp.sqrt(x)**2), 0.0",
    "jax.grad(lambda x: x * jnp.log(x)), 0.0",
    "jax.grad(jax.jit(lambda x: jnp.sqrt(x)**2)), 0.0",
    "jax.jit(jax.grad(lambda x: jnp.sqrt(x)**2)), 0.0",
    "jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0)), 0.0",
    "jax.jit(jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0))), 0.0",
    "jax.value_and_grad(jnp.log), -1.0",
    "jax.vmap(jnp.log), F",
    "jax.jit(jax.vmap(jnp.log)), F",
    "jax.vmap(jax.jit(jnp.log)), F",
    "jax.vmap(jax.grad(jnp.log)), Z",
    "jax.jvp, jnp.sqrt, (0.0,), (1.0,)",
    "lambda x: jax.linearize(jnp.sqrt, x)[1](1.0), 0.0",
    "lambda x: jax.vjp(jnp.sqrt, x)[1](1.0), 0.0",
    "lambda x: jax.vjp(jax.jit(jnp.sqrt), x)[1](1.0), 0.0",
    "jax.hessian(lambda x: jnp.sqrt(x).sum()), Z",
    "jax.jacfwd(jnp.sqrt), Z",
    "lambda x: lax.scan(lambda c, y: (jnp.log(c), c), x, None, 3), 2.0",
    "jax.jit(lambda x: lax.scan(lambda c, y: (jnp.log(c), c), x, None, 3)), 2.0",
    "lambda x: lax.scan(lambda c, y: (c, jnp.where(y > 0, jnp.log(y), 0)), 0.0, x), F",
    "lambda x: lax.fori_loop(0, 3, lambda i, c: jnp.log(c), x), 2.0",
    "lambda x: lax.while_loop(lambda c: c < 0, lambda c: jnp.sqrt(c), x), -1.0",
    "jax.jit(lambda x: lax.while_loop(lambda c: c < 0, lambda c: jnp.sqrt(c), x)), -1.0",
    "lambda x: lax.cond(x > 0, lambda y: y, jnp.log, x), -1.0",
    "lambda x: lax.cond(x > 0, jnp.log, lambda y: y, x), -1.0",
    "lambda x: lax.map(jnp.log, x), F",
    "lambda x: lax.associative_scan(lax.div, x), Z",
    "jax.checkpoint(jnp.log), F",
    "jax.grad(jax.checkpoint(jnp.sqrt)), 0.0",
    "jax.jit(lambda x: jax.checkpoint(jnp.log)(x)), F",
    "jnp.array, [1.0, float('nan')]",
    "jnp.asarray, np.array([np.nan])",
    "jnp.float32, np.nan",
    "jnp.full, 3, np.nan",
    "jnp.full, 3, np.inf",
    "jax.device_put, np.array([np.nan, np.inf])",
    "lambda: jnp.nan * 2",
    "lambda: jnp.ones(2) * jnp.inf",
    "jnp.zeros, 3",
    "lambda x: x[0], N",
    "lambda x: x[1], N",
    "lambda x: x.at[0].set(jnp.nan), F",
    "lambda x: x[::-1], N",
    "lambda x: x.reshape(2, 1), N",
    "lambda x: x.T, N",
    "lambda x: x.astype('float16'), N",
    "lambda x: -x, N",
    "lambda x: x.copy(), N",
    "lambda x: jnp.concatenate([x, x]), N",
    "jnp.max, N",
    "jnp.argmax, N",
    "jnp.sort, N",
    "jnp.sort, F",
    "jnp.median, N",
    "jnp.median, F",
    "jnp.quantile, F, 0.5",
    "lambda x: jnp.var(x, ddof=3), F",
    "jnp.std, F",
    "jnp.mean, F[:0]",
    "jnp.nanmean, N",
    "jnp.nanmax, N",
    "jnp.nanmax, N[1:]",
    "jax.nn.softmax, F",
    "jax.nn.softmax, F * jnp.inf",
    "jax.nn.relu, F",
    "jax.nn.gelu, F",
    "jax.nn.log_softmax, F",
    "jax.scipy.special.logsumexp, F",
    "jax.nn.logsumexp, F",
    "jax.scipy.special.ndtri, jnp.array([0.0, 0.5])",
    "jax.scipy.special.gammaln, Z",
    "jax.scipy.special.xlogy, Z, Z",
    "jnp.linalg.norm, Z",
    "jax.grad(jnp.linalg.norm), Z",
    "jnp.linalg.cholesky, -jnp.eye(2)",
    "jnp.linalg.det, jnp.zeros((2, 2))",
    "lambda x: x // 0, I",
    "lambda x: x % 0, I",
    "lambda x: x / 0, I",
    "jnp.log, I",
    "lambda x: x * 2, I",
    "jnp.float_power, Z, -F",
    "jnp.log, (F * 0 + 0j)",
    "lambda x: x / 0, F * 1j",
    "jnp.sqrt, F * 1j",
    "jnp.log, F.astype('bfloat16')",
    "jnp.log, F.astype('float16')",
    "lambda x: x * 1e30 * 1e30, F",
    "lambda x: x * x, jnp.float16(300)",
    "jnp.power, -1.5, 0.5",
    "lambda x: x ** 0.5, F",
    "jnp.hypot, F, F",
    "jnp.arctanh, 2.0",
    "jnp.arcsin, 2.0",
    "jnp.sinc, Z",
    "jax.grad(jnp.sinc), 0.0",
    "jnp.cross, F, F",
    "jnp.dot, N, N",
    "lambda x: x @ x, N",
    "jnp.einsum, 'i,i', N, N",
    "jnp.cumsum, N",
    "jnp.histogram, F",
    "jnp.interp, F, F, F",
    "jnp.digitize, F, jnp.sort(F)",
    "random.normal, random.key(0), (3,)",
    "random.uniform, random.key(0)",
    "random.gamma, random.key(0), 1.0",
    "random.exponential, random.key(0)",
    "lambda: random.normal(random.key(0)) / 0.0 * 0.0",
    "jax.make_jaxpr(jnp.log), F",
    "jax.eval_shape, jnp.log, F",
    "lambda x: bool(x[1]), N",
    "lambda x: x == x, N",
    "lambda x: (x > 0).any(), N",
    "lambda x: x.tolist() and 0, N",
    "lambda x: float(jnp.log(x)), -1.0",
    "lambda x: jax.disable_jit()(lambda: jax.jit(jnp.log)(x))(), F",
    "lambda x: jax.disable_jit()(lambda: jax.jit(lambda y: jnp.where(y > 0, jnp.log(y), "
    "0.0))(x))(), F",
)
CUSTOM = """\
@jax.custom_jvp
def f(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)

@f.defjvp
def f_jvp(xs, ts):
    return f(*xs), ts[0] * BAD

@jax.custom_vjp
def g(x):
    return jnp.sqrt(x)

g.defvjp(lambda x: (g(x), x), lambda x, ct: (ct * BAD,))
"""
OF_RULES = [
    *((call, bad) for bad in ("1.0", "jnp.nan", "jnp.inf") for call in ("g, 0.0", "g, -1.0")),
    *((call, bad) for bad in ("1.0", "jnp.log(xs[0] - 1)", "jnp.nan", "jnp.inf") for call in (
        "f, 0.0", "jax.jit(f), 0.0", "jax.grad(f), 0.0", "jax.jit(jax.grad(f)), 0.0",
        "jax.grad(jax.jit(f)), 0.0", "jax.vmap(f), Z",
    )),
    *((call, bad) for bad in ("1.0", "jnp.nan", "jnp.log(-1.0)") for call in (
        "jax.grad(g), 0.0", "jax.jit(jax.grad(g)), 0.0", "jax.grad(jax.jit(g)), 0.0",
    )),
]  # fmt: skip
OPTIONS = (
    "nans(jnp.log, F + 2), nans(jnp.log, F, on=False), infs(jnp.log, Z, on=False)",
    "x = F + 0\nf = jax.jit(lambda x: x + 1, donate_argnums=0)\ninfs(f, x), x.is_deleted()",
    "f = jax.jit(lambda x: x + 1, donate_argnums=0)\nnans(lambda: f.trace(F).jaxpr)",
    "seen = []\ndef f(x):\n    seen.append(type(x).__name__ == 'ArrayImpl' or isinstance(x, "
    "jax.Array) and not isinstance(x, jax.core.Tracer))\n    return jnp.log(x)\nraised(nans, "
    "jax.jit(f), F), seen",
    "f = jax.jit(jnp.log)\nf(F), raised(nans, f, F), f(F), raised(nans, f, F), nans(f, F + 2)",
    "jax.config.update('jax_debug_nans', True)\ntry:\n    r = raised(jnp.log, F), "
    "jax.config.jax_debug_nans\nfinally:\n    jax.config.update('jax_debug_nans', False)\nr, "
    "jnp.log(F)",
    "import threading\nout = []\nwith jax.debug_nans(True):\n    t = "
    "threading.Thread(target=lambda: out.append(raised(jnp.log, F)))\n    t.start()\n    "
    "t.join()\nout",
    "import threading\nout = []\njax.config.update('jax_debug_nans', True)\nt = "
    "threading.Thread(target=lambda: out.append(raised(jnp.log, "
    "F)))\nt.start()\nt.join()\njax.config.update('jax_debug_nans', False)\nout",
    "with jax.debug_nans(True):\n    with jax.debug_nans(False):\n        a = jnp.log(F)\n    b "
    "= raised(jnp.log, F)\na, b",
    "@jax.debug_nans(True)\ndef f(x):\n    return jnp.log(x)\nraised(f, F), f(F + 2), jnp.log(F)",
    "with jax.debug_nans():\n    r = raised(jnp.log, F)\nr",
    "def f(x):\n    return jnp.log(x)\ndef g(x):\n    try:\n        return f(x)\n    except "
    "FloatingPointError:\n        return 'caught'\nnans(g, F)",
    "jax.jit(lambda x: nans(jnp.log, x))(F), jax.jit(lambda x: x)(N)",
    "nans(lambda: jax.make_jaxpr(lambda x: jnp.where(x > 0, x, jnp.nan))(F))",
)
CASES = [
    *(f"both({call})" for call in CALLS),
    *(CUSTOM.replace("BAD", bad) + f"both({call})" for call, bad in OF_RULES),
    *OPTIONS,
]
