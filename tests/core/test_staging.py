"""Staging: jaxprs recorded, run, checked, cleaned and printed."""

import weakref

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.arguments import as_tuple
from minijax.core.arrays import as_array
from minijax.core.errors import JaxprTypeError
from minijax.core.printing import Break, Group, Nest, format_doc
from minijax.core.staging import (
    ClosedJaxpr,
    Jaxpr,
    Literal,
    Var,
    check_jaxpr,
    dce_jaxpr,
    eval_jaxpr,
    jaxpr_as_fun,
)
from minijax.core.tracing import Primitive, ShapedArray, trace_ctx

make_jaxpr = jax.make_jaxpr
F32 = ShapedArray((), "float32")
ONE = np.float32(1.0)


def names(jaxpr):
    return [eqn.primitive.name for eqn in jaxpr.eqns]


# Recording.


def test_scalars_are_literals_and_arrays_constvars_once():
    table = np.arange(3, dtype=np.float32)
    closed = make_jaxpr(lambda x: lax.mul(lax.add(x, table), table) + 2.0)(table)
    assert len(closed.constvars) == 1 and isinstance(closed.consts[0], jax.Array)
    table[0] = 7  # what counts is what it held while it was traced
    np.testing.assert_array_equal(closed.consts[0], [0, 1, 2])
    literal = closed.eqns[-1].invars[1]
    assert type(literal) is Literal and literal.val == 2.0 and str(literal) == "2.0:f32[]"
    assert repr(literal) == "Literal(2.0)"
    check_jaxpr(closed)


@pytest.mark.parametrize("fun, x, shown", [
    (lambda x: x * 0.1, 1.0, "mul a 0.1:f32[]"),  # as it was written
    (lambda x: x * 0.1, np.ones(3, np.float32), "mul a 0.10000000149011612:f32[]"),  # as it is
    (lambda x: x * np.float32(0.1), 1.0, "mul b 0.10000000149011612:f32[]"),
    (lambda x: x * lax.convert_element_type_p.bind(
        1.5, new_dtype=np.dtype("float32"), weak_type=False, sharding=None), np.float32(1),
     "let b:f32[] = mul a 1.5:f32[] in"),  # a constant is converted at once
])
def test_numbers_in_jaxprs(fun, x, shown):
    closed = make_jaxpr(fun)(x)
    assert shown in str(closed)
    (result,) = eval_jaxpr(closed.jaxpr, closed.consts, x)
    np.testing.assert_array_equal(result, fun(jnp.asarray(x)))


def test_a_tracer_closed_over_is_one_constvar():
    seen = []

    def outer(x):
        closed = make_jaxpr(lambda y: x * y + x)(1.0)
        seen.append((closed, x))
        return eval_jaxpr(closed.jaxpr, closed.consts, 3.0)[0]

    assert jax.grad(outer)(2.0) == 4.0
    closed, tracer = seen[0]
    assert closed.consts[0] is tracer
    assert len(closed.constvars) == 1


def test_a_thousand_equations():
    def f(x):
        for _ in range(1000):
            x = lax.sin(x)
        return x

    closed = make_jaxpr(f)(ONE)
    assert len(closed.eqns) == 1000 and str(closed).count("sin") == 1000
    check_jaxpr(closed)
    want = ONE
    for _ in range(1000):
        want = np.sin(want)
    np.testing.assert_allclose(eval_jaxpr(closed.jaxpr, closed.consts, ONE)[0], want, rtol=1e-4)
    np.testing.assert_allclose(jax.jit(f)(ONE), want, rtol=1e-4)


def test_equations_know_their_line():
    closed = make_jaxpr(lambda x: lax.sin(x))(ONE)
    code, line, *rest = closed.eqns[0].source_info
    assert code.co_filename == __file__ and (line, rest[0]) == (code.co_firstlineno, ())


@pytest.mark.parametrize("args, kwargs, static, text", [
    ((1.0, 3), {}, 1, "{ lambda ; a:f32[]. let b:f32[] = mul a 3.0:f32[] in (b,) }"),
    ((3, 1.0), {}, (0,), "{ lambda ; a:f32[]. let b:f32[] = mul 3.0:f32[] a in (b,) }"),
    ((3, 1.0), {}, -2, "{ lambda ; a:f32[]. let b:f32[] = mul 3.0:f32[] a in (b,) }"),
    ((1.0,), {"y": 2.0}, (), "{ lambda ; a:f32[] b:f32[]. let c:f32[] = mul a b in (c,) }"),
    ((2, 3), {}, (0, 1), "{ lambda ; . let  in (6:i32[],) }"),
])
def test_make_jaxpr_and_static_arguments(args, kwargs, static, text):
    assert str(make_jaxpr(lambda x, y: x * y, static_argnums=static)(*args, **kwargs)) == text


def test_return_shape():
    closed, shape = make_jaxpr(lambda x: {"a": x * 2, "b": (1.0, None)}, return_shape=True)(
        np.ones((2, 3), np.float32))
    assert isinstance(closed, ClosedJaxpr)
    assert shape == {"a": jax.ShapeDtypeStruct((2, 3), "float32"),
                     "b": (jax.ShapeDtypeStruct((), "float32", weak_type=True), None)}


def test_eval_shape_computes_nothing():
    def f(x, scale):
        assert not isinstance(x, np.ndarray)
        return {"y": x @ x.T * scale}

    like = jax.ShapeDtypeStruct((10**5, 10**5), np.float32)  # 40 GB, were it there
    assert jax.eval_shape(f, like, scale=2) == {"y": like}
    assert jax.eval_shape(lambda x: x, 1.0).weak_type
    assert jax.eval_shape(lambda x: x, jax.ShapeDtypeStruct((), "int64")).dtype == np.int32


def test_shape_dtype_struct():
    x = jax.ShapeDtypeStruct([2, np.int64(3)], "float32")
    assert (x.shape, x.dtype, x.ndim, x.size, len(x)) == ((2, 3), np.dtype("f4"), 2, 6, 2)
    assert x == jax.ShapeDtypeStruct((2, 3), np.float32) and len({x, x}) == 1
    assert x != jax.ShapeDtypeStruct((2, 3), np.float32, weak_type=True) and x != (2, 3)
    for bad, error in [(lambda: jax.ShapeDtypeStruct((2,), None), ValueError),
                       (lambda: jax.ShapeDtypeStruct((-2,), "f4"), TypeError),
                       (lambda: jax.ShapeDtypeStruct((2.5,), "f4"), TypeError),
                       (lambda: len(jax.ShapeDtypeStruct((), "f4")), TypeError)]:
        with pytest.raises(error, match="dtype|ShapeDtypeStruct|shape|dimension"):
            bad()


def test_anything_with_a_shape_and_a_dtype_stands_for_an_array():
    class Description:
        shape, dtype = (2, 3), np.dtype("float64")

    assert jax.eval_shape(lambda x: x.T, Description()) == jax.ShapeDtypeStruct((3, 2), "float32")
    assert str(make_jaxpr(lambda x: x)(Description())) == "{ lambda ; a:f32[2,3]. let  in (a,) }"
    with pytest.raises(TypeError, match="argument x: .*Description"):
        jax.jit(lambda x: x)(Description())


@pytest.mark.parametrize("stage", [make_jaxpr, jax.eval_shape])
def test_only_functions_are_staged(stage):
    with pytest.raises(TypeError, match=f"{stage.__name__} takes a function.*got 3"):
        stage(3)


# Running.


def test_eval_jaxpr_runs_under_any_trace():
    closed = make_jaxpr(lambda x, y: (jnp.sin(x) * y, x))(1.0, 2.0)
    f = jaxpr_as_fun(closed)
    out = f(ONE, np.float32(3.0))
    np.testing.assert_allclose(out, [3 * np.sin(1.0), 1.0], rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda x: f(x, 3.0)[0])(1.0), 3 * np.cos(1.0), rtol=1e-6)
    xs = np.arange(3, dtype=np.float32)
    np.testing.assert_allclose(jax.vmap(lambda x: f(x, 3.0)[0])(xs), 3 * np.sin(xs), rtol=1e-6)
    assert str(make_jaxpr(lambda x, y: tuple(f(x, y)))(1.0, 2.0)) == str(closed)


@pytest.mark.parametrize("args", [(), (1.0, 2.0)])
def test_eval_jaxpr_counts_its_arguments(args):
    closed = make_jaxpr(lambda x: x * 2)(1.0)
    with pytest.raises(TypeError, match=f"takes 1 arguments, and got {len(args)}"):
        eval_jaxpr(closed.jaxpr, closed.consts, *args)


def test_eval_jaxpr_drops_each_value_after_its_last_use():
    made, alive = [], []
    step_p = Primitive("step")
    step_p.def_abstract_eval(lambda x: x)

    @step_p.def_impl
    def step(x):
        alive.append(sum(ref() is not None for ref in made))
        out = as_array(np.asarray(x) + 1)
        made.append(weakref.ref(out))
        return out

    def chain(x):
        y = first = step_p.bind(x)
        for _ in range(4):
            y = step_p.bind(y)
        step_p.bind(y)  # of no use to anybody
        return y, step_p.bind(first)

    closed = make_jaxpr(chain)(np.ones(2, np.float32))
    eval_jaxpr(closed.jaxpr, closed.consts, np.ones(2, np.float32))
    assert alive == [0, 1, 2, 2, 2, 2, 2], "before each step"


def test_eval_jaxpr_puts_the_place_in_the_users_code_back():
    closed = make_jaxpr(jax.named_scope("wave")(jnp.sin))(1.0)
    eval_jaxpr(closed.jaxpr, closed.consts, 1.0)
    assert (trace_ctx.source, trace_ctx.name_stack) == (None, ())
    with pytest.raises(TypeError):
        eval_jaxpr(closed.jaxpr, closed.consts, "no number")
    assert (trace_ctx.source, trace_ctx.name_stack) == (None, ())


# Checking.


def sample():
    return make_jaxpr(lambda x: lax.cos(lax.sin(x)))(ONE)


def broken(change):
    """A jaxpr of sin and cos, with a list of its equations changed."""
    jaxpr = sample().jaxpr
    eqns = list(jaxpr.eqns)
    return change(jaxpr, eqns) or jaxpr.replace(eqns=eqns)


def set_eqn(eqns, i, **changes):
    eqns[i] = eqns[i]._replace(**changes)


FLAWS = {
    "unbound": (lambda j, e: set_eqn(e, 1, invars=[Var(F32)]), "Equation 1, .*= cos.* reads a"),
    "late": (lambda j, e: e.reverse(), "Equation 0, .*= cos.* before it is set"),
    "dtype": (lambda j, e: set_eqn(e, 0, outvars=[Var(ShapedArray((), "int32"))]),
              r"Equation 0, .*= sin.*types \[ShapedArray\(int32\[\]\)\]; its rule says .*float32"),
    "shape": (lambda j, e: set_eqn(e, 1, outvars=[Var(ShapedArray((2,), "float32"))]),
              r"Equation 1, .*= cos.*float32\[2\]"),
    "two results": (lambda j, e: set_eqn(e, 1, outvars=[Var(F32), Var(F32)]), "Equation 1.*types"),
    "twice": (lambda j, e: set_eqn(e, 1, outvars=e[0].outvars),
              "Equation 1, .*= cos.* binds a variable .*second time"),
    "bound by the lambda": (lambda j, e: set_eqn(e, 0, outvars=j.invars),
                            "Equation 0, .*= sin.* second time"),
    "lambda twice": (lambda j, e: j.replace(invars=j.invars * 2), "The lambda binds .*second"),
    "result": (lambda j, e: j.replace(outvars=[Var(F32)]), "The result reads .*float32"),
    "operands": (lambda j, e: set_eqn(e, 0, invars=[Literal(1)]),
                 "Equation 0, .*= sin.*operands do not fit: sin takes floats"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found_and_its_equation_named(flaw):
    change, words = FLAWS[flaw]
    check_jaxpr(sample())
    with pytest.raises(JaxprTypeError, match=words) as caught:
        check_jaxpr(broken(change))
    if "Equation" in words:
        assert f"from {__file__}:" in str(caught.value)


def test_a_flaw_inside_a_jit_is_found():
    closed = make_jaxpr(lambda x: jax.jit(lax.sin)(x))(ONE)
    (eqn,) = closed.eqns
    inner = broken(FLAWS["late"][0])
    bad = eqn._replace(params={**eqn.params, "jaxpr": ClosedJaxpr(inner, [])})
    with pytest.raises(JaxprTypeError, match="(?s)Equation 0, .*jit.*Equation 0, .*cos"):
        check_jaxpr(closed.jaxpr.replace(eqns=[bad]))
    wide = make_jaxpr(lax.sin)(np.ones(3, np.float32))
    bad = eqn._replace(params={**eqn.params, "jaxpr": wide})
    with pytest.raises(JaxprTypeError, match=r"jit takes .*float32\[3\].*is given .*float32\[\]"):
        check_jaxpr(closed.jaxpr.replace(eqns=[bad]))


@pytest.mark.parametrize("consts", [[], [np.ones(3, np.float32)] * 2, [np.ones(2, np.float32)],
                                    [np.ones(3, np.int32)]], ids=["none", "two", "shape", "dtype"])
def test_consts_that_do_not_fit(consts):
    closed = make_jaxpr(lambda x: x + np.ones(3, np.float32))(ONE)
    check_jaxpr(closed)
    with pytest.raises(JaxprTypeError, match="The constvars have the types"):
        check_jaxpr(ClosedJaxpr(closed.jaxpr, consts))


def test_the_checker_looks_past_weak_types():
    closed = make_jaxpr(lambda x: x * 2.0)(1.0)
    out = [Var(F32)]
    eqn = closed.eqns[0]._replace(outvars=out)
    check_jaxpr(closed.jaxpr.replace(eqns=[eqn], outvars=out))


# Removing.


@pytest.mark.parametrize("used, eqns, inputs", [
    ([True, True], ["sin", "cos", "mul"], [True, True]), ([True, False], ["sin"], [True, False]),
    ([False, True], ["cos", "mul"], [False, True]), ([False, False], [], [False, False]),
])
@pytest.mark.parametrize("inside", [False, True], ids=["plain", "jit"])
def test_dce(used, eqns, inputs, inside):
    def f(x, y):
        lax.exp(x)
        return lax.sin(x), lax.mul(lax.cos(y), y)

    jaxpr = make_jaxpr(jax.jit(f) if inside else f)(ONE, ONE).jaxpr
    before = str(jaxpr)
    small, used_inputs = dce_jaxpr(jaxpr, used)
    check_jaxpr(small)
    assert used_inputs == inputs and len(small.invars) == sum(inputs)
    body = small
    if inside and small.eqns:
        (eqn,) = small.eqns
        body = eqn.params["jaxpr"].jaxpr
        assert len(eqn.invars) == sum(inputs) and len(eqn.outvars) == sum(used)
    assert names(body) == eqns and str(jaxpr) == before
    kept, used_inputs = dce_jaxpr(jaxpr, used, instantiate=True)
    assert used_inputs == [True, True] and kept.invars == jaxpr.invars
    kept, used_inputs = dce_jaxpr(jaxpr, used, instantiate=[False, True])
    assert used_inputs == [inputs[0], True]


# Printing.


def test_names_go_beyond_z():
    def f(x):
        for _ in range(30):
            x = lax.sin(x)
        return x

    text = str(make_jaxpr(f)(ONE))
    assert "z:f32[] = sin y\n    ba:f32[] = sin z\n    bb:f32[] = sin ba" in text
    assert text.endswith("in (be,) }")


def test_results_that_nobody_reads_are_underscores():
    assert str(make_jaxpr(lambda x: (lax.sin(x), x)[1])(ONE)) == (
        "{ lambda ; a:f32[]. let _:f32[] = sin a in (a,) }")


def test_a_jaxpr_that_is_used_twice_is_printed_once_in_front():
    f = jax.jit(lambda x: lax.sin(x))
    text = str(make_jaxpr(lambda x: f(f(x)))(ONE))
    assert text == (
        "let lambda = { lambda ; a:f32[]. let b:f32[] = sin a in (b,) } in\n"
        "{ lambda ; c:f32[]. let\n"
        "    d:f32[] = jit[name=<lambda> jaxpr=lambda] c\n"
        "    e:f32[] = jit[name=<lambda> jaxpr=lambda] d\n"
        "  in (e,) }")


def test_two_shared_jaxprs_of_one_name_are_told_apart():
    def make(op):
        @jax.jit
        def f(x):
            return op(x)
        return f

    f, g = make(lax.sin), make(lax.cos)
    text = str(make_jaxpr(lambda x: f(g(f(g(x)))))(ONE))
    assert text.count("sin") == text.count("cos") == 1
    assert "let f = {" in text and "let f1 = {" in text


def test_lines_are_80_wide_and_what_fits_stays_on_one():
    exact = make_jaxpr(lambda x: lax.sin(lax.sin(x)))(ONE)
    line = "{ lambda ; a:f32[]. let b:f32[] = sin a; c:f32[] = sin b in (c,) }"
    assert str(exact) == line and len(line) <= 80
    text = str(make_jaxpr(lambda x: lax.sin(lax.sin(lax.sin(x))))(ONE))
    assert text.count("\n") == 4 and max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("width, text", [
    (11, "(a b [c d])"), (10, "(a\n  b\n  [c d])"), (7, "(a\n  b\n  [c d])"),
    (6, "(a\n  b\n  [c\n    d])"),
])
def test_documents(width, text):
    inner = Group(["[", Nest(["c", Break(), "d"]), "]"])
    doc = Group(["(", Nest(["a", Break(), "b", Break(), inner]), ")"])
    assert format_doc(doc, width) == text


@pytest.mark.parametrize("f, text", [
    (lambda x: lax.convert_element_type(x, np.int32),
     "convert_element_type[new_dtype=int32 weak_type=False] a"),
    (lambda x: lax.broadcast_in_dim(x, (2, 3), ()), "b:f32[2,3] = broadcast_in_dim a"),
    (lambda x: lax.integer_pow(x, 3), "integer_pow[y=3] a"),
    (lambda x: lax.add(x, np.float32(1e-9)), "add a 9.999999717180685e-10:f32[]"),
    (lambda x: jax.jit(lax.sin, keep_unused=True)(x), "keep_unused=True"),
])
def test_parameters_as_text(f, text):
    assert text in str(make_jaxpr(f)(ONE))


def test_an_equation_a_variable_and_a_jaxpr_as_text():
    closed = sample()
    assert repr(closed.eqns[0]) == "a:f32[] = sin b" and "float32[]" in repr(closed.invars[0])
    assert repr(closed) == repr(closed.jaxpr)
    assert repr(Jaxpr([], [], [], [])) == "{ lambda ; . let  in () }"


def test_as_tuple():
    assert list(map(as_tuple, [None, 3, "ab", [1, 2], ("a",)])) == [
        (), (3,), ("ab",), (1, 2), ("a",)]


def test_a_number_that_a_program_makes_is_a_value_of_it():
    seen = []

    def f(x):
        three = jnp.int32(3)
        inner = jax.make_jaxpr(lambda y: y * three)(1)
        seen.extend([isinstance(three, jax.core.Tracer), inner.consts[0] is three])
        return x * lax.convert_element_type(three, "float32")

    jaxpr = jax.make_jaxpr(f)(2.0)
    assert seen == [True, True]
    assert not jaxpr.consts and [eqn.primitive.name for eqn in jaxpr.eqns][-1] == "mul"
    assert str(jaxpr.eqns[-1].invars[1]) == "3.0:f32[]"


def test_a_number_of_a_program_is_not_known_while_it_is_traced():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(lambda x: x if jnp.int32(3) > 2 else -x)(1.0)
