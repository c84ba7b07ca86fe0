"""NumPy's `out`, `where` and `order`, where a function takes them and where it doesn't."""

SETUP = """\
F, I, B, M = jnp.arange(1.0, 4.0), jnp.arange(3), jnp.arange(3) > 0, jnp.ones((2, 3))
U = jnp.frompyfunc(lambda x, y: x + y, 2, 1)

def refused(f, *args):
    return [raised(lambda: f(*args, **{name: x})) for name in ('out', 'where') for x in (B, None)]
"""
BINARY = """add subtract multiply maximum minimum bitwise_and bitwise_or bitwise_xor logical_and
logical_or logical_xor divide mod power equal less arctan2 hypot left_shift""".split()
UNARY = """negative bitwise_not invert logical_not sin exp sqrt abs square sign floor cumsum cumprod
ptp argmax argmin nanargmax nanmean nansum median std var trace round nanstd any all amax
""".split()
CASES = (
    *(f"refused(jnp.{name}, I, I)" for name in BINARY),
    *(f"refused(jnp.{name}, M)" for name in UNARY if name not in ("bitwise_not", "invert")),
    "refused(jnp.bitwise_not, I), refused(jnp.invert, B)",
    "refused(jnp.stack, [F, F]), refused(jnp.outer, F, F), refused(jnp.concatenate, [F, F])",
    "refused(jnp.take, F, I), refused(jnp.choose, I, [F, F, F]), refused(jnp.compress, B, F)",
    "refused(jnp.dot, F, F), refused(jnp.einsum, 'i->', F), refused(jnp.isneginf, F)",
    "refused(U, F, F), U(F, 1.0, out=None, where=None)",
    "jnp.add(F, 1.0, out=None), jnp.negative(F, where=None)",
    "raised(lambda: jnp.add(F, F, F)), raised(lambda: jnp.add(F, F, other=1))",
    "jnp.stack([F, F], 0, None, 'int32'), jnp.outer(F, F, None)",
    "[raised(lambda: jnp.copy(F, order=x)) for x in ('K', None, 'C')], jnp.copy(F, 'K')",
    "[raised(lambda: f(M, (3, 2), order=x)) for x in 'CFAKx' for f in (jnp.reshape,)]",
    "[raised(lambda: jnp.ravel(M, order=x)) for x in 'CFAKx']",
)
