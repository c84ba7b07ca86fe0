"""Every message of an error, read as a user would read it.

It says who speaks (the function that was called), what was wrong, and what to do instead; its
lines are short; and what it advises exists.
"""

import ast
import builtins
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import config, lax, random, tree_util
from minijax.core import errors
from oracle import facts
from oracle.cases import NAMES, messages, module_of

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "minijax"

# What JAX does and minijax does not yet, and what only a direct call of a rule can get wrong.
ONLY_HERE = {
    "jax.config.update('jax_no_execution', True)":
        "option jax_no_execution = True is not here yet: nothing is refused for\nbeing run.\nGive",
    "jax.config.update('jax_legacy_prng_key', 3)": "is one of 'allow', 'warn', 'error'; got 3.",
    "from minijax.face.options import _value_of\n_value_of('jax_enable_x64', 'maybe')":
        "The variable JAX_ENABLE_X64 of the environment is 'maybe'.\nGive one of y, yes,",
    "jax.config.update('jax_compilation_cache_dir', 3)": "is one of str, None; got 3. Give",
    "jax.config.update('jax_compilation_cache_dir', 'gs://bucket/folder')":
        "is a folder of this machine; got 'gs://bucket/folder'. Give\nits path.",
    "jax.api_util.argnums_partial(lambda x, y: x, 0, (1, [2]))":
        "argnums_partial fixes argument 1, of <class 'list'>, which has no hash.\nGive a tuple",
    "lax.rng_bit_generator(jnp.zeros(3, 'uint32'), (2,))":
        "takes a state uint32[4] or uint64[2], and got uint32[3].\nGive two words of a key",
    "lax.rng_bit_generator(jnp.zeros(4, 'uint32'), (2,), algorithm=3)":
        "lax.rng_bit_generator knows no algorithm 3. Give one of lax.RandomAlgorithm.",
    "along(lambda x: lax.all_gather(x, ('i', 'j')))": "lax.all_gather goes along one named axis",
    "along(lambda x: lax.psum(x, 'i', axis_index_groups=[[0]]))": "lax.psum takes no axis_index_gr",
    "lax.reshape(F, (2, 2))": "reshape of (3,), size 3, to (2, 2), size 4. Give sizes whose",
    "lax.iota_p.bind(dtype=np.dtype('int32'), shape=(2,), dimension=1, sharding=None)":
        "lax.broadcasted_iota counts along an axis of the shape (2,), and got axis 1.\nGive one",
    "along(lambda x: lax.psum_scatter(x, 'i'), jnp.ones((3, 6)))": "or pass tiled=True",
    "jnp.full(2, 1j, float)": "jnp.full cannot fill float32 with 1j, a complex number. Give a",
    "jnp.round(jnp.arange(3), -1)": "jnp.round of int32[3] to -1 decimals is not here yet. Give",
    "jax.sharding.SingleDeviceSharding(3)": "SingleDeviceSharding takes a device, and got 3. Give",
    "F.traceback": "x.traceback is not here yet. dir() of the array lists what is.",
    "jax.float0": "minijax.float0 is not here yet. Until then, use jax.dtypes.float0",
    "from minijax import float0\n0": "minijax.float0 is not here yet. Until then, use",
    "f = jax.custom_batching.custom_vmap(lambda x: x)\n"
    "f.def_vmap(lambda n, mapped, x: (x[:2], True))\njax.vmap(f)(F)":
        "rule returned float32[2], marked as mapped, over 3 examples of float32[].\nGive",
    "import sys, types\nsys.modules['jax'] = types.ModuleType('jax')\ntry:\n"
    "    jax.install_as_jax()\nfinally:\n    del sys.modules['jax']\n0":
        "install_as_jax can't take JAX's name",
    "import types\nfrom minijax.face.runtime_as_jax import JaxFinder\n"
    "JaxFinder.find_spec('jax.ffi')":
        "jax.ffi is not here yet. dir() of jax lists what is.",
    "from minijax import stages\nkept, stages.has_numba = stages.has_numba, lambda: False\ntry:\n"
    "    jax.explain(jnp.sin)(1.0)\nfinally:\n    stages.has_numba = kept\n0":
        "explain shows what the compiler makes, and Numba can't be imported.\nInstall",
    # (JAX writes such a constant; here a file's arrays lie on one device.)
    "from minijax.sharding import AxisType, NamedSharding, PartitionSpec\n"
    "mesh = jax.make_mesh((1,), ('x',), axis_types=(AxisType.Explicit,))\n"
    "held = jax.device_put(F, NamedSharding(mesh, PartitionSpec('x')))\n"
    "jax.export.export(jax.jit(lambda x: x * held))(held).serialize()":
        "has no form for an array of the type float32[3@x] that the\nfunction holds.",
    "jax.watch(F)": "takes a function as its first argument, and got an array of float32[3].",
    "jax.watch(jnp.sin, limit='many')": "takes a number of steps as limit, and got 'many'. Give",
    "jax.watch(jnp.sin, limit=0)": "watch takes a limit of 1 or more, and got 0. Give limit=5000.",
    "jax.watch(jnp.sin)(F).at('sin')":
        "w.at takes a step's number, and got 'sin'. Give w.at(0).",
    "jax.watch(jnp.sin)(F).at(1)":
        "w.at got 1, and 1 step was recorded, counted from 0. Give a number below",
    "jax.watch(jnp.sin)(F).find(0)":
        "w.find takes a primitive's name, and got 0. Give w.find('sin').",
    "w = jax.watch(jnp.sin)\ntry:\n    w('a')\nexcept TypeError:\n    pass\nw.recording.result":
        "sin was watched and has no result. It raised\nTypeError: ",
    "jax.explain(jnp.sin)(1.0).show('kernel')":
        "show has no stage 'kernel'. Give some of 'user', 'jaxpr'",
    "tree_util.flatten_one_level(3)": "flatten_one_level got a leaf, of <class 'int'>",
    "jax.dtypes.canonicalize_dtype(random.key(0).dtype)":
        "dtypes.canonicalize_dtype takes dtypes of numbers, and got key<fry>. Pass",
    "jax.experimental.cur_qdd(F)":
        "cur_qdd got an array of type float32[3], whose type never changes. Use",
}  # fmt: skip
# What only whoever writes a primitive, a trace or a jaxpr can get wrong.
EXTEND = """\
from minijax.core import primitives, reverse
from minijax.core.extend import *
from minijax.lax.control_flow.solves import _LinearSolveTuple as SOLVE
P = Primitive('p')
P.def_impl(lambda x: x)
FX = jax.make_jaxpr(lambda x: x * x)(1.0)
BOOL = jax.make_jaxpr(lambda x: x > 0)(1.0)
A = FX.jaxpr.invars[0]
EQN = FX.jaxpr.eqns[0]

def check(**parts):
    check_jaxpr(FX.jaxpr.replace(**parts))
"""
OPTIMIZERS = "from minijax.example_libraries import optimizers as o\n"
# What a value says of itself, whoever wants to compute with it.
OF_VALUES = {"jax.checkpoint(sinsin)(jax.ShapeDtypeStruct((), 'float32'))"}
OF_AUTHORS = {
    "from minijax.as_jax.linear_util import Store\nStore().val": "Nothing is stored yet. Call the",
    "from minijax.as_jax.linear_util import Store\ns = Store()\ns.store(1)\ns.store(2)":
        "A value is stored already. Transform the function anew.",
    "from minijax.as_jax import linear_util as lu\naux = lu.transformation_with_aux(None)\n"
    "lu.merge_linear_aux(aux(abs)[1], aux(abs)[1])": "Neither of the two has a value.",
    "from minijax.as_jax.inner_modules import make_module\nmake_module('jax._src.core').nothing":
        "jax._src.core.nothing is inside of the real JAX, which is not here. Use JAX's",
    "from minijax.as_jax.hijax import HiPrimitive\njax.jit(HiPrimitive('new').bind)(1)":
        "new is of hijax, ",
    "from minijax.as_jax.sparse import BCOO\nBCOO.fromdense(1)": "There are no sparse arrays here",
    f"{OPTIMIZERS}o.sgd(0.1).update_fn(0, [1.0], o.sgd(0.1).init_fn(1.0))":
        "In an optimizer's update, PyTreeDef([*]) are gradients for parameters",
    f"{OPTIMIZERS}o.make_schedule(jnp.ones(2))": "make_schedule takes a number or a function of",
    f"{OPTIMIZERS}o.piecewise_constant([1], [1.0])": "piecewise_constant got boundaries of shape",
    f"{OPTIMIZERS}o.pack_optimizer_state([1.0])": "pack_optimizer_state got the leaf 1.0, which",
    "from minijax.example_libraries import stax\nstax.Dropout(0.5)[1]((), 1.0)":
        "Dropout draws what it keeps, and got no key",
    "from minijax.as_jax.backends import MadeBackends\nMadeBackends()['gpu']": "gpu",
    "from minijax.face.runtime_as_jax import JaxFinder\nJaxFinder.find_spec('jax._src.nothing')":
        "jax._src.nothing is inside of the real JAX, which is not here. Use JAX's",
    "ExtendedDType().array_repr(K)": "ExtendedDType has no array_repr. Define one.",
    "Primitive('q').bind(1.0)": "q has no implementation. Give it one: q_p.def_impl.",
    "traced(P.bind)": "p has no rule for types. Use p_p.def_abstract_eval.",
    "jax.grad(P.bind)(1.0)": "p has no JVP rule. Define one: primitive_jvps[p_p] = rule.",
    "traced(lambda n: lax.cond_p.bind(n, F, branches=(FX, FX)))":
        "another to [ShapedArray(float32[], weak_type=True)].",
    "traced(lambda n: lax.while_p.bind(F, cond_jaxpr=FX, body_jaxpr=FX, cond_nconsts=0, "
    "body_nconsts=0))": "while is given [ShapedArray(float32[3])]; its condition takes",
    "traced(lambda n: lax.linear_solve_p.bind(F, const_lengths=SOLVE(0, 0, 0, 0), "
    "jaxprs=SOLVE(FX, None, FX, None)))":
        "custom_linear_solve takes [ShapedArray(float32[], weak_type=True)],\nand is given",
    "traced(lambda n: lax.linear_solve_p.bind(1.0, const_lengths=SOLVE(0, 0, 0, 0), "
    "jaxprs=SOLVE(BOOL, None, BOOL, None)))":
        "to [ShapedArray(bool[], weak_type=True)]. Make them agree.",
    "JIT = jax.make_jaxpr(jax.jit(lambda x: x))(F).eqns[0]\n"
    "check(eqns=[JIT._replace(params={})])": "Its parameters are none, and those of jit are",
    "JIT = jax.make_jaxpr(jax.jit(lambda x: x))(F).eqns[0]\n"
    "check(eqns=[JIT._replace(params={**JIT.params, 'name': 3})])":
        "Its name is a int that jit can't have. It takes a string.",
    "P.def_effectful_abstract_eval(lambda x: (x, frozenset([Effect()])))\n"
    "jax.vmap(lambda p: lax.cond(p, lambda: P.bind(1.0), lambda: 2.0))(F > 1)":
        "effect.\nGive vmap in_axes=None for the predicate.",
    "lax.sin_p.bind(1.0, y=1)": "sin has no parameter y; its parameters are: accuracy.",
    "Trace().process_primitive(P, [], {})": "Trace does not say what p means.",
    "Tracer(Trace()).aval": "Tracer does not know its type.",
    "P.def_abstract_eval(lambda x: x.update(shape=(9,)))\n"
    "with jax.enable_checks():\n    P.bind(F)\n0":
        "The implementation of p gave [ShapedArray(float32[3])], where its\ntypes are",
    "P.def_abstract_eval(lambda x: x)\n"
    "primitive_transposes[P] = lambda ct, x: [jnp.ones(9)]\n"
    "j = jax.make_jaxpr(P.bind)(F).jaxpr\n"
    "with jax.enable_checks():\n"
    "    backward_pass(j, [], [UndefinedPrimal(j.invars[0].aval)], [F])\n0":
        "type float32[9] for an operand of type float32[3]. Return one of type float32[3].",
    "backward_pass(FX.jaxpr, [], [UndefinedPrimal(A.aval)], [1.0])":
        "This program is not linear, so it has no transpose.",
    "from minijax.extend import register_kernel_function\nregister_kernel_function(np.exp)":
        "register_kernel_function takes a function written in Python, and got ufunc.",
    "from minijax.extend import register_kernel_function\n"
    "register_kernel_function((lambda k: lambda x: k * x)(2))":
        "register_kernel_function got <lambda>, which closes over k. Make these its",
    "from minijax.extend import register_kernel_function\n"
    "register_kernel_function(lambda x: x, 'x0')":
        "register_kernel_function got the name 'x0', which is no name in Python, or which",
    "from minijax.extend import register_kernel_function\n"
    "register_kernel_function(lambda x: x, 'exp_f32')":
        "register_kernel_function got the name 'exp_f32', which one of minijax's own functions",
    "from minijax.extend import numba_primitive\nnumba_primitive(lambda x: x[:1], lambda x: x)(F)":
        "<lambda> returned float32[1], and its result_types say float32[3].",
    "from minijax.extend import numba_primitive\nnumba_primitive(lambda x: x.y(), lambda x: x)(F)":
        "Numba can't compile <lambda> for (float32[3]): Unknown attribute 'y'",
    "from minijax.random.gammas import random_gamma_p\nrandom_gamma_p.bind(K, 1, log_space=False)":
        "random_gamma takes keys, and floats with the keys' axes in front, and",
    "typeof(UndefinedPrimal(A.aval))": "UndefinedPrimal(~float32[]) has no value.",
    "traced(lambda n: jit_p.bind(F, jaxpr=FX, name='f', keep_unused=False, inline=False, "
    "donated_invars=(False,)))":
        "jit takes [ShapedArray(float32[], weak_type=True)], and is given",
    "traced(lambda n: lax.scan_p.bind(F, jaxpr=FX, length=1, reverse=False, num_consts=0, "
    "num_carry=1, unroll=1))": "scan takes [ShapedArray(float32[], weak_type=True)], and is given",
    "lax.select_and_scatter_p.bind(F, F[1:], 0, select_jaxpr=None, select_consts=(), "
    "scatter_jaxpr=None, scatter_consts=(), window_dimensions=(2,), window_strides=(1,), "
    "padding=((0, 0),))": "got an init_value ~int32[]. Give a scalar of that",
    "traced(lambda n: lax.custom.checkpoint.remat_p.bind(F, F, jaxpr=FX, prevent_cse=True, "
    "differentiated=False, policy=None))":
        "remat2 takes [ShapedArray(float32[], weak_type=True)], and is given",
    "jax.core.eval_jaxpr(FX.jaxpr, [], 1, 2)": "takes 1 arguments, and got 2. Give as many",
    "check(invars=[])": "It reads a variable of type ~float32[] before it is set.",
    "check(invars=[A, A])": "The lambda binds a variable of type ~float32[] a second time.",
    "jnp.tri(3, k=1.5)": "jnp.tri takes an integer as k, and got 1.5. Give an int.",
    "check(eqns=[EQN._replace(invars=[A, 3])])": "It has a int in a variable's place.",
    "check(eqns=[EQN._replace(effects=frozenset([3]))])": "its rule says frozenset().",
    "check(eqns=[EQN._replace(outvars=[Var(M.aval)])])": "Its results have the types",
    "check(eqns=[EQN._replace(invars=[A, Var(K.aval)])])": "Its operands do not fit: mul needs one",
    "check_jaxpr(ClosedJaxpr(FX.jaxpr, [F]))": "The constvars have the types [], their values",
    "primitives.product_dtype(np.dtype('float8_e4m3'), np.dtype('float8_e4m3fnuz'))":
        "dot_general of float8_e4m3 and float8_e4m3fnuz: neither is more precise.",
    "primitive_transposes[lax.scatter_p](F, F, F, F, unique_indices=False, mode=None, "
    "dimension_numbers=None)":
        "lax.scatter has a transpose only where no two updates meet. Give unique_indices=True.",
    "jax.core.prng.threefry2x32_p.bind(F, F, F, F)": "takes four arrays of uint32, and got",
    "jax.core.prng.random_seed_p.bind(F, impl=None)": "Give one, and not float32[3].",
    "jax.core.prng.random_wrap_p.bind(F, impl=None)": "uint32[..., 2]; got float32[3].",
    "jax.core.prng.random_unwrap_p.bind(F)": "got float32[3]. Make one: minijax.random.key(0).",
    "jax.core.prng.random_fold_in_p.bind(K, F)": "got float32[3]. Give data of uint32.",
}  # fmt: skip
# The topics of messages: one for the core and the library's base, one for each family. What one has
# in OURS is no case of the oracle: JAX has no error there, or another one.
MESSAGE_TOPICS = [module_of(name) for name in NAMES if name.startswith("messages")]
OF_TOPICS = [(topic, topic.MESSAGES | getattr(topic, "OURS", {})) for topic in MESSAGE_TOPICS]
SETUPS = {case: topic.SETUP for topic, cases in OF_TOPICS for case in cases}
OF_PRIMITIVES = {case for topic in MESSAGE_TOPICS for case in getattr(topic, "CORE", ())}
SPEAKERS = {case: name for topic in MESSAGE_TOPICS for case, name in topic.NAMES.items()}
CASES = {
    case: words for _, cases in OF_TOPICS for case, words in cases.items()
} | ONLY_HERE | OF_AUTHORS  # fmt: skip


raised_at: dict[str, set[tuple[str, int]]] = {}  # where each case that was run raised its error


def error_of(case: str) -> BaseException:
    names = facts.namespace("minijax")
    extend = EXTEND if case in OF_AUTHORS else ""
    try:
        facts.evaluate(f"{SETUPS.get(case, messages.SETUP)}\n{extend}{case}", names)
    except Exception as error:
        return error
    raise AssertionError("no error")


@pytest.fixture(autouse=True)
def as_printed(monkeypatch, on_numba):
    """With broken lines; and with the package's frames, which tell where an error was raised.
    Compiled, as some tell what a kernel can't do."""
    monkeypatch.setattr(errors, "WIDTH", 99)
    before = config.jax_traceback_filtering
    config.update("jax_traceback_filtering", "off")
    yield
    config.update("jax_traceback_filtering", before)


# What a message says.


def speaker(case: str) -> str:
    """What the case calls, as a message names it: what only goes round it is left out."""
    if case in SPEAKERS:
        return SPEAKERS[case]
    calls = re.findall(r"\b(jnp|lax|random|tree_util|jax)\.(\w+)", case)
    module, name = next(call for call in calls if call != ("random", "key") or len(calls) == 1)
    return name if module in ("tree_util", "jax") else f"{module}.{name}"


def own_lines(message: str) -> list[str]:
    """The lines without those that name a place in the user's files."""
    return [line for line in message.splitlines() if not line.startswith("  ")]


WAYS_OUT = re.compile(
    r"(^|[.:,;] |\n)(or )?(Ask|Call|Choose|choose|Compare|Convert|Count|Cut off|Decorate|Do|Donate"
    r"|Draw|Give|Index|Keep|Leave|Make|make|Mark|mark|Move|Multiply|Name|name|Pass|Put|Return|Sum|Try|try"
    r"|Turn|Use|use|With|Wrap|Write)\b|lists what is"
)
# These sentences are the core's or Python's own.
NOT_OURS = {
    "jax.closure_convert(3, F)", "jax.custom_jvp(jnp.sin).rule",
    "jax.lax.no_such_name", "traced(lambda n: F[F > n])",
    "tree_util.tree_flatten(collections.defaultdict(int, {1: 1, 'a': 2}))",
}  # fmt: skip
LONG = {"-(F > 1)", "jnp.sign(F > 1)"}  # what a dtype may be is the core's to say
LONG |= {case for case in CASES if "shard_map_p.abstract_eval" in case}  # asked by nobody else


@pytest.mark.parametrize("case", CASES)
def test_a_message_names_the_function_and_gives_a_way_out_in_short_lines(case, request):
    if case.startswith("jax.jit(lax.composite("):  # the compiler refuses its name
        request.getfixturevalue("on_numba")
    error = error_of(case)
    raised_at[case] = set(places_of(error))
    message = str(error)
    assert CASES[case] in message
    if case in NOT_OURS or case in OF_AUTHORS:
        return
    if case in OF_PRIMITIVES:  # where lax's functions bind primitives, these speak
        assert speaker(case).removeprefix("lax.") in message, message
    elif case not in ONLY_HERE and case not in OF_VALUES:
        assert "x[" in CASES[case] or "x.at[" in CASES[case] or speaker(case) in message, message
    assert WAYS_OUT.search(message), message
    printed = "".join(traceback.format_exception_only(error)).rstrip()
    assert max(map(len, own_lines(printed))) < 100 or case in LONG, printed
    assert re.search(r"[.)]$", own_lines(message)[-1]), message


# All of them are read.


# What calls kernels trusts them; tests/compiler/test_caches.py has what goes wrong there.
OF_KERNELS = {"argument_checks.py", "caches.py", "doors.py", "machine_code.py"}
EXPLORE = PACKAGE / "explore"  # its server's sentences are read in tests/explore
COURSE = PACKAGE / "course.py"  # and those of this command in tests/test_course.py
# Signals: whoever asked the compiler for something does without, and another sentence is raised.
SIGNALS = {
    "NoPath", "NotAbreast", "NotCompiled", "NotStraight", "OfAllRows", "Refused", "Stopped",
    "_Flaw",
}  # fmt: skip


# Only where there are several processes: tests/distributed has these.
OF_PROCESSES = re.compile(r"\bprocess(es)?\b|\bMPI\b")


def raises_of(file: Path) -> list[ast.Raise]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    raises = [node for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc]
    texts = [(node, ast.unparse(node.exc)) for node in raises]
    return [
        node for node, text in texts
        if not SIGNALS & {*re.findall(r"\w+", text)} and not OF_PROCESSES.search(text)
    ]  # fmt: skip


def places_of(error: BaseException | None) -> Iterator[tuple[str, int]]:
    """File and line of each frame that an error went through, and those that it came from."""
    while error is not None:
        for frame, line in traceback.walk_tb(error.__traceback__):
            yield frame.f_code.co_filename, line
        error = error.__cause__ or error.__context__


def test_every_raise_has_a_case(on_numba):
    for case in CASES.keys() - raised_at.keys():
        raised_at[case] = set(places_of(error_of(case)))
    reached = set().union(*raised_at.values())
    unread = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.name not in OF_KERNELS and file.parent != EXPLORE and file != COURSE
        for node in raises_of(file)
        if not any((str(file), line) in reached for line in range(node.lineno, node.end_lineno + 1))
    ]  # fmt: skip
    assert unread == [], "\n".join(unread)


# What they advise exists, in the core's messages too.

SPACES = {
    "jnp": jnp, "lax": lax, "jax": jax, "minijax": jax, "random": random, "np": np,
    "tree_util": tree_util, "nn": jax.nn, "x": jnp.ones((2, 2)), "config": config,
}  # fmt: skip
DOTTED = re.compile(rf"(?<![\w.'])({'|'.join(SPACES)})\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
CALLED = re.compile(r"(?<![\w.'\"])([a-z_0-9]+)\(")
OF_OTHERS = {"x.filled"}  # a method of NumPy's masked arrays
SHOWN = {"f", "g", "erf"}  # a user's own functions, and mathematics


def messages_in(file: Path) -> list[tuple[int, str]]:
    """The strings in a file that are no docstrings, with their lines."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        and id(node) not in docstrings and " " in node.value
    ]  # fmt: skip


def resolves(space: str, name: str) -> bool:
    value = SPACES[space]
    for part in name.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def known_function(name: str) -> bool:
    return any(hasattr(space, name) for space in (builtins, jax, jnp, tree_util))


FILES = [
    file for file in sorted(PACKAGE.rglob("*.py"))
    if not file.name.endswith(("jax_names.py", "loop_texts.py", "parts.py", "routines.py"))
    and PACKAGE / "compiler" not in file.parents
    and file not in (EXPLORE / "programs.py", EXPLORE / "__main__.py", COURSE)
    # The strings of these are code, or commands for a shell.
]  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_what_a_message_advises_exists(file):
    missing = []
    for line, text in messages_in(file):
        for space, name in DOTTED.findall(text):
            if f"{space}.{name}" not in OF_OTHERS and not resolves(space, name):
                missing.append(f"{line}: {space}.{name}")
        for name in CALLED.findall(text):
            if name not in SHOWN and not known_function(name):
                missing.append(f"{line}: {name}(")
    assert missing == []


@pytest.mark.parametrize("text, found", [
    ("Use lax.unscan instead.", True), ("Use lax.select instead.", False),
    ("Show it: x.traceback.", True), ("Try x.astype(float).", False),
    ("Call unmap(f).", True), ("Call vmap(f).", False),
])
def test_advice_that_leads_nowhere_is_found(text, found, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(f"raise TypeError({text!r})")
    if found:
        with pytest.raises(AssertionError):
            test_what_a_message_advises_exists(file)
    else:
        test_what_a_message_advises_exists(file)
