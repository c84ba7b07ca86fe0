"""A mistake for each `raise` of the stages of jit: programs that are compiled ahead of time."""

SETUP = """\
F = jnp.arange(3.0)
M = jnp.ones((2, 3))
TREE = {'w': M, 'b': F}

def add(x, y):
    return x + y

def total(tree, n=1):
    return tree['w'] @ tree['b'] * n

ADD = jax.jit(add).lower(F, 1.0).compile()
TOTAL = jax.jit(total, static_argnames='n').lower(TREE, n=2).compile()
LOWERED = jax.jit(add).lower(F, 1.0)
"""

MESSAGES = {
    # Other types than those that were compiled for.
    "ADD(M, 1.0)": "add was compiled for x of the type float32[3], and got float32[2,3]. Convert",
    "ADD(F, 1)": "was compiled for y of the type ~float32[], and got ~int32[]. Convert",
    "ADD(F, True)": "for y of the type ~float32[], and got bool[]. Convert the argument, or",
    "ADD(F > 1, 1.0)": "for x of the type float32[3], and got bool[3]. Convert",
    "ADD(F.astype('float16'), 1.0)": "got float16[3]. Convert the argument",
    "ADD(np.arange(3), 1.0)": "and got int32[3]. Convert",
    "ADD(F[:2], 1.0)": "and got float32[2]. Convert",
    "ADD(F[0], 1.0)": "and got float32[]. Convert",
    "ADD(random.key(0), 1.0)": "and got key<fry>[]. Convert",
    "TOTAL({'w': M, 'b': M})": "was compiled for tree['b'] of the type float32[3], and got float32",
    "TOTAL({'w': 1j * M, 'b': F})": "for tree['w'] of the type float32[2,3], and got complex64",
    # Another structure.
    "ADD(F)": "add was compiled for arguments (args, kwargs) of the structure PyTreeDef(((*, *),"
        " {})),\nand got PyTreeDef(((*,), {})). Give such arguments, without static ones.",
    "ADD()": "and got PyTreeDef(((), {})). Give such arguments",
    "ADD(F, 1.0, 2.0)": "and got PyTreeDef(((*, *, *), {})). Give",
    "ADD(F, y=1.0)": "and got PyTreeDef(((*,), {'y': *})). Give",
    "ADD(F, None)": "and got PyTreeDef(((*, None), {})). Give",
    "ADD((F, F), 1.0)": "and got PyTreeDef((((*, *), *), {})). Give",
    "TOTAL(TREE, n=2)": "{'n': *})). Give such\narguments, without static ones.",
    "TOTAL({'w': M})": "and got PyTreeDef((({'w': *},), {})). Give",
    # Under a transformation.
    "jax.vmap(ADD)(F, F)": "add is compiled, and got a traced float32[] as x. Call or transform",
    "jax.grad(lambda y: ADD(F, y).sum())(1.0)": "got a traced ~float32[] as y. Call or",
    "jax.jit(ADD)(F, 1.0)": "got a traced float32[3] as x. Call or transform the jitted function",
    "jax.make_jaxpr(TOTAL)(TREE)": "total is compiled, and got a traced float32[3] as tree['b']",
    "jax.grad(lambda y: jax.jit(lambda x: x * y).lower(2.0).compile()(2.0))(3.0)":
        "uses a traced value of the function around it, and can't be compiled ahead of\ntime. Pass",
    "with jax.disable_jit():\n    y = ADD(F, 1.0)\ny":
        "add is compiled, and jax_disable_jit is on. Call the function itself.",
    # Texts and options.
    "LOWERED.as_text('foo')": "A program can't be shown as 'foo'. Give None, or 'jaxpr'.",
    "LOWERED.compiler_ir(3)": "A program can't be shown as 3. Give None, or 'jaxpr'.",
    "LOWERED.compile({'no_such_option': 1})":
        "compile has no options yet, and got {'no_such_option': 1}. Leave\nthem out.",
    "jax.ShapeDtypeStruct((2,), 'float32', sharding=3)":
        "ShapeDtypeStruct got the sharding 3. Give one such as x.sharding.",
}  # fmt: skip

# What a case is called by in its message, where that isn't the function that it calls first.
SPEAKERS = {"ADD": "add", "TOTAL": "total", "LOWERED.as": "A program", "LOWERED.compiler_ir":
            "A program", "LOWERED.compile(": "compile",
            "ShapeDtypeStruct": "ShapeDtypeStruct"}  # fmt: skip
NAMES = {
    case: next((name for call, name in SPEAKERS.items() if call in case), "traced value")
    for case in MESSAGES
}
CASES = tuple(MESSAGES)
