"""Special functions: their values in every float dtype, at the edges too, their jaxprs, derivatives
and refusals."""

SETUP = """\
F = jnp.arange(1.0, 4.0)
k = random.key(0)
EDGES = jnp.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -2.5, 30.0, math.inf, -math.inf, math.nan])

def spread(low, high, dtype='float32'):
    return (low + (high - low) * jnp.arange(25.0) / 24).astype(dtype)

def show(f, *args, **kwargs):
    return jax.make_jaxpr(f, **kwargs)(*args)

def pairs(xs):
    return [x.ravel() for x in jnp.broadcast_arrays(xs[:, None], xs)]
"""
UNARY = {  # where each is tried
    "log1p": ("-0.9, 3.0", "3.0, 500.0"),
    "expm1": ("-3.0, 3.0", "-0.01, 0.01"),
    "erf": ("-3.0, 3.0", "-0.1, 0.1"),
    "erfc": ("-3.0, 3.0", "0.0, 5.0"),
    "lgamma": ("0.1, 5.0", "-4.7, -0.3", "5.0, 400.0"),
    "digamma": ("0.1, 5.0", "-4.7, -0.3", "5.0, 400.0"),
    "bessel_i0e": ("-8.0, 8.0", "8.0, 100.0"),
    "bessel_i1e": ("-8.0, 8.0", "8.0, 100.0"),
}
BINARY = {
    "polygamma": "(jnp.array([0.0, 1.0, 2.0, 5.0])[:, None], F)",
    "zeta": "(jnp.array([1.5, 2.0, 3.0, 7.5])[:, None], F)",
    "igamma": "(jnp.array([0.3, 1.0, 2.5, 9.0])[:, None], F)",
    "igammac": "(jnp.array([0.3, 1.0, 2.5, 9.0])[:, None], F)",
    "igamma_grad_a": "(jnp.array([0.3, 1.0, 2.5, 9.0])[:, None], F)",
    "random_gamma_grad": "(jnp.array([0.3, 1.0, 2.5, 9.0])[:, None], F)",
}
VALUES = (
    *(f"lax.{name}(spread({bounds}))"
      for name, domains in UNARY.items() for bounds in domains if bounds != "-4.7, -0.3"),
    *(f"with jax.enable_x64(True):\n    out = lax.{name}(spread({bounds}, 'float64'))\nout"
      for name, domains in UNARY.items() for bounds in domains),
    *(f"[lax.{name}(spread({domains[0]}, d)) for d in ('bfloat16', 'float16')]"
      for name, domains in UNARY.items()),
    *(f"lax.{name}(EDGES)" for name in UNARY),
    *(f"lax.{name}(0.5), lax.{name}(np.float32(0.5)), lax.{name}(jnp.zeros((0, 2)))"
      for name in UNARY),
    *(f"a, x = jnp.broadcast_arrays(*{args})\nlax.{name}(a, x)" for name, args in BINARY.items()),
    *(f"with jax.enable_x64(True):\n    a, x = jnp.broadcast_arrays(*{args})\n"
      f"    out = lax.{name}(a.astype('float64'), x.astype('float64'))\nout"
      for name, args in BINARY.items()),
    *(f"a, x = jnp.broadcast_arrays(*{args})\n"
      f"[lax.{name}(a.astype(d), x.astype(d)) for d in ('bfloat16', 'float16')]"
      for name, args in BINARY.items()),
    *(f"lax.{name}(*pairs(jnp.array([0.0, 1.0, -1.0, 2.0, 0.5, math.inf, math.nan])))"
      for name in BINARY),
    "lax.betainc(*jnp.broadcast_arrays(F, 2.0 * F[:, None], jnp.array(0.3)))",
    "lax.betainc(2.0, 3.0, 0.5), lax.betainc(*[jnp.float16(x) for x in (2, 3, 0.25)])",
    "with jax.enable_x64(True):\n    out = lax.betainc(*[x.astype('float64') for x in"
    " jnp.broadcast_arrays(F, 2.0 * F[:, None], jnp.array(0.3))])\nout",
    "x = jnp.array([0.0, 0.5, 1.0, -0.1, 1.1, math.nan])\n"
    "[lax.betainc(jnp.full(6, a), jnp.full(6, b), x) for a in (0.0, 1.0, math.inf, -1.0)"
    " for b in (0.0, 2.0, math.inf)]",
    "z = jnp.array([0.3 + 0.4j, 1e-4 - 2e-4j, -2 + 1j, 3 - 4j])\nlax.log1p(z), lax.expm1(z)",
)
JAXPRS = (
    *(f"show(lax.{name}, F), show(lax.{name}, 0.5), show(jax.vmap(lax.{name}), F),"
      f" show(jax.grad(lax.{name}), 0.5), show(jax.grad(jax.grad(lax.{name})), 0.5),"
      f" show(lambda x, t: jax.jvp(lax.{name}, (x,), (t,)), F, F)" for name in UNARY),
    *(f"show(lax.{name}, F, F), show(jax.vmap(lax.{name}), F, F),"
      f" show(jax.vmap(lax.{name}, (0, None)), F, 2.0)" for name in BINARY
      if name != "random_gamma_grad"),
    *(f"show(jax.grad(lax.{name}, {argnum}), 1.5, 0.5)"
      for name, argnum in (("polygamma", 1), ("igamma", 0), ("igamma", 1), ("igammac", 0),
                           ("igammac", 1))),
    "show(jax.grad(jax.grad(lax.igamma, 1), 1), 1.5, 0.5)",
    "show(lax.betainc, F, F, F), show(jax.grad(lax.betainc, 2), 1.5, 0.5, 0.3)",
    "show(jax.linearize(lax.log1p, F)[1], F), show(jax.linearize(lax.erf, F)[1], F)",
    "show(jax.vmap(lax.betainc, (0, None, 1)), F, F[0], jnp.ones(3)[None, :] / 2)",
)
DERIVATIVES = (
    *(f"jax.vmap(jax.grad(lax.{name}))(F / 2), jax.vmap(jax.grad(jax.grad(lax.{name})))(F / 2)"
      for name in UNARY),
    *(f"jax.grad(lax.{name})(0.5).weak_type, jax.grad(lax.{name})(np.float32(0.5)).weak_type"
      for name in UNARY),
    "jax.grad(lax.bessel_i1e)(0.0), jax.grad(lax.bessel_i0e)(0.0), jax.grad(lax.log1p)(-1.0)",
    "[jax.vmap(jax.grad(f, (0, 1)))(F, F / 2) for f in (lax.igamma, lax.igammac)]",
    "jax.vmap(jax.grad(lax.polygamma, 1), (None, 0))(1.0, F)",
    "jax.vmap(jax.grad(lax.betainc, 2), (None, None, 0))(1.5, 2.5, F / 4)",
    "jax.jit(jax.grad(lambda x: lax.igamma(F, x * F).sum()))(0.7)",
    "jax.hessian(lambda x: lax.lgamma(x).sum())(F)",
    "jax.jvp(lax.igamma, (2.0, 3.0), (1.0, 1.0))",
)
REFUSED = (
    *(f"[raised(lax.{name}, x) for x in (1, True, 'a', k, None)]" for name in UNARY),
    *(f"raised(lax.{name}, 1j)" for name in UNARY if name not in ("log1p", "expm1")),
    *(f"[raised(lax.{name}, *x) for x in ((1, 2), (1.0, 2), (1j, 1.0), ('a', 1.0), (F, F[:2]),"
      " (F, jnp.ones((1, 3))), (F, F.astype('float16')), (1.0,), (k, 1.0))]" for name in BINARY
      if name != "random_gamma_grad"),
    "[raised(lax.betainc, *x) for x in ((1, 2, 3), (1.0, 2.0), ('a', 1.0, 1.0), (F, F, F[:2]))]",
    "jax.grad(lax.polygamma)(1.0, 2.0)",
    "jax.grad(lax.betainc)(1.0, 2.0, 0.5)",
    "jax.grad(lax.betainc, 1)(1.0, 2.0, 0.5)",
    "jax.grad(lax.zeta)(2.0, 1.0)",
    "jax.grad(lax.igamma_grad_a)(2.0, 1.0)",
)

CASES = (*VALUES, *JAXPRS, *DERIVATIVES, *REFUSED)
