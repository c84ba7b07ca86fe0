"""References: values, what programs with them look like, and what is refused."""

SETUP = """\
import importlib
ref = importlib.import_module(jax.__name__ + '.ref')
F = jnp.arange(1.0, 4.0)
M = jnp.arange(12.0).reshape(3, 4)
I = jnp.array([2, 0])
new = jax.new_ref

def show(f, *args):
    return str(jax.make_jaxpr(f)(*args))

def put(r, i, x):
    r[i] = x

def at(i, x=M):
    return show(lambda r: r[i], new(x)), new(x)[i]

def after(f, x=F):
    '''What f returns, and what it leaves in a reference: outside of programs, and under jit.'''
    r, q = new(x), new(x)
    return f(r), r[...], jax.jit(f)(q), q[...]

def inside(f, x=F):
    '''A function of what a reference begins with, which returns what is in it at the end.'''
    def pure(x):
        r = new(x)
        f(r)
        return r[...]
    return pure

def count(r):
    r[...] = r[...] + 1.0
    return r[0]

def steps(r):
    def step(c, i):
        r[i] = jnp.sin(r[i]) * c
        return c + r[i], i
    return lax.scan(step, 1.0, jnp.arange(3))

def doubled(r):
    lax.fori_loop(0, 3, lambda i, c: (put(r, i, 2.0 * r[i]), c)[1], 0)

def until(r):
    return lax.while_loop(lambda i: r[0] < 9.0, lambda i: (put(r, 0, r[0] * 2.0), i + 1)[1], 0)

def chosen(r):
    return lax.cond(r[0] > 0.0, lambda: (put(r, 1, 7.0), r[1])[1], lambda: 2.0)

def by_hand(r):
    ref.addupdate(r, slice(0, 2), r[1:] * r[0])
    return ref.swap(r, 0, r[1] * r[2])

ALL = (count, steps, doubled, until, chosen, by_hand)
"""
INDICES = (
    "0", "-1", "(1, 2)", "(1, slice(1, 3))", "slice(1, None)", "(slice(None), 1)",
    "...", "(..., 1)", "()", "I", "(slice(None), I)",
    "(I, I)", "slice(1, 1)", "np.int64(1)", "np.array([0, 2])",
)  # fmt: skip
SHOWN = (
    "str([new(F), new(1.5), new(M), new(jnp.arange(3, dtype='int8')), new(True)])",
    "new(F).shape, new(F).dtype, new(F).ndim, new(F).size, str(new(F).aval), len(new(F))",
    "str(jax.typeof(new(1))), isinstance(new(F), jax.Ref), isinstance(new(F), jax.Array)",
    "jax.Ref is ref.Ref, sorted(ref.__all__)",
    "show(lambda r: (isinstance(r, jax.Array), isinstance(r, jax.Ref), 1)[2], new(F))",
    "jax.freeze(new(F)), ref.get(new(F)), ref.get(new(F), 1)",
    "show(lambda x: jax.freeze(new(x)), F), show(lambda x: jax.free_ref(new(x)), F)",
    "show(lambda: jax.empty_ref(jax.ShapeDtypeStruct((2,), 'float32'))[...])",
    "show(lambda r: r[0][None], new(M)), show(lambda r, i: r[i], new(M), 1)",
    "show(lambda r: r.at[0:2][1], new(M)), show(lambda r: r.at[0:2].at[1][...], new(M))",
    "show(lambda r, x: put(r.at[0:2], ..., x), new(F), F[:2])",
    "show(lambda r, x: ref.swap(r, 0, x), new(F), 1.0), show(lambda r: put(r, 0, 1.0), new(F))",
    "show(lambda r: ref.addupdate(r, ..., F), new(F)), show(lambda r: ref.addupdate(r, 0, 1.),"
    " new(F))",
    "[show(f, new(F)) for f in ALL]",
    "[show(inside(f), F) for f in (count, doubled, until, chosen, by_hand)]",
    "[show(jax.jit(inside(f)), F) for f in (count, by_hand)]",
    "show(lambda: (put(r := new(F), 0, 1.0), r[...])[1])",
    "show(lambda x: put(R, ..., x), F) if (R := new(F)) is not None else 0",
)  # fmt: skip
VALUES = (
    *(f"after({name})" for name in ("count", "steps", "doubled", "chosen", "by_hand")),
    "new(M)[::2, 1:3], new(M)[I[:, None], I], (r := new(M), put(r, (I[:, None], I), M[:2, :2]),"
    " r[...])[-1]",
    "(r := new(F), put(r, 0, 5.0), put(r, slice(1, 3), F[:2]), r[...])[-1]",
    "(r := new(M), put(r, I, M[:2]), r[...])[-1], (r := new(M), put(r, (I, I), F[:2]), r[...])[-1]",
    "(r := new(F), ref.addupdate(r, jnp.array([1, 1]), F[:2]), r[...])[-1]",
    "(r := new(F), ref.swap(r, None, 2 * F), r[...])[1:]",
    "new(F)[jnp.array([0, 7, -1, -9])], jax.jit(lambda i: new(F)[i])(7),"
    " jax.jit(lambda i: new(F)[i])(-2)",
    "after(lambda r: put(r, jnp.array([1, 7]), F[:2])), after(lambda r: put(r, slice(0, 3, 2),"
    " F[:2]))",
    "(R := new(0.0), f := jax.jit(lambda x: (put(R, ..., R[...] + x), R[...])[1]), f(1.0), f(2.0),"
    " R[...])[2:]",
    "(r := new(0), lax.scan(lambda c, x: (c, put(r, ..., r[...] + x)), None, jnp.arange(5)),"
    " r[...])[-1]",
    "jax.jit(lambda r: jax.jit(lambda q, x: put(q, 0, x))(r, 2.0))(r := new(F)), r[...]",
    "lax.scan(lambda c, r: (c + r[...], None), 0.0, new(F)), lax.map(lambda i: r[i], I) if (r"
    " := new(F)) is not None else 0",
    "[jax.eval_shape(inside(f), F) for f in ALL], jax.eval_shape(lambda r: r[0], new(M))",
    "str(jax.tree.leaves({'a': new(F)})), str(jax.block_until_ready(new(F)))",
    "jax.jit(lambda *, r: r[0])(r=new(F)), jax.jit(lambda d: d['a'][0] + d['b'])({'a': new(F),"
    " 'b': 1.0})",
)  # fmt: skip
DERIVATIVES = (
    *(f"jax.grad(lambda x: inside({name})(x).sum())(F), jax.jvp(inside({name}), (F,), (F,))"
      for name in ("count", "steps", "doubled", "by_hand")),
    "jax.jvp(inside(chosen), (F,), (F,))",
    *(f"show(jax.grad(lambda x: inside({name})(x).sum()), F)" for name in ("count", "by_hand")),
    "show(lambda x: jax.jvp(inside(by_hand), (x,), (x,)), F)",
    "show(jax.grad(lambda x: inside(lambda r: put(r, ..., r[...] * x))(x)), 2.0)",
    "show(jax.grad(jax.jit(lambda x: inside(lambda r: put(r, ..., r[...] * x))(x))), 2.0)",
    "[jax.jacrev(inside(f))(F) for f in (steps, by_hand)]",
    "jax.linearize(inside(steps), F)[1](F), jax.linear_transpose(inside(doubled), F)(F)",
    "(q := new(F), jax.grad(lambda x, r: (put(r, 0, lax.stop_gradient(x)), x * r[0])[1])(2.0,"
    " q), q[...])[1:]",
    "jax.jvp(lambda r: (put(r, 0, r[0] * r[1]), r[0])[1], (r := new(F),), (t := new(F),)),"
    " r[...], t[...]",
    "str(jax.vjp(jnp.sin, F)[1].with_refs(r := new(F))(F)), r[...]",
    "str(jax.vjp(lambda x, y: x * y, 2.0, 3.0)[1].with_refs(jax.ad.GradValue(),"
    " jax.ad.DontWant())(1.0))",
    "str(jax.vjp(lambda d: d['a'] * d['b'], {'a': 2.0, 'b': 3.0})[1].with_refs("
    "{'a': (r := new(0.0)), 'b': jax.ad.GradValue()})(1.0)), r[...]",
    "show(lambda i: jax.vjp(lambda x: lax.dynamic_slice(x, (i,), (2,)),"
    " F)[1].with_refs(r)(F[:2]), 1)"
    " if (r := new(F)) is not None else 0",
    "str(jax.ad.GradRef()), jax.ad.DidntWant() == jax.ad.DidntWant(),"
    " jax.tree.leaves(jax.ad.GradRef())",
    "jax.grad(jax.checkpoint(lambda x: jnp.sin(inside(steps)(jnp.sin(x))).sum()))(F)",
    "(g := jax.custom_vjp(lambda r, x: x), g.defvjp(lambda r, x: (x, r), lambda r, ct: (put(r,"
    " ..., ct), (None, ct))[1]),"
    " r := new(0.0), jax.grad(lambda x: jnp.sin(g(r, x)))(1.0), jnp.round(r[...], 4))[3:]",
)  # fmt: skip
MAPPED = (
    *(f"jax.vmap(inside({name}))(M[:, :3])"
      for name in ("count", "steps", "doubled", "by_hand")),
    *(f"show(jax.vmap(inside({name})), M[:, :3])" for name in ("count", "by_hand")),
    "show(jax.vmap(lambda r, x: put(r, 0, x)), new(M), F), (r := new(M), jax.vmap(lambda r, x:"
    " put(r, 0, x))(r, F), r[...])[-1]",
    "(r := new(M), jax.vmap(lambda r, x: put(r, 1, x), (1, 0))(r, jnp.arange(4.0)), r[...])[-1]",
    "jax.vmap(lambda r, i: r[i], (None, 0))(new(M), I), jax.vmap(lambda r, i: r[i])(new(M),"
    " jnp.array([1, 0, 3]))",
    "jax.vmap(lambda r, i: r[i, 1:3], (None, 0))(new(M), I), jax.vmap(lambda r, i: r[:, i],"
    " (None, 0))(new(M), I)",
    "(r := new(M), jax.vmap(lambda r, i, x: ref.addupdate(r, i, x))(r, jnp.array([1, 0, 3]),"
    " F), r[...])[-1]",
    "(r := new(M), jax.vmap(lambda r, i: ref.swap(r, i, F[:2]))(r, jnp.array([[1, 0], [3, 2],"
    " [0, 1]])), r[...])[1:]",
    "(r := new(jnp.zeros((3, 3))), V := jnp.arange(6.0).reshape(3, 2), jax.vmap(jax.vmap(lambda"
    " x, y, o:"
    " put(o, ..., ((x - y) ** 2).sum()), (0, None, 0)), (None, 0, 0))(V, V, r), r[...])[-1]",
    "jax.vmap(lambda x: new(0.0).at[...][...] + x)(F), jax.vmap(lambda x: R[0] + x)(F) if (R :="
    " new(F)) is not None else 0",
    "jax.vmap(jax.grad(lambda x: inside(steps)(x).sum()))(M[:, :3])",
    "jax.vmap(lambda x: lax.cond(x > 2.0, inside(lambda r: put(r, ..., r[...] * 2.0)), lambda"
    " x: x, x))(F)",
)  # fmt: skip
# The class of the error alone counts.
REFUSED = (
    "r[5]", "r[-1, 0]", "r[::-1]", "r[..., ...]", "r['a']", "r[[0, 1]]", "put(r, ..., F[:2])",
    "put(r, ..., 1.0)", "put(r, ..., jnp.arange(3))", "put(r, 0, 7)", "put(r, 0, jnp.bfloat16(7))",
    "put(r, 0, 'a')", "ref.addupdate(r, ..., F[:2])", "ref.addupdate(r, ..., jnp.arange(3))",
    "ref.get(F, 0)", "ref.set(F, 0, 1.0)", "ref.swap(F, 0, 1.0)", "ref.addupdate(F, 0, 1.0)",
    "ref.get(3, 0)", "new('a')", "new(None)", "new([1, 2])", "new((1, 2))",
    "jax.new_ref(F, memory_space='hbm')", "jax.empty_ref(jax.ShapeDtypeStruct((3,), 'float32'))",
    "jnp.sin(r)", "r + 1", "F * r", "jnp.sum(r)", "bool(new(1.0))", "float(new(1.0))",
    "jax.jit(jnp.sin)(r)", "show(lambda r: lax.sin(r), r)", "show(lambda r: jnp.sum(r), r)",
    "jax.jit(lambda r: r)(r)", "jax.jit(lambda: r)()", "jax.jit(lambda x: new(x))(F)",
    "show(lambda r: r, r)", "jax.eval_shape(lambda r: r, r)", "jax.jit(lambda a, b: 1)(r, r)",
    "show(lambda a, b: 1, r, r)", "jax.jit(lambda d: 1)({'a': r, 'b': [r]})",
    "jax.jit(lambda a: a[0] + r[0])(r)", "show(lambda q: jax.jit(lambda a, b: 1)(q, q), r)",
    "show(lambda q: jax.jit(lambda a: a[0] + q[0])(q), r)", "lax.scan(lambda c, x: (c, r), 0, F)",
    "lax.scan(lambda c, x: (c, x), r, F)", "lax.scan(lambda c, x: (c, new(x)), 0, F)",
    "lax.while_loop(lambda c: True, lambda c: c, r)", "lax.fori_loop(0, 3, lambda i, c: c, r)",
    "lax.cond(True, lambda: r, lambda: r)", "lax.cond(True, lambda q, p: 1, lambda q, p: 2, r, r)",
    "lax.cond(True, lambda q: q[0] + r[0], lambda q: q[1], r)",
    "jax.vmap(lambda x: put(r, 0, x))(F)", "jax.vmap(lambda x: put(r, 0, 1.0))(F)",
    "jax.vmap(lambda x: ref.addupdate(r, 0, x))(F)",
    "jax.vmap(lambda r, x: put(r, 0, x), (None, 0))(r, F)",
    "jax.vmap(lambda x: lax.cond(x > 0, count, lambda r: 1.0, r))(F)",
    "jax.grad(lambda x, r: (put(r, 0, x), x)[1])(1.0, r)",
    "jax.grad(lambda x: inside(until)(x).sum())(F)",
    "jax.vjp(jnp.sin, 1.0)[1].with_refs(r)(1.0)", "jax.vjp(jnp.sin, 1.0)[1].with_refs(new(1))(1.0)",
    "jax.vjp(jnp.sin, 1.0)[1].with_refs(new(1.0))()",
    "jax.vjp(jnp.sin, 1.0)[1].with_refs(new(1.0))(F)", "jnp.where(True, r, 1.0)",
    "jax.device_put(r)",
)  # fmt: skip

CASES = (
    *(f"at({index})" for index in INDICES), *SHOWN, *VALUES, *DERIVATIVES, *MAPPED,
    *(f"raised(lambda: {text}) if (r := new(F)) is not None else 0" for text in REFUSED),
)  # fmt: skip
