"""Errors: their classes, tracebacks with the user's lines alone, and tracers that leaked."""

import inspect
import pickle
import subprocess
import sys
import traceback
import types
import warnings

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import errors, lax
from minijax.core import errors as core_errors
from minijax.core.errors import DebugInfo, SourceInfo, break_lines, user_source
from minijax.core.extend import (
    JaxprTypeError,
    Primitive,
    UnexpectedTracerError,
    api_boundary,
    check_jaxpr,
    config,
    primitive_jvps,
    primitive_transposes,
    register_exclusion,
)

# The classes have one home, and JAX's bases.

BASES = {
    "ConcretizationTypeError": TypeError, "TracerBoolConversionError": TypeError,
    "TracerArrayConversionError": TypeError, "TracerIntegerConversionError": TypeError,
    "UnexpectedTracerError": TypeError, "NonConcreteBooleanIndexError": IndexError,
    "JaxRuntimeError": RuntimeError, "JaxprTypeError": TypeError, "TypePromotionError": ValueError,
}  # fmt: skip


@pytest.mark.parametrize("name", BASES)
def test_classes(name):
    cls = getattr(errors, name)
    assert issubclass(cls, BASES[name]) and cls.__module__ == "minijax.errors"
    assert cls.__doc__


def test_the_more_special_is_caught_as_the_more_general():
    assert issubclass(errors.TracerBoolConversionError, errors.ConcretizationTypeError)
    with pytest.raises(errors.ConcretizationTypeError):
        jax.jit(lambda x: 1 if x else 2)(True)


@pytest.mark.parametrize("call", [
    lambda: jax.jit(bool)(1.0), lambda: jax.jit(lambda x: x[x > 0])(np.ones(3)),
    lambda: jax.jit(np.sin)(1.0), lambda: jax.jit(range)(3),
])  # fmt: skip
def test_an_error_can_be_sent_to_another_process(call):
    error = raised_by(call)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)


# Ctrl-C.

INTERRUPTED = """
import signal, sys, traceback
import minijax as jax, minijax.numpy as jnp

sys.unraisablehook = lambda _: None  # which tells of an interrupt that Python drops

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
x = jnp.ones(3)
f = jax.jit(lambda x: jax.lax.fori_loop(0, 100, lambda i, c: c * 1.5 + 1, x))
calls = {
    "eager": lambda: x + x, "method": lambda: x.sum(), "library": lambda: jnp.mean(x),
    "compiled": lambda: f(x), "traced": lambda: jax.make_jaxpr(lambda x: jnp.sin(x) * 2)(x),
}
for name, call in calls.items():
    call(), call()
    clean = 0
    for i in range(50):
        # Again and again: Python drops one that comes in a weak reference's callback.
        signal.setitimer(signal.ITIMER_REAL, 0.001 + i * 1e-5, 1)
        try:
            while True:
                call()
        except KeyboardInterrupt as error:
            signal.setitimer(signal.ITIMER_REAL, 0)
            frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "minijax/" in frame.filename]
        assert len(ours) < 2, frames
        clean += not ours
    print(name, clean)
"""


def test_ctrl_c_shows_no_frames_of_ours():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    # One that comes as a call begins, before anything can be caught, shows the call's own frame.
    assert all(int(line.split()[1]) >= 40 for line in done.stdout.splitlines()), done.stdout


# Tracebacks.

XS = np.ones(3, np.float32)


def wrong_shapes(x):
    y = lax.sin(x)
    return helper(y)


def helper(y):
    return lax.add(jnp.ones(3), jnp.ones(4) * y)  # wrong


def traced_bool(x):
    if x > 0:
        return x
    return -x


def callers_error(x):
    return x + int("one")


TRANSFORMS = {
    "jit(vmap(grad))": lambda f: lambda: jax.jit(jax.vmap(jax.grad(f)))(XS),
    "jit": lambda f: lambda: jax.jit(f)(1.0),
    "grad": lambda f: lambda: jax.grad(f)(1.0),
    "vmap": lambda f: lambda: jax.vmap(f)(XS),
    "jvp": lambda f: lambda: jax.jvp(f, (1.0,), (1.0,)),
    "grad(jit)": lambda f: lambda: jax.grad(jax.jit(f))(1.0),
    "vmap(jit(jit))": lambda f: lambda: jax.vmap(jax.jit(jax.jit(f)))(XS),
    "vjp": lambda f: lambda: jax.vjp(jax.jit(f), 1.0),
    "linearize": lambda f: lambda: jax.linearize(jax.jit(f), 1.0),
    "make_jaxpr": lambda f: lambda: jax.make_jaxpr(jax.grad(f))(1.0),
    "eval_shape": lambda f: lambda: jax.eval_shape(f, 1.0),
    "jit.trace": lambda f: lambda: jax.jit(f).trace(1.0),
    "hessian": lambda f: lambda: jax.hessian(f)(1.0),
    "value_and_grad": lambda f: lambda: jax.value_and_grad(f)(1.0),
    "jacrev": lambda f: lambda: jax.jacrev(jax.jit(f))(XS),
}


def raised_by(call):
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def frames(error):
    """(file, function) of each line of the traceback, ours by their modules."""
    return [(frame.f_globals["__name__"].split(".")[0], frame.f_code.co_name)
            for frame, _ in traceback.walk_tb(error.__traceback__)]  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("fun", [wrong_shapes, callers_error])
def test_a_traceback_shows_the_users_lines_alone(name, fun):
    error = raised_by(TRANSFORMS[name](fun))
    assert type(error) is (TypeError if fun is wrong_shapes else ValueError)
    assert "minijax" not in {module for module, _ in frames(error)}
    functions = [function for _, function in frames(error)]
    inner = ["wrong_shapes", "helper"] if fun is wrong_shapes else ["callers_error"]
    assert functions == ["raised_by", "<lambda>", *inner]
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert last.line.endswith("# wrong" if fun is wrong_shapes else 'int("one")')


@pytest.mark.parametrize("name", ["jit(vmap(grad))", "grad(jit)", "vmap(jit(jit))"])
def test_what_is_printed_names_no_file_of_ours(name):
    """Nor does what comes before it: no error of our own is shown as its cause or context."""
    for fun in (wrong_shapes, callers_error):
        error = raised_by(TRANSFORMS[name](fun))
        text = "".join(traceback.format_exception(error))
        assert "minijax/core" not in text and "During handling" not in text, text


failing_p = Primitive("failing")
failing_p.def_impl(lambda x: x)
failing_p.def_abstract_eval(lambda x: x)
primitive_jvps[failing_p] = lambda primals, tangents: (primals[0], failing_p.bind(tangents[0]))


def failing_transpose(ct, x):
    raise ZeroDivisionError


primitive_transposes[failing_p] = failing_transpose


@pytest.mark.parametrize("transform", [
    jax.grad, lambda f: jax.grad(jax.jit(f)), lambda f: jax.jit(jax.grad(f)),
    lambda f: lambda x: jax.vjp(jax.jit(f), x)[1](x),
])  # fmt: skip
def test_errors_of_the_backward_pass_too(transform):
    error = raised_by(lambda: transform(lambda x: failing_p.bind(x))(1.0))
    names = [function for _, function in frames(error) if function != "<lambda>"]
    assert names == ["raised_by", "failing_transpose"]
    text = "".join(traceback.format_exception(error))
    assert "minijax/core" not in text and "During handling" not in text, text


@pytest.mark.parametrize("call", [
    lambda: jax.jit(lambda x: x)("one"), lambda: jax.grad(lambda x: x)([None, "one"]),
    lambda: jax.jit(lambda x: x, static_argnums=0)([]), lambda: jax.vmap(lambda x: x)(object()),
    lambda: jax.jit(lambda x: (x, "one"))(1.0), lambda: jax.jit(lambda d: d)({1: 1, "a": 2}),
])  # fmt: skip
def test_causes_show_no_frames_of_ours_either(call):
    text = "".join(traceback.format_exception(raised_by(call)))
    assert "minijax/core" not in text, text


def filtering(value):
    return config.override("jax_traceback_filtering", value)


def test_filtering_can_be_switched_off():
    with filtering("off"):
        error = raised_by(TRANSFORMS["jit(vmap(grad))"](wrong_shapes))
    modules = [module for module, _ in frames(error)]
    assert modules.count("minijax") > 10
    assert "".join(traceback.format_exception(error)).count("minijax/core") > 10


@pytest.mark.parametrize("value", ["auto", "remove_frames", "quiet_remove_frames",
                                   "tracebackhide"])  # fmt: skip
def test_the_ways_to_filter(value):
    with filtering(value):
        error = raised_by(TRANSFORMS["jit(vmap(grad))"](wrong_shapes))
    assert "minijax" not in {module for module, _ in frames(error)}
    notes = getattr(error, "__notes__", [])
    assert len(notes) == (value == "remove_frames")
    assert all("jax_traceback_filtering" in note for note in notes)


def test_in_a_notebook():
    """IPython shows the traceback that the error carries."""
    ultratb = pytest.importorskip("IPython.core.ultratb")
    error = raised_by(TRANSFORMS["jit(vmap(grad))"](wrong_shapes))
    lines = ultratb.AutoFormattedTB(mode="Context", theme_name="nocolor").text(
        type(error), error, error.__traceback__
    )
    assert "minijax/core" not in lines and "helper" in lines and "# wrong" in lines


# Without a transformation.

X = jnp.ones(3)
TREE = jax.tree.structure([1, 2])
EAGER = {
    "jnp": lambda: jnp.add(jnp.ones(2), X), "operator": lambda: jnp.ones(2) + X,
    "reflected": lambda: np.ones(2) - X, "comparison": lambda: [1, 2] == X,
    "method": lambda: X.reshape(7), "property": lambda: X.mT, "index": lambda: X["a"],
    "update": lambda: X.at[0].set(jnp.ones(7)), "assignment": lambda: X.__setitem__(0, 1.0),
    "bool": lambda: bool(X), "int": lambda: int(X), "iter": lambda: iter(jnp.float32(1)),
    "len": lambda: len(jnp.float32(1)), "zeros": lambda: jnp.zeros(-1),
    "lax": lambda: lax.add(jnp.ones(2), X), "lax rule": lambda: lax.reshape(X, (7,)),
    "random": lambda: jax.random.normal(jax.random.key(0), (-1,)),
    "tree": lambda: jax.tree.map(jnp.add, [1], [1, 2]), "treedef": lambda: TREE.unflatten([1]),
    "config": lambda: jax.config.update("no", 1), "dtype": lambda: jnp.float32("a"),
    "promotion": lambda: jax.numpy_dtype_promotion("no"), "jit": lambda: jax.jit(3),
    "shape": lambda: jax.ShapeDtypeStruct((-1,), np.float32), "devices": lambda: jax.devices("a"),
    "planned": lambda: jax.float0, "planned method": lambda: X.traceback,
    "no name": lambda: jax.nope,
    "missing": lambda: jnp.sum(), "too many": lambda: jnp.dot(1, 2, 3),
    "eval_jaxpr": lambda: jax.core.eval_jaxpr(jax.make_jaxpr(jnp.sin)(1.0).jaxpr, []),
}  # fmt: skip


@pytest.mark.parametrize("name", EAGER)
def test_nor_does_an_error_that_no_transformation_saw(name):
    error = raised_by(EAGER[name])
    assert [function for _, function in frames(error)] == ["raised_by", "<lambda>"]
    text = "".join(traceback.format_exception(error))
    assert "minijax/" not in text and "During" not in text and "direct cause" not in text, text
    assert "  here: " not in text
    with filtering("off"):
        error = raised_by(EAGER[name])
    assert "minijax" in {module for module, _ in frames(error)}


def test_a_primitive_that_is_bound_directly_is_a_boundary_too():
    calls = {
        "add": lambda: lax.add_p.bind(jnp.ones(2), X),
        "impl": lambda: dividing_p.bind(X),
        "traced": lambda: jax.make_jaxpr(lambda x: lax.add_p.bind(jnp.ones(2), x))(X),
    }
    inner = {"add": [], "impl": ["divide"], "traced": ["<lambda>"]}
    for name, call in calls.items():
        names = [function for _, function in frames(raised_by(call))]
        assert names == ["raised_by", "<lambda>", *inner[name]]


dividing_p = Primitive("dividing")


@dividing_p.def_impl
def divide(x):
    return 1 // 0


def test_public_functions_are_found_by_their_names():
    for fun in (jnp.sin, jnp.sum, lax.add, lax.psum, jax.random.normal, jax.random.split,
                jax.tree.map, jax.vmap, jax.jit, jax.jacfwd, jax.typeof):  # fmt: skip
        assert pickle.loads(pickle.dumps(fun)) is fun
    assert jnp.sin.__name__ == "sin" and str(inspect.signature(jnp.sin)).startswith("(x: ")
    assert jax.tree.map is jax.tree_util.tree_map


def test_a_users_cause_stays():
    class Incomparable:
        def __eq__(self, other):
            raise ZeroDivisionError

        __hash__ = None

    tree, other = (jax.tree_util.Partial(abs, Incomparable()) for _ in range(2))
    jax.tree_util.register_pytree_node(Incomparable, lambda x: ((), x), lambda aux, _: aux)
    error = raised_by(lambda: jax.tree.map(jnp.add, tree, other))
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert [name for _, name in frames(error.__cause__)] == ["__eq__"]


def test_what_a_user_was_handling_stays():
    def handles():
        try:
            raise KeyError("x")
        except KeyError:
            jnp.asarray("a")

    error = raised_by(handles)
    assert isinstance(error.__context__, KeyError) and not error.__suppress_context__
    assert [name for _, name in frames(error.__context__)] == ["handles"]


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_a_recursion_without_end_is_told_as_one(wrap):
    def f(x):
        return f(jnp.sin(x))

    error = raised_by(lambda: wrap(f)(1.0))
    assert isinstance(error, RecursionError) and error.__context__ is None
    assert [name for _, name in frames(error)][:2] == ["raised_by", "<lambda>"]


def test_a_warning_names_the_users_line():
    def converts():
        return lax.convert_element_type(np.complex64(1j), np.float32)

    def asks():
        return jnp.zeros(3, np.float64), jnp.sum(X, dtype=np.float64), X.sum(dtype=np.float64)

    def updates():
        return X.astype(int).at[0].set(1.5)

    for fun, count in [(converts, 1), (asks, 3), (updates, 1), (jax.jit(converts), 1)]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fun()
        line = inspect.unwrap(fun).__code__.co_firstlineno + 1
        assert [(w.filename, w.lineno) for w in caught] == [(__file__, line)] * count


def test_a_boundary_returns_and_raises_as_its_function_does():
    @api_boundary
    def f(x, *, y=2):
        """A docstring."""
        if x is None:
            raise KeyError("x") from ZeroDivisionError("cause")
        return x + y

    assert f(1) == 3 and f(1, y=3) == 4
    assert (f.__name__, f.__doc__) == ("f", "A docstring.")
    with pytest.raises(KeyError) as caught:
        f(None)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


# The place in a message.


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_wrong_shape_names_the_line_of_the_traced_function(name):
    message = str(raised_by(TRANSFORMS[name](wrong_shapes)))
    assert message.endswith(f"\n  here: {__file__}:{line_of(helper, '# wrong')} in helper")
    with filtering("off"):
        assert str(raised_by(TRANSFORMS[name](wrong_shapes))) == message
    assert str(raised_by(TRANSFORMS[name](callers_error))).count("\n") == 0


@pytest.mark.parametrize("transform", [jax.vmap, lambda f: jax.jit(jax.vmap(f))])
def test_the_line_is_that_of_the_equation_where_a_program_is_run(transform):
    unknown_p = Primitive("unknown")
    unknown_p.def_impl(lambda x: x)
    unknown_p.def_abstract_eval(lambda x: x)

    def f(x):
        return unknown_p.bind(x)  # no rule

    error = raised_by(lambda: transform(jax.jit(f))(XS))
    assert str(error).endswith(f"\n  here: {__file__}:{line_of(f, '# no rule')} in f")


def test_a_callback_names_its_line():
    error = raised_by(lambda: jax.tree.map(lambda x: x.reshape(7), [X]))
    assert str(error).endswith("in <lambda>") and "\n  here: " in str(error)


def test_the_users_messages_are_theirs():
    class Strange(Exception):
        def __str__(self):
            return "strange"

    def f(x):
        raise error

    for error in (ValueError("x " * 90), KeyError("x " * 90), Strange(), ValueError(1, 2)):
        before = str(error)
        assert raised_by(lambda: jax.jit(f)(1.0)) is error and str(error) == before


def test_a_cell_of_a_notebook_goes_by_its_number(monkeypatch):
    def format_code_name(file):
        return ("Cell", "In[3]") if file == __file__ else None

    shell = types.SimpleNamespace(compile=types.SimpleNamespace(format_code_name=format_code_name))
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    line = helper.__code__.co_firstlineno
    assert str(SourceInfo(helper.__code__, line)) == f"Cell In[3], line {line} in helper"
    other = SourceInfo(inspect.unwrap(jnp.sin).__code__, 7)
    assert str(other).endswith("angles.py:7 in sin")
    info = DebugInfo("jit", helper, lambda fun: [])
    assert str(info) == f"helper at Cell In[3], line {line}, traced for jit"
    shell = types.SimpleNamespace()  # an older IPython
    assert str(SourceInfo(helper.__code__, line)) == f"{__file__}:{line} in helper"


# Modules that are no part of the user's program.

LIBRARY = """
from minijax import lax
from minijax.core.extend import api_boundary
from minijax.core.errors import user_source

@api_boundary
def layer(f, x):
    if x is None:
        raise ValueError("layer needs an x.")
    return f(x), user_source()
"""


@pytest.fixture
def library():
    """A module on top of minijax."""
    module = types.ModuleType("library.layers")
    exec(LIBRARY, vars(module))
    yield module
    core_errors._excluded.pop("library", None)
    core_errors._is_excluded.cache_clear()


def test_a_library_on_top_can_be_skipped_as_well(library):
    def f(x):
        return library.layer(lambda x: x, x)

    assert f(1.0)[1].code.co_name == "layer"
    assert [name for _, name in frames(raised_by(lambda: f(None)))][2:] == ["f", "layer"]
    register_exclusion("library")
    assert f(1.0)[1][:2] == (f.__code__, f.__code__.co_firstlineno + 1)
    error = raised_by(lambda: f(None))
    assert [name for _, name in frames(error)][2:] == ["f"]
    assert str(error) == "layer needs an x."
    error = raised_by(lambda: jax.jit(lambda x: f(None))(1.0))
    assert str(error).endswith(f":{f.__code__.co_firstlineno + 1} in f")
    jaxpr = jax.make_jaxpr(lambda x: library.layer(library.lax.sin, x)[0])(1.0)
    assert jaxpr.eqns[0].source_info.code.co_name == "<lambda>"


def test_a_prefix_is_whole_names(library):
    library.__name__ = "librarylayers"
    register_exclusion("library")
    assert library.layer(lambda x: x, 1.0)[1].code.co_name == "layer"


def test_a_function_in_a_module_of_ours_is_skipped():
    names = {"__name__": "minijax.inside", "user_source": user_source}
    find = types.FunctionType((lambda: user_source()).__code__, names)
    assert find().code is inspect.currentframe().f_code


# Long messages.


def test_lines_break_between_words(monkeypatch):
    monkeypatch.setattr(core_errors, "WIDTH", 30)
    assert break_lines("one two three four five six seven") == "one two three four five six\nseven"
    assert break_lines("one two three four five", 20) == "one two\nthree four five"
    for code in ("`x = jnp.where(condition, a, b)`", "Array([1., 2.], dtype=float32, weak_type=1)",
                 "[float32[3], float32[4], float32[5]]", "{ lambda ; a:f32[3]. let b = a in (b,) }",
                 "f(x, g(y, z), a_long_name, another)", "x = x.at[0].set(some_other_value)"):
        broken = break_lines(f"It was given {code}, which it refuses at once.")
        assert code in broken and "\n" in broken
    kept = "short\n  here: /a/path with spaces/that_is_long.py:3 in f"
    assert break_lines(kept) == kept
    error = raised_by(lambda: jnp.add(jnp.ones(2), X))
    assert max(map(len, f"TypeError: {error}".split("\n"))) <= 30


# Leaks: a tracer that outlives its trace.


def line_of(fun, text):
    lines, start = inspect.getsourcelines(fun)
    (number,) = [start + i for i, line in enumerate(lines) if text in line]
    return number


LEAKING = {
    "jit": lambda f: jax.jit(f)(1.0), "grad": lambda f: jax.grad(f)(1.0),
    "vmap": lambda f: jax.vmap(f)(XS), "jvp": lambda f: jax.jvp(f, (1.0,), (1.0,)),
    "linearize": lambda f: jax.linearize(f, 1.0), "vjp": lambda f: jax.vjp(f, 1.0),
    "jit(grad)": lambda f: jax.jit(jax.grad(f))(1.0),
    "grad(jit)": lambda f: jax.grad(jax.jit(f))(1.0),
    "vmap(grad)": lambda f: jax.vmap(jax.grad(f))(XS),
    "eval_shape": lambda f: jax.eval_shape(f, 1.0),
    "make_jaxpr": lambda f: jax.make_jaxpr(f)(1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKING)
def test_a_leak_names_the_operation_and_its_line(name):
    kept = []

    def f(x):
        y = lax.sin(x)
        kept.append(lax.mul(y, y))
        return y

    LEAKING[name](f)
    line = f"{__file__}:{line_of(f, 'lax.mul')} in f"
    for use in (
        lambda: kept[0] + 1.0, lambda: jax.jit(lambda x: x * kept[0])(1.0),
        lambda: jax.grad(lambda x: x * kept[0])(1.0), lambda: jnp.sum(kept[0]),
    ):  # fmt: skip
        with pytest.raises(UnexpectedTracerError, match="made by: mul at") as caught:
            use()
        assert line in str(caught.value) and "traced: f" in str(caught.value)


@pytest.mark.parametrize("name", LEAKING)
def test_a_leaked_argument_is_called_one(name):
    kept = []
    LEAKING[name](lambda x: kept.append(x) or lax.sin(x))
    with pytest.raises(UnexpectedTracerError) as caught:
        kept[0] + 1.0
    assert "made by: mul" not in str(caught.value) and "sin" not in str(caught.value)


@pytest.mark.parametrize("name", LEAKING)
def test_checking_leaks_finds_one(name, module_few_objects):
    kept = []

    def f(x):
        y = lax.sin(x)
        kept.append(lax.mul(y, y))
        return y

    LEAKING[name](f)  # traced before anybody looked
    kept.clear()
    with jax.checking_leaks():
        with pytest.raises(Exception, match="made by: mul at") as caught:
            LEAKING[name](f)
    assert f":{line_of(f, 'lax.mul')} in f" in str(caught.value)
    assert "still held" in str(caught.value)
    kept.clear()
    LEAKING[name](lambda x: kept.append(x) or x * 1.0)


class Model:
    """Keeps what it was called with while it is called."""

    def __call__(self, x):
        self.hidden = lax.sin(x)
        out = self.hidden * x
        del self.hidden
        return out


def harmless(x):
    """Holds on to tracers in many ways, and lets go of all of them."""
    try:
        raise ValueError(x)
    except ValueError as error:
        y = error.args[0] * 2.0
    cycle = [y]
    cycle.append(cycle)
    z = jax.jit(lambda u: jax.grad(jax.jit(lambda v: jax.vmap(lambda w: w * v)(XS)[0] * y))(u))(x)
    return Model()(y) + z * cycle[0] * jnp.sum(XS)


@pytest.mark.parametrize("name", LEAKING)
def test_checking_leaks_finds_none_where_there_is_none(name, module_few_objects):
    with jax.checking_leaks():
        LEAKING[name](harmless)


def test_checking_leaks_passes_on_what_is_raised_inside():
    with jax.checking_leaks(), pytest.raises(ValueError, match="invalid literal"):
        jax.jit(jax.grad(callers_error))(1.0)


def test_results_are_no_leak(module_few_objects):
    with jax.checking_leaks():
        y, f_vjp = jax.vjp(jax.jit(lambda x: lax.sin(x) * x), 1.0)
        f_jvp = jax.linearize(lambda x: lax.sin(x) * x, 1.0)[1]
        np.testing.assert_allclose(f_vjp(1.0)[0], f_jvp(1.0))
        out, aux = jax.grad(lambda x: (lax.sin(x), {"y": x * 2.0}), has_aux=True)(1.0)
        assert float(aux["y"]) == 2.0


# The checker names the equation.


def test_a_jaxpr_type_error_is_a_type_error():
    closed = jax.make_jaxpr(lambda x: lax.sin(x))(1.0)
    with pytest.raises(JaxprTypeError):
        check_jaxpr(closed.jaxpr.replace(invars=[]))


class Silent:
    """A value that can't be shown."""

    def __repr__(self):
        raise ValueError("no repr")


class Unhashable(Silent):
    __hash__ = None


@pytest.mark.parametrize(
    ("error", "run"),
    [
        (TypeError, lambda x: jax.jit(abs)(x)),
        (TypeError, lambda x: jax.jit(lambda: x)()),
        (TypeError, lambda x: jax.jit(abs)((1.0, {"k": x}))),
        (TypeError, jax.jit),
        (TypeError, lambda x: jax.jit(abs, static_argnums=x)),
        (TypeError, lambda x: jax.jit(abs, static_argnames=x)),
        (TypeError, lambda x: jax.jit(abs, donate_argnums=x)),
        (TypeError, lambda x: jax.grad(abs, argnums=x)(1.0)),
        (ValueError, lambda x: jax.jit(abs, static_argnums=0)(Unhashable())),
        (TypeError, lambda x: jax.grad(abs)(x)),
        (TypeError, lambda x: jax.grad(lambda y: x)(1.0)),
        (TypeError, lambda x: jax.vmap(abs)(x)),
        (TypeError, lambda x: jax.vmap(abs, in_axes=x)),
        (TypeError, lambda x: jax.vmap(lambda y: x)(np.ones(2))),
        (TypeError, lambda x: jax.jvp(abs, (x,), (1.0,))),
        (TypeError, lambda x: jax.vjp(abs, x)),
        (TypeError, lambda x: jax.checkpoint(abs)(x)),
        (TypeError, lambda x: lax.scan(x, 0.0, np.ones(2))),
        (TypeError, lambda x: lax.scan(lambda c, y: (c, y), x, np.ones(2))),
        (TypeError, lambda x: lax.add(x, 1.0)),
        (ValueError, lambda x: jax.jit(abs)({x: 1.0, Silent(): 2.0})),
    ],
)
def test_what_can_not_be_shown_is_named_by_its_class(error, run):
    with pytest.raises(error, match="of class (Silent|Unhashable|tuple|list)") as caught:
        run(Silent())
    assert "no repr" not in str(caught.value)
