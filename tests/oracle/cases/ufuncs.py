"""Functions of numbers as objects: jnp.add.reduce and the other methods, and jnp.frompyfunc."""

SETUP = """\
F = jnp.array([0.5, -1.0, 3.0])
M = jnp.arange(12.0).reshape(3, 4) - 4
I = jnp.array([-1, 0, 6])
P = jnp.array([0, 0, 2])
B = F > 0
f = jnp.frompyfunc(lambda x, y: x * y + 1, 2, 1)
BINARY = ('add', 'multiply', 'subtract', 'maximum', 'minimum', 'logical_and', 'logical_or',
          'logical_xor', 'logaddexp', 'logaddexp2')
BITS = ('bitwise_and', 'bitwise_or', 'bitwise_xor')

def each(names, call):
    return [call(getattr(jnp, name)) for name in names]
"""

JAXPRS = [
    "jax.make_jaxpr(lambda x: jnp.add.reduce(x))(M), jax.make_jaxpr(lambda x: jnp.add.reduce(x, "
    "axis=None))(M), jax.make_jaxpr(lambda x: jnp.maximum.reduce(x, keepdims=True, initial=2))(M)",
    "jax.make_jaxpr(lambda x: jnp.bitwise_xor.reduce(x))(I), jax.make_jaxpr(lambda x: "
    "jnp.logical_xor.reduce(x))(F), jax.make_jaxpr(lambda x: jnp.logical_and.reduce(x))(B)",
    "jax.make_jaxpr(lambda x: jnp.bitwise_and.reduce(x, axis=0, keepdims=True, initial=2, "
    "where=x>0))(I)",
    "jax.make_jaxpr(lambda x: jnp.logaddexp.reduce(x))(F)",
    "jax.make_jaxpr(lambda x: jnp.logaddexp2.reduce(x))(F)",
    "jax.make_jaxpr(lambda x: jnp.subtract.reduce(x))(F)",
    "jax.make_jaxpr(lambda x: jnp.subtract.reduce(x, axis=None, keepdims=True))(M)",
    "jax.make_jaxpr(lambda x: jnp.add.accumulate(x))(M), jax.make_jaxpr(lambda x: "
    "jnp.multiply.accumulate(x, axis=1))(M)",
    "jax.make_jaxpr(lambda x: jnp.maximum.accumulate(x))(F)",
    "jax.make_jaxpr(lambda x, i: jnp.add.at(x, i, 1., inplace=False))(F, P)",
    "jax.make_jaxpr(lambda x, i: jnp.multiply.at(x, i, 1., inplace=False))(F, P)",
    "jax.make_jaxpr(lambda x, i: jnp.subtract.at(x, i, 1., inplace=False))(F, P)",
    "jax.make_jaxpr(lambda x, i: jnp.maximum.at(x, i, 1., inplace=False))(F, P)",
    "jax.make_jaxpr(lambda x, i: jnp.negative.at(x, i, inplace=False))(F, P)",
    "jax.make_jaxpr(lambda x: jnp.add.outer(x, x))(F)",
    "jax.make_jaxpr(lambda x: f(x, x))(F), jax.make_jaxpr(lambda x: f.reduce(x))(F)",
    "jax.make_jaxpr(lambda x: f.accumulate(x))(F)",
    "jax.make_jaxpr(jnp.add)(F, F), jax.make_jaxpr(jax.jit(jnp.add))(F, F)",
]

VALUES = [
    "[(repr(u), u.nin, u.nout, u.nargs, u.identity) for u in each(BINARY + BITS + ('negative',), "
    "lambda u: u)], isinstance(jnp.add, jnp.ufunc), isinstance(jnp.sin, jnp.ufunc)",
    "each(BINARY, lambda u: u.reduce(F)), each(BINARY, lambda u: u.reduce(M, axis=1))",
    "each(BINARY + BITS, lambda u: u.reduce(I)), each(BINARY, lambda u: u.reduce(M, "
    "keepdims=True))",
    "each(BINARY[:2] + BINARY[3:], lambda u: u.reduce(M, axis=None))",
    "each(BINARY, lambda u: u.reduce(M, initial=1., where=M > 0))",
    "each(BITS, lambda u: u.reduce(I, initial=3, where=I > -1)), jnp.bitwise_and.reduce(I[:0])",
    "jnp.add.reduce(M, axis=(0, 1)), jnp.add.reduce(M, dtype=int), jnp.add.reduce(B), "
    "jnp.add.reduce(I.astype('int8')), jnp.multiply.reduce(B), jnp.add.reduce(M, -1), "
    "jnp.subtract.reduce(M, axis=None), jnp.subtract.reduce(2., axis=None)",
    "each(BINARY + BITS, lambda u: u.accumulate(I)), each(BINARY, lambda u: u.accumulate(M, 1))",
    "jnp.add.accumulate(B), jnp.add.accumulate(F, dtype=int), jnp.add.accumulate(M, axis=None), "
    "jnp.add.accumulate(F[:0]), jnp.subtract.accumulate(F[:0]), jnp.subtract.accumulate(F, "
    "dtype='float16')",
    "each(BINARY, lambda u: u.at(F, P, 2., inplace=False)), jnp.negative.at(F, P, inplace=False), "
    "jnp.negative.at(F, 1, inplace=False)",
    "jnp.add.at(M, (0, 1), 5., inplace=False), jnp.maximum.at(M, 0, 0., inplace=False), "
    "jnp.maximum.at(M, (P, P), 7., inplace=False), jnp.add.at(F, P, F, inplace=False), "
    "jnp.add.at(F, 9, 1., inplace=False), jnp.maximum.at(F, 9, 1., inplace=False)",
    "each(BINARY, lambda u: u.outer(F, I)), jnp.add.outer(M, F).shape, jnp.add.outer(1, 2)",
    "each(BINARY, lambda u: u.reduceat(F, jnp.array([0, 2, 1]))), jnp.add.reduceat(M, "
    "jnp.array([0, 2, 1]), axis=1), jnp.maximum.reduceat(I, P[1:]), jnp.add.reduceat(F, P[:0])",
    "f(F, M[:, :3]), f.reduce(F), f.accumulate(F), f.outer(F, F), f.at(F, P, 2., inplace=False), "
    "f.reduceat(F, P), f.reduce(M, axis=1), f.reduce(F, dtype=int), repr(f), f.identity",
    "jnp.frompyfunc(lambda x: (x, x + 1), 1, 2)(F), jnp.frompyfunc(lambda x, y: x + y, 2, 1, "
    "identity=0).reduce(F, where=F > 1), jnp.frompyfunc(np.sin, 1, 1), jnp.frompyfunc(lambda x, y: "
    "x + y, 2, 1, identity=0).reduce(F[:0]), jnp.ufunc(lambda x, y: x + y, 2, 1, name='q')",
    "jax.jit(jnp.add.reduce)(F), jax.vmap(jnp.add.reduce)(M), jax.grad(jnp.subtract.reduce)(F), "
    "jax.grad(lambda x: jnp.maximum.accumulate(x).sum())(F), jax.vmap(jnp.add)(F, F), "
    "jax.grad(jnp.multiply)(2., 3.), jax.grad(lambda x: f.reduce(x))(F)",
    "jnp.add.__name__, jnp.logical_and.__name__, jnp.frompyfunc(math.sin, 1, 1).__name__",
]

REFUSED = [
    "jnp.add(F)",
    "jnp.add(F, 1, 2)",
    "jnp.add(x=F, y=F)",
    "jnp.add.reduce(2.)",
    "jnp.add.reduce('a')",
    "jnp.add.reduce(F, where=F)",
    "jnp.add.reduce(F, initial=F)",
    "jnp.subtract.reduce(M, axis=(0, 1))",
    "jnp.subtract.reduce(F, where=F > 0)",
    "jnp.subtract.reduce(F[:0])",
    "jnp.subtract.reduce(M, axis=5)",
    "jnp.maximum.reduce(F[:0])",
    "jnp.maximum.reduce(F, where=F > 0)",
    "jnp.bitwise_and.reduce(F)",
    "jnp.negative.reduce(F)",
    "jnp.negative.accumulate(F)",
    "jnp.negative.outer(F, F)",
    "jnp.negative.reduceat(F, P)",
    "jnp.subtract.accumulate(2.)",
    "jnp.subtract.accumulate(M, axis=None)",
    "jnp.subtract.accumulate(M, axis=5)",
    "jnp.add.at(F, 0, 1.)",
    "jnp.add.at(F, 0, inplace=False)",
    "jnp.add.outer(F, [1])",
    "jnp.add.reduceat(F, F)",
    "jnp.add.reduceat(F, jnp.array([[0]]))",
    "jnp.add.reduceat(M, P, axis=None)",
    "jnp.add.reduceat(M, P, axis=5)",
    "jnp.add.reduceat(2., P)",
    "jnp.add.reduceat(M, P, out=M)",
    "jnp.frompyfunc(3, 1, 1)",
    "jnp.frompyfunc(np.sin, 1.5, 1)",
    "jnp.frompyfunc(lambda x: x, 1, 1).reduce(F)",
    "jnp.frompyfunc(lambda x, y: (x, y), 2, 2).reduce(F)",
    "jnp.frompyfunc(lambda x, y: (x, y), 2, 2).outer(F, F)",
    "jnp.frompyfunc(lambda x, y: x, 2, 1)(F)",
]

CASES = [*JAXPRS, *VALUES, *REFUSED]
