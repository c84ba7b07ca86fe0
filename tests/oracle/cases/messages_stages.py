"""A mistake for each `raise` of the stages of jit: programs that are compiled ahead of time."""

SETUP = """\
import importlib
tell = importlib.import_module(f'{jax.__name__}.experimental.xla_metadata').set_xla_metadata
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
    "tell(F, a=[1])": "set_xla_metadata got [1] as a, which can't be hashed. Give a number",
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
    "LOWERED.as_text('foo')": "A program can't be shown as 'foo'. Give None, 'stablehlo', 'hlo',",
    "LOWERED.compiler_ir(3)": "A program can't be shown as 3. Give None, 'stablehlo', 'hlo',",
    "LOWERED.compile({'no_such_option': 1})":
        "compile has no options yet, and got ['no_such_option']. Leave them",
    "g = lax.composite(lambda x, *, by: x, name='my.own')\n"
    "jax.jit(lambda x: g(x, by=1j)).lower(F).as_text()":
        "StableHLO has no text for the attribute 1j of a composite. Give numbers, strings",
    "jax.ShapeDtypeStruct((2,), 'float32', sharding=3)":
        "ShapeDtypeStruct got the sharding 3. Give one such as x.sharding.",
}  # fmt: skip

# Of the text that leaves, and of XLA. (For `backend` JAX warns that it is to go.)
LACKING = """\
from minijax.compiler import chosen_backend
from minijax.stages import texts
kept = chosen_backend.is_installed, texts.is_installed
chosen_backend.is_installed = texts.is_installed = lambda package: False
try:
    CALL
finally:
    chosen_backend.is_installed, texts.is_installed = kept
0"""
OURS = {
    "tell(a=1)(3)": "set_xla_metadata, without a value, decorates a function, and got 3. Give",
    "jax.jit(add, backend='abacus')":
        "jit knows no backend 'abacus'. Give 'cpu', 'numba', 'numpy' or 'xla', or where XLA is",
    "from minijax.compiler.stablehlo import module_text\n"
    "module_text(jax.make_jaxpr(lax.linalg.lu)(M), platform='tpu')":
        "XLA on tpu has nothing that computes getrf.\nChoose jit's backend 'numba'",
    "from minijax.compiler.stablehlo.xla_programs import client_of\nclient_of('tpu')":
        "XLA can't run programs on tpu: ",
    LACKING.replace("CALL", "jax.config.update('jit_backend', 'xla')"):
        "jit's backend 'xla' is XLA, and jaxlib can't be imported.\nInstall it (pip",
    LACKING.replace("CALL", "LOWERED.as_text('hlo')"):
        "HLO, or a module as an object, takes jaxlib, which can't be imported.\nCall pip",
    "jax.jit(lambda x: jax.pure_callback(np.sin, x, x)).lower(F).as_text()":
        "StableHLO has no text for the primitive pure_callback: it calls a function of",
    "jax.jit(jax.vmap(lambda x: lax.linalg.eigh(x, subset_by_index=(0, 1)))).lower(M[None, :, :2])"
    ".as_text()": "lax.linalg.eigh finds all eigenvalues where StableHLO says it. Leave\nsubset_by",
    "jax.jit(lambda x: lax.linalg.schur(x, sort_eig_vals=True)).lower(M[:, :2]).as_text()":
        "lax.linalg.schur does not sort eigenvalues. Leave sort_eig_vals out.",
    "from minijax.lax.control_flow.switches import platform_index_p\n"
    "jax.jit(lambda: platform_index_p.bind(platforms=(('tpu',),))).lower().as_text()":
        "has branches for (('tpu',),), and none for the platform\n'cpu', which StableHLO is",
    "from minijax.experimental import layout\nlayout.Format(3)":
        "Format takes a Layout or None as its layout, and got 3. Give one of",
    "from minijax.experimental import layout\nlayout.Format(layout.Layout((0, 1)))":
        "Format got a layout and no sharding. Give that too",
    "from minijax.experimental import layout\nlayout.Layout(3)":
        "Layout takes integers as major_to_minor, and got 3. Give a tuple of ints.",
    "from minijax.compiler.stablehlo import module_text\n"
    "jax.grad(lambda y: module_text(jax.make_jaxpr(lambda x: x * y)(F)) and y)(F[0])":
        "The program holds a traced value of the type float32[], which has no text. Pass it as an",
    "from minijax.core.extend import ExtendedDType, ShapedArray, extended, register_dtype\n"
    "from minijax.compiler.stablehlo.tensor_types import type_of\n"
    "class Odd(ExtendedDType):\n    name, type, storage = 'odd', extended, np.dtype('int64')\n"
    "    __repr__ = lambda self: 'odd'\n"
    "odd = Odd()\nregister_dtype(odd, extended, 'odd')\ntype_of(ShapedArray((3,), odd))":
        "StableHLO has no type for odd[3]. Convert to an array of numbers first.",
    "from minijax.core.extend import AxisData, extend_axis_env\n"
    "with extend_axis_env(AxisData('i', 2)):\n"
    "    text = jax.jit(lambda x: lax.psum(x, 'i')).lower(F).as_text()\ntext":
        "primitive psum: it goes along a named axis,\nwhich is none of the program's. Leave it",
    "from minijax.compiler.stablehlo import XlaProgram\n"
    "XlaProgram(jax.make_jaxpr(lax.create_token)(), 'f')":
        "f takes or gives a token, which XLA's programs hand to nobody.\nLeave it out of the",
}

# What a case is called by in its message, where that isn't the function that it calls first.
SPEAKERS = {"client_of": "XLA", "platform='tpu'": "XLA",
            "ADD": "add", "TOTAL": "total", "as_text('hlo')": "jaxlib", "LOWERED.as": "A program",
            "LOWERED.compiler_ir": "A program", "LOWERED.compile(": "compile",
            "backend='abacus'": "jit knows", "'xla')": "backend",
            "lax.linalg.eigh": "lax.linalg.eigh", "lax.linalg.schur": "lax.linalg.schur",
            "platform_index": "lax.platform_dependent", "module_text": "The program",
            "layout.Format(": "Format", "layout.Layout(": "Layout",
            "tell(": "set_xla_metadata", "XlaProgram(": "XLA", ".as_text()": "StableHLO",
            "type_of": "StableHLO", "ShapeDtypeStruct": "ShapeDtypeStruct"}  # fmt: skip
NAMES = {
    case: next((name for call, name in SPEAKERS.items() if call in case), "traced value")
    for case in MESSAGES | OURS
}
CASES = tuple(MESSAGES)
