"""Which exception class each mistake raises, with its bases; and that all is clean after it."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))

def bases(error):
    return [c.__name__ for c in error.__mro__ if not c.__name__.startswith('_')]
"""
CONCRETE = {
    "bool": "1 if x[0] > 0 else 2",
    "if": "x[0] if x[0] else x[1]",
    "while": "[0 for _ in iter(lambda: bool(x[0] > 0), False)]",
    "and": "x[0] > 0 and x[1] > 0",
    "not": "not x[0]",
    "float": "float(x[0])",
    "int": "int(x[0])",
    "complex": "complex(x[0])",
    "round": "math.floor(x[0])",
    "numpy": "np.sin(x)",
    "asarray": "np.asarray(x)",
    "np.add": "np.ones(3) + np.asarray(x)",
    "index": "[1, 2, 3][x[0].astype(int)]",
    "range": "range(x[0].astype(int))",
    "operator.index": "operator.index(x[0].astype(int))",
    "item": "x[0].item()",
    "tolist": "x.tolist()",
    "format": "f'{x[0]:.2f}'",
    "slice": "x[: x[0].astype(int)]",
    "zeros": "jnp.zeros(x[0].astype(int))",
    "arange": "jnp.arange(x[0])",
    "linspace": "jnp.linspace(0, 1, x[0])",
    "reshape": "jnp.ones(4).reshape(x[0].astype(int), 2)",
    "eye": "jnp.eye(x[0].astype(int))",
    "max": "max(x[0], x[1])",
    "in": "1.0 in x",
    "hash": "hash(x)",
    "dict": "{x: 1}",
    "assert": "bool((x == x).all())",
    "vector": "bool(x)",
    "axis": "jnp.ones((2, 3)).sum(x[0].astype(int))",
    "setitem": "x.__setitem__(0, 1.0)",
    "math": "math.sin(x[0])",
    "numpy ufunc": "np.add(x, 1)",
    "numpy function": "np.concatenate([x, x])",
}
ENTRIES = {
    "jax.jit(f)(F)": CONCRETE,
    "jax.make_jaxpr(f)(F)": ("if", "float", "asarray"),
    "jax.vmap(f)(M)": ("if", "float", "int", "numpy", "index", "asarray", "item", "max"),
    "jax.eval_shape(f, F)": ("if", "tolist"),
    "jax.grad(jax.jit(f))(F)": ("if", "float", "asarray"),
    "jax.jit(jax.grad(f))(F)": ("if", "float", "asarray"),
    "jax.vmap(jax.grad(f))(M)": ("if", "float", "asarray"),
    "jax.jit(jax.vmap(f))(M)": ("if", "int", "numpy"),
    "jax.grad(lambda x: jax.vmap(f)(x).sum())(M)": ("if", "numpy"),
    "jax.grad(f)(F)": ("numpy", "asarray", "item", "tolist", "setitem", "hash"),
    "jax.jvp(f, (F,), (F,))": ("numpy", "asarray", "item", "hash"),
    "jax.linearize(f, F)": ("asarray",),
}
MISUSE = (
    # grad and its family.
    "jax.grad(lambda x: x)(F)",
    "jax.grad(lambda x: x * 2)(3)",
    "jax.grad(lambda x: 1)(3.0)",
    "jax.grad(lambda x: x > 1)(3.0)",
    "jax.grad(lambda x: (x, x))(3.0)",
    "jax.grad(lambda x: None)(3.0)",
    "jax.grad(lambda x: 'text')(3.0)",
    "jax.grad(lambda x: x)('text')",
    "jax.grad(lambda x: x)(True)",
    "jax.grad(lambda x: x * 1j)(3.0)",
    "jax.grad(lambda x: x)(1j)",
    "jax.grad(lambda x, y: x * y, argnums=2)(1.0, 2.0)",
    "jax.grad(lambda x, y: x * y, argnums=(0, 5))(1.0, 2.0)",
    "jax.grad(lambda x, y: x * y, argnums='x')(1.0, 2.0)",
    "jax.grad(lambda x: x, has_aux=True)(3.0)",
    "jax.grad(lambda x: x)()",
    "jax.grad(3)",
    "jax.grad(lambda x: x, holomorphic=True)(3.0)",
    "jax.value_and_grad(lambda x: x)(F)",
    "jax.value_and_grad(lambda x: x * 2)(3)",
    "jax.jacfwd(lambda x: x * 2)(3)",
    "jax.jacrev(lambda x: x * 2)(3)",
    "jax.jacrev(lambda x: x > 1)(3.0)",
    "jax.hessian(lambda x: x * 2)(3)",
    # jvp, linearize, vjp.
    "jax.jvp(lambda x: x, 1.0, 1.0)",
    "jax.jvp(lambda x: x, (1.0,), [1.0])",
    "jax.jvp(lambda x: x, (1.0,), (1.0, 2.0))",
    "jax.jvp(lambda x: x, (1.0,), (1,))",
    "jax.jvp(lambda x: x, (1,), (1,))",
    "jax.jvp(lambda x: x, (F,), (1.0,))",
    "jax.jvp(lambda x: x, (F,), (M,))",
    "jax.jvp(lambda x: x, (F,), (F.astype('float16'),))",
    "jax.jvp(lambda x: x['a'], ({'a': 1.0},), ({'b': 1.0},))",
    "jax.jvp(lambda x: 'text', (1.0,), (1.0,))",
    "jax.jvp(lambda x: x, ('text',), ('text',))",
    "jax.jvp(3, (1.0,), (1.0,))",
    "jax.linearize(lambda x: x, F)[1](M)",
    "jax.linearize(lambda x: x, F)[1](1)",
    "jax.linearize(lambda x: x, F)[1](F, F)",
    "jax.linearize(lambda x: x, {'a': F})[1](F)",
    "jax.linearize(lambda x: x, 'text')",
    "jax.vjp(lambda x: x, F)[1](M)",
    "jax.vjp(lambda x: x, F)[1](1.0)",
    "jax.vjp(lambda x: x, F)[1](F.astype('int32'))",
    "jax.vjp(lambda x: x, F)[1](F, F)",
    "jax.vjp(lambda x: (x, x), F)[1](F)",
    "jax.vjp(lambda x: x, F, has_aux=True)",
    # vmap.
    "jax.vmap(lambda x: x)(1.0)",
    "jax.vmap(lambda x: x)('text')",
    "jax.vmap(lambda x: x)()",
    "jax.vmap(lambda x, y: x)(F, jnp.ones(4))",
    "jax.vmap(lambda d: d['a'])({'a': F, 'b': jnp.ones(4)})",
    "jax.vmap(lambda x: x, in_axes=1)(F)",
    "jax.vmap(lambda x: x, in_axes=-2)(F)",
    "jax.vmap(lambda x: x, in_axes=None)(F)",
    "jax.vmap(lambda x, y: x, in_axes=(0,))(F, F)",
    "jax.vmap(lambda x: x, in_axes=('a',))(F)",
    "jax.vmap(lambda x: x, in_axes='a')(F)",
    "jax.vmap(lambda x: x, in_axes=1.0)(F)",
    "jax.vmap(lambda x: x, in_axes=({'b': 0},))({'a': F})",
    "jax.vmap(lambda x: x, out_axes=1)(F)",
    "jax.vmap(lambda x: x, out_axes=None)(F)",
    "jax.vmap(lambda x: x, out_axes=(0, 0))(F)",
    "jax.vmap(lambda x: x, out_axes='a')(F)",
    "jax.vmap(lambda x: 'text')(F)",
    "jax.vmap(lambda x: x, axis_size=4)(F)",
    "jax.vmap(lambda x: x, in_axes=None, axis_size=4)(F)",
    "jax.vmap(3)",
    # jit.
    "jax.jit('text')",
    "jax.jit(lambda x: x)('text')",
    "jax.jit(lambda x: x)(object())",
    "jax.jit(lambda x: 'text')(1.0)",
    "jax.jit(lambda x: x, static_argnums=0)([1])",
    "jax.jit(lambda x: x, static_argnums=0)(F)",
    "jax.jit(lambda x: x, static_argnums=3)(1)",
    "jax.jit(lambda x: x, static_argnums='x')",
    "jax.jit(lambda x: x, static_argnames='y')(1)",
    "jax.jit(lambda x: x, static_argnames=3)",
    "jax.jit(lambda x: x)()",
    "jax.jit(lambda x: x)(1, 2)",
    "jax.jit(lambda x: x)(y=1)",
    "jax.jit(lambda x: x, donate_argnums=3)(1.0)",
    "jax.jit(lambda x: x, nonsense=3)",
    # Leaks.
    "leak = []\njax.jit(lambda x: leak.append(x))(1.0)\nleak[0] + 1",
    "leak = []\njax.jit(lambda x: leak.append(x))(1.0)\njnp.sin(leak[0])",
    "leak = []\njax.vmap(lambda x: leak.append(x))(F)\njax.jit(lambda y: y + leak[0])(1.0)",
    "leak = []\njax.jit(lambda x: leak.append(x))(1.0)\njax.jit(lambda y: y + leak[0])(1.0)",
    "leak = []\njax.make_jaxpr(lambda x: leak.append(x))(1.0)\nleak[0] * 2",
    "leak = []\njax.grad(lambda x: (leak.append(x), x)[1])(1.0)\nleak[0] * 2",
    "leak = []\njax.jit(lambda x: leak.append(x * 2))(1.0)\njnp.asarray(leak[0])",
    "leak = []\njax.jit(jax.grad(lambda x: (leak.append(x * 2), x)[1]))(1.0)\nleak[0] + 1",
    # A user's own exception passes through.
    "def f(x):\n    raise KeyError('mine')\njax.jit(f)(1.0)",
    "def f(x):\n    raise KeyError('mine')\njax.grad(f)(1.0)",
    "def f(x):\n    raise KeyError('mine')\njax.vmap(f)(F)",
    "def f(x):\n    raise KeyError('mine')\njax.jvp(jax.jit(f), (1.0,), (1.0,))",
)
CLEAN = (
    "raised(jax.jit(lambda x: 1 if x else 2), 1.0), jnp.sin(0.0), jax.jit(lambda x: x + 1)(1)",
    "def f(x):\n    raise KeyError\nraised(jax.grad(jax.jit(f)), 1.0), jnp.add(1, 1),"
    " jax.grad(jnp.sin)(0.0)",
    "def f(x):\n    raised(jax.jit(lambda y: bool(y)), x)\n    return x * 2\n"
    "jax.grad(f)(1.0), jax.make_jaxpr(f)(1.0)",
    "def f(x):\n    raised(jax.vmap(lambda y: bool(y)), F)\n    return x * 2\n"
    "jax.jit(f)(1.0), jax.make_jaxpr(f)(1.0)",
)
CLASSES = (
    "TracerBoolConversionError",
    "ConcretizationTypeError",
    "TracerArrayConversionError",
    "TracerIntegerConversionError",
    "UnexpectedTracerError",
    "NonConcreteBooleanIndexError",
    "JAXTypeError",
    "JAXIndexError",
)

# A user's primitive, and linear_transpose, with and without checks: what works, what is refused.
PRIMITIVE = """\
interpreters = __import__(f'{jax.__name__}.interpreters', fromlist=['ad', 'batching'])
p = __import__(f'{jax.__name__}.extend.core', fromlist=['']).Primitive('p')
A = jax.core.ShapedArray
with jax.enable_checks(CHECKS):
    out = ("""
RULES = (
    "p.def_impl(lambda x: x * 2), p.bind(1.0), p.bind(F)",
    "p.def_impl(lambda x: x * 2), interpreters.ad.primitive_jvps.update({p: lambda xs, ts:"
    " (p.bind(*xs), 3 * ts[0])}), jax.jvp(p.bind, (F,), (F,)), jax.grad(p.bind)(1.0)",
    "p.def_impl(lambda x: x * 2), interpreters.batching.primitive_batchers.__setitem__(p,"
    " lambda xs, ds: (p.bind(*xs), ds[0])), jax.vmap(p.bind)(F)",
    "jax.make_jaxpr(p.bind)(1.0)",
    *(f"p.def_abstract_eval(lambda x: {types}), jax.make_jaxpr(p.bind)(F)" for types in (
        "x", "A(x.shape, x.dtype)", "(x, x)", "[x]", "3", "None", "jnp.ones(3)",
        "jax.ShapeDtypeStruct((), 'float32')",
    )),
    *(f"setattr(p, 'multiple_results', True), p.def_abstract_eval(lambda x: {types}),"
      " jax.make_jaxpr(p.bind)(F)" for types in ("x", "(x, x)", "[x, x]", "(x, 3)", "()")),
    *(f"p.def_effectful_abstract_eval(lambda x: {types}), jax.make_jaxpr(p.bind)(F)" for types in (
        "(x, set())", "(x, frozenset())", "((x, x), set())", "(3, set())", "x",
    )),
    "p.def_abstract_eval(lambda x: x), p.bind(F)",
    *(f"jax.linear_transpose(lambda x: {fun}, {x})({ct})" for fun, x, ct in (
        ("2 * x", "1", "2"), ("2 * x", "jnp.arange(3)", "jnp.arange(3)"), ("x", "1", "2"),
        ("x + x[::-1]", "jnp.arange(3)", "jnp.arange(3)"), ("x.sum()", "jnp.arange(3)", "1"),
        ("jnp.where(F > 1, x, 0)", "jnp.arange(3)", "jnp.arange(3)"),
        ("jax.jit(lambda x: 3 * x)(x)", "jnp.arange(3)", "jnp.arange(3)"),
        ("2 * x", "1.0", "2.0"), ("2 * x", "F", "1.0"), ("x.astype(int)", "F", "F"),
    )),
)  # fmt: skip


def cases():
    for entry, mistakes in ENTRIES.items():
        for mistake in mistakes:
            yield f"f = lambda x: ({CONCRETE[mistake]})\n{entry}"


PRIMITIVES = tuple(
    PRIMITIVE.replace("CHECKS", str(checks)) + rule + ",)[-1]\nout"
    for rule in RULES for checks in (True, False)
)  # fmt: skip
CASES = [*cases(), *MISUSE, *PRIMITIVES, *CLEAN, *(f"bases(jax.errors.{name})" for name in CLASSES)]
