"""The stages of jit: traced, lowered, compiled. What they know, what they run, what they refuse."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
K = random.key(0)

def scaled(d, x, n=2):
    return {'out': d['w'].sum() * x * n, 'n': n}

TREE = {'w': M, 'unused': 1}
T = jax.jit(scaled, donate_argnums=1, static_argnames='n').trace(TREE, F, n=3)
L = T.lower()
C = L.compile()
ADD = jax.jit(lambda x, y: x + y).lower(F, 1.0).compile()
"""

KNOWN = [
    f"{stage}.{what}"
    for stage in ("T", "L", "C")
    for what in ("args_info", "donate_argnums", "in_avals", "in_tree", "out_tree")
] + ["T.out_avals", "T.out_info", "T.fun_name", "T.jaxpr", "L.out_info"]

CASES = KNOWN + [
    "import inspect\ninspect.signature(jax.jit(scaled), follow_wrapped=False)",
    "jax.tree.map(lambda s: (s.shape, s.dtype), C.out_info)",
    "a = L.args_info[0][1]\na.shape, a.dtype, a.donated, a",
    "[type(s).__name__ for s in (T, L, C)]",
    "T.jaxpr is jax.jit(scaled).trace(TREE, F).jaxpr",
    "isinstance(jax.jit(scaled), jax.stages.Wrapped), isinstance(scaled, jax.stages.Wrapped)",
    "[isinstance(x, getattr(jax.stages, type(x).__name__)) for x in (T, L, C, L.args_info[0][1])]",
    "C.input_shardings",
    "str(C.input_formats), str(C.output_formats)",
    "str([jax.jit(lambda x, y: x).lower(x, M).compile().input_formats for x in ("
    "jax.random.key(0), jnp.ones(3, 'int4'))])",
    "import importlib\nL = importlib.import_module(f'{jax.__name__}.experimental.layout')\n"
    "f = jax.jit(lambda x: x).lower(M).compile().output_formats\n"
    "(str(L.Layout([1, 0], ((2,),)).update(tiling=None)), f == L.Format(f.layout, f.sharding),"
    " [raised(lambda: L.Format(*args)) for args in ((f.layout,), (3,), (None, 3))],"
    " raised(lambda: L.Layout(3)))",
    "jax.jit(lambda x, y: x, keep_unused=True).lower(F, M).compile().input_shardings",
    "C.output_shardings, ADD.output_shardings",
    "m = C.memory_analysis()\n[getattr(m, f'host_{name}_size_in_bytes') for name in "
    "('generated_code', 'argument', 'output', 'alias', 'temp')]",
    # Calls.
    "C(TREE, F)",
    "C({'w': M * 2, 'unused': 5}, F + 1)['out']",
    "ADD(F, 1.0), ADD(F + 1, 2.5)",
    "ADD(np.arange(3.0), np.float32(2))",
    "ADD(np.arange(3, dtype='float32'), jnp.float32(2)), ADD(F, np.ones((), 'float64'))",
    "jax.jit(lambda x: x).lower(1.0).compile()(jnp.float32(2))",
    "jax.jit(lambda x: x).lower(jnp.float32(1)).compile()(2.0)",
    "jax.jit(lambda x: (x * 2, F)).lower(1.0).compile()(np.float64(2))",
    "jax.jit(lambda x: x + 1).lower(x=1.0).compile()(x=2.0)",
    "jax.jit(lambda: F * 2).lower().compile()()",
    "jax.jit(lambda x: None).lower(F).compile()(F)",
    "jax.jit(lambda x, n: x * n, static_argnums=1).lower(F, 3).compile()(F)",
    "jax.jit(lambda x: x + 1).lower(jax.ShapeDtypeStruct((3,), 'float32')).compile()(F)",
    "jax.jit(lambda x: x + 1).trace(F).lower().compile()(F)",
    "jax.jit(random.split).lower(K).compile()(random.key(1))",
    "jax.jit(jax.grad(lambda x: jnp.sum(x ** 3))).lower(F).compile()(F)",
    "jax.jit(jax.vmap(lambda x: x * 2)).lower(F).compile()(F)",
    "jax.jit(lambda x: lax.fori_loop(0, 5, lambda i, c: c * 2 + i, x)).lower(F).compile()(F)",
    "jax.jit(lambda x: x * 2).lower(jnp.zeros((0, 2))).compile()(jnp.zeros((0, 2)))",
    "jax.jit(lambda x: x * 2).lower(jnp.ones(2, 'bfloat16')).compile()(jnp.ones(2, 'bfloat16'))",
    "jax.jit(lambda x: ~x).lower(F > 1).compile()(F > 0)",
    "with jax.enable_x64():\n    C64 = jax.jit(lambda x: x * 2).lower(1.0).compile()\n"
    "    y = C64(2.0)\ny",
    "x = F + 1\ny = jax.jit(lambda x: x * 2, donate_argnums=0).lower(x).compile()(x)\n"
    "y, x.is_deleted()",
    # Refusals.
    "ADD(F)",
    "ADD(F, 1.0, 2.0)",
    "ADD(F, y=1.0)",
    "ADD(F, None)",
    "ADD(M, 1.0)",
    "ADD(F, 1)",
    "ADD(F, True)",
    "ADD(jnp.arange(3), 1.0)",
    "ADD(F, 'a')",
    "ADD(K, 1.0)",
    "C(TREE, F, n=3)",
    "C({'w': M}, F)",
    "with jax.enable_x64():\n    y = raised(ADD, np.arange(3.0), 1.0)\ny",
    "jax.vmap(lambda x: ADD(F, x))(F)",
    "jax.grad(lambda x: ADD(F, x).sum())(1.0)",
    "jax.jvp(lambda x: ADD(F, x), (1.0,), (1.0,))",
    "jax.jit(lambda x: ADD(F, x))(1.0)",
    "jax.make_jaxpr(ADD)(F, 1.0)",
    "jax.grad(lambda y: jax.jit(lambda x: x * y).lower(2.0).compile()(2.0))(3.0)",
    "with jax.disable_jit():\n    y = raised(ADD, F, 1.0)\ny",
    "jax.jit(lambda x: x).lower()",
    "jax.jit(lambda x: x).lower('a')",
    "jax.jit(lambda x: x).lower(F).compile({'no_such_option': 1})",
    "jax.jit(lambda x: x).lower(F).compile({})(F)",
    "jax.jit(lambda x: x).lower(F).as_text('foo')",
    "jax.jit(lambda x: x).lower(F).compiler_ir('foo')",
    "L.no_such_thing",
    # Costs that depend on the program alone.
    "jax.jit(lambda x, y: x @ y).lower(M, M.T).compile().cost_analysis()['flops']",
    "c = jax.jit(lambda x: x + 1).lower(F).compile().cost_analysis()\n"
    "c['flops'], c['bytes accessedout{}']",
    "jax.jit(jnp.exp).lower(M).compile().cost_analysis()['transcendentals']",
    "jax.jit(lambda x: x.sum(0)).lower(M).compile().cost_analysis()['flops']",
    "jax.jit(jnp.sort).lower(jnp.ones(64)).compile().cost_analysis()['flops']",
    "m = jax.jit(lambda x, y: x).lower(F, M).compile().memory_analysis()\n"
    "m.argument_size_in_bytes, m.output_size_in_bytes, m.alias_size_in_bytes",
    "m = jax.jit(lambda x, y: x @ y).lower(M, M.T).compile().memory_analysis()\n"
    "m.argument_size_in_bytes, m.output_size_in_bytes, m.temp_size_in_bytes",
    "m = jax.jit(random.split).lower(K).compile().memory_analysis()\n"
    "m.argument_size_in_bytes, m.output_size_in_bytes",
]
