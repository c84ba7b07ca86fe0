"""scipy.special: values in every float dtype that JAX takes, derivatives, refusals.

Values at which JAX's functions lose digits, or have none, are left to tests/scipy/test_special.py,
which asks SciPy.
"""

SETUP = """\
S = jax.scipy.special
k = random.key(0)
P = jnp.array([0.1, 0.5, 0.9, 1.0, 1.5, 2.75, 4.0])
SIGNED = jnp.array([-3.5, -1.25, -0.3, 0.2, 0.7, 2.5, 6.0])
SHARES = jnp.array([0.01, 0.1, 0.3, 0.5, 0.77, 0.99])
EDGES = jnp.array([0.0, -0.0, 1.0, math.inf, -math.inf, math.nan])
"""
UNARY = {  # where each is tried
    "entr": "P", "expit": "SIGNED", "gammasgn": "SIGNED", "gamma": "P", "loggamma": "P",
    "factorial": "P", "exp1": "P", "expi": "SIGNED[3:]", "spence": "P", "dawsn": "SIGNED",
    "erfcx": "SIGNED", "ndtr": "SIGNED", "log_ndtr": "SIGNED", "ndtri": "SHARES", "i0": "SIGNED",
    "i1": "SIGNED", "i0e": "SIGNED", "i1e": "SIGNED",
}  # fmt: skip
BINARY = (
    "rel_entr", "kl_div", "boxcox", "boxcox1p", "beta", "betaln", "gammainc", "gammaincc", "poch",
    "owens_t",
)  # fmt: skip
SMOOTH = [name for name in UNARY if name not in ("gammasgn",)]
HALVES = ("entr", "expit", "gamma", "dawsn", "erfcx", "i0", "i1", "i0e", "i1e", "factorial")


def cases():
    for name, where in UNARY.items():
        yield f"S.{name}({where}), S.{name}(x={where}.reshape(-1, 1))" if name not in (
            "ndtri", "factorial") else f"S.{name}({where})"
        yield f"S.{name}(0.5), S.{name}(np.float32(0.5)), S.{name}(jnp.zeros((0, 2)))"
        yield f"raised(S.{name}, k)"
    for name in SMOOTH:
        yield f"jax.vmap(jax.grad(S.{name}))({UNARY[name]}[[1, 2, 4]])"
        if name not in ("exp1", "expi", "log_ndtr"):
            yield f"jax.grad(S.{name})(0.25).weak_type"
    for name in HALVES:
        yield f"[S.{name}({UNARY[name]}.astype(d)) for d in ('bfloat16', 'float16')]"
    for name in BINARY:
        yield f"S.{name}(P[:, None], P[:5])"
        yield f"S.{name}(0.5, 1.5).weak_type, S.{name}(2, jnp.float32(1.5)), S.{name}(P, 2)"
        yield f"jax.grad(S.{name}, (0, 1))(1.5, 0.75)"
        yield f"raised(S.{name}, P, P[:3]), raised(S.{name}, k, P)"
    for name in ("beta", "entr", "rel_entr", "kl_div", "exp1", "expi", "dawsn", "gammasgn", "sici"):
        args = "1j, 1.0" if name in BINARY else "1j"
        yield f"raised(S.{name}, {args})"
    for name in ("ndtr", "ndtri", "log_ndtr", "spence"):
        yield f"[raised(S.{name}, x) for x in (1, jnp.float16(0.5), 1j)]"
    for name in ("gamma", "loggamma", "gammasgn", "entr", "dawsn", "erfcx", "ndtri", "i0e"):
        yield f"S.{name}({'EDGES' if name not in ('entr', 'loggamma') else 'EDGES[2:3]'})"


CASES = [
    *cases(),
    "S.sici(SIGNED), S.fresnel(SIGNED), S.sici(jnp.arange(1, 3)), S.fresnel(0.5)[0].weak_type",
    "jax.vmap(jax.grad(lambda x: S.sici(x)[1]))(P),"
    " jax.vmap(jax.grad(lambda x: S.fresnel(x)[0]))(P)",
    "S.factorial(jnp.array([3, 0, -1])), raised(S.factorial, 3, True)",
    "S.comb(5, 2), S.comb(5, jnp.arange(7)), S.comb(5, 2, repetition=True), S.comb(5, -2)",
    "S.comb(5.5, 2.0), S.comb(-5, 2)",
    "S.bernoulli(1), S.bernoulli(3), raised(S.bernoulli, -1), raised(S.bernoulli, 3.0)",
    "raised(jax.jit(S.bernoulli), 3)",
    "S.bessel_jn(jnp.array([0.5, 1.5]), v=2, n_iter=10), raised(S.bessel_jn, P, v=1.5)",
    "S.polygamma(1, 2.0), S.polygamma(jnp.arange(3), P[4:]), raised(S.polygamma, 1.5, 2.0)",
    "jax.grad(lambda x: S.polygamma(1, x))(2.0)",
    "S.zeta(2.0, 1.5), S.zeta(P[4:], 2), raised(S.zeta, 2.0)",
    "jax.grad(S.zeta, (0, 1))(2.0, 1.0), jax.grad(S.zeta, (0, 1))(3.5, 2.5)",
    "S.multigammaln(3.0, 2), S.multigammaln(P + 2, 3), S.multigammaln(3.0, 0)",
    "raised(jax.jit(S.multigammaln), 3.0, 2), raised(S.multigammaln, P, jnp.array([1, 2]))",
    "S.poch(P, 2.0), S.poch(1.5, P)",
    "S.betainc(2.0, 3.0, SHARES), S.betainc(1, 2, 0.5)",
    "S.gamma(jnp.array([0.5 + 1j, -1.5 - 2j])), S.loggamma(jnp.array([0.5 + 1j, 3 - 2j]))",
    "S.expn(jnp.array([0, 1, 2, 3, 20]), 1.5), S.expn(1, P), S.expn(2, P), S.expn(3,"
    " 0.5).weak_type",
    "jax.grad(S.expn, 1)(2, jnp.float32(0.5)), jax.grad(S.expn, 0)(2.0, 0.5)",
    "S.hyp1f1(1.5, 2.5, SIGNED), jax.grad(S.hyp1f1, (0, 1, 2))(1.5, 2.5, 0.5), raised(S.hyp1f1,"
    " 1, 2, 1j)",
    "S.hyp2f1(1.5, 2.5, 3.25, jnp.array([-0.5, 0.0, 0.3, 0.8]))",
    "jax.grad(S.hyp2f1, (0, 1, 2, 3))(1.5, 2.5, 3.25, 0.5), raised(S.hyp2f1, 1, 2, 3, 1j)",
    "S.wofz(jnp.array([1 + 1j, -1 - 1j, 2.0 + 0j, 3j])), S.wofz(1.0), S.wofz(jnp.arange(3))",
    "jax.grad(S.wofz, holomorphic=True)(1.0 + 1j), S.erfcx(jnp.array([0.5 + 1j]))",
    "n, m = jnp.array([3, 2, 1]), jnp.array([1, -2, 0])\n"
    "S.sph_harm_y(n, m, SHARES[:3], SHARES[3:]), S.sph_harm_y(n, m, SHARES[:3], SHARES[3:],"
    " n_max=4)",
    "n, m = jnp.array([3, 2, 1]), jnp.array([1, -2, 0])\n"
    "jax.jit(lambda n: S.sph_harm_y(n, m, SHARES[:3], SHARES[3:], n_max=4))(n),"
    " raised(jax.jit(S.sph_harm_y), n, m, SHARES[:3], SHARES[3:]),"
    " raised(S.sph_harm_y, n, m, SHARES[:3], SHARES[3:], 1)",
    "S.softmax(SIGNED), S.softmax(SIGNED[:6].reshape(2, 3)), S.softmax(SIGNED[:6].reshape(2, 3),"
    " axis=0)",
    "S.log_softmax(SIGNED), S.softmax(jnp.arange(3)), S.softmax(SIGNED.astype('bfloat16'))",
    "[raised(S.softmax, x) for x in ([1.0], 'a')], raised(S.softmax, SIGNED, axis=5)",
    "[raised(S.log_ndtr, 1.0, n) for n in (31, -1, 1.5)], S.log_ndtr(SIGNED, 5)",
]
