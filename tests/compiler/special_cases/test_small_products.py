"""Products as kernels: every order of axes, sizes that four doesn't go into, and none at all."""

import math
import re
from functools import partial

import numpy as np
import pytest

import minijax as jax
from kernel_runs import interpreted
from minijax import lax
from minijax.compiler.doors import as_function, compile_source
from minijax.compiler.executable import FLAGS, Executable
from minijax.compiler.maths import blas
from minijax.compiler.passes.simplify import simplify
from minijax.compiler.special_cases.small_products import TOGETHER, dot_source, turned
from minijax.core.jitting import CompileOptions
from minijax.core.staging import eval_jaxpr

RANDOM = np.random.default_rng(0)

# As in einsum: the operands' axes by name, and sizes.
PRODUCTS = {
    "ik,kj": dict(i=9, k=7, j=33),
    "ik,jk": dict(i=5, k=9, j=6),
    "ki,kj": dict(i=4, k=3, j=5),
    "ki,jk": dict(i=6, k=8, j=2),
    "ik,k": dict(i=5, k=6),
    "ki,k": dict(i=7, k=5),
    "k,kj": dict(k=4, j=9),
    "k,k": dict(k=11),
    "bik,bkj": dict(b=2, i=5, k=4, j=3),
    "kbi,jbk": dict(b=3, i=6, k=5, j=4),
    "ihk,kj": dict(i=2, h=6, k=5, j=7),
    "ik,khj": dict(i=6, k=3, h=2, j=4),
    "bik,bk": dict(b=2, i=3, k=5),
}
SIZES_OF_ROWS = {f"ik,kj {i} {k} {j}": ("ik,kj", dict(i=i, k=k, j=j))
                 for i in (0, 1, 2, 3, 4, 5, 8) for k in (0, 1, 4, 6) for j in (0, 1, 2, 8)}


def product_of(spec, sizes, dtype):
    """The kernel of a product, its operands, and what it ought to give."""
    lhs, rhs = spec.split(",")
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-9, 9, size=[sizes[a] for a in axes]).astype(dtype) for axes in (lhs, rhs))
    batch = [a for a in lhs if a in rhs and a != "k"]
    numbers = (((lhs.index("k"),), (rhs.index("k"),)),
               (tuple(map(lhs.index, batch)), tuple(map(rhs.index, batch))))
    with jax.enable_x64(True):
        [eqn] = jax.make_jaxpr(lambda x, y: lax.dot_general(x, y, numbers))(x, y).eqns
    source = dot_source(eqn)
    given = dict(zip(eqn.invars, (x, y), strict=True))
    kept = [*batch, *(a for axes in (lhs, rhs) for a in axes if a not in (*batch, "k"))]
    wanted = np.einsum(f"{lhs},{rhs}->{''.join(kept)}", x, y).astype(dtype)
    return source, [given[v] for v in source.reads], wanted


CASES = {**{spec: (spec, sizes) for spec, sizes in PRODUCTS.items()}, **SIZES_OF_ROWS}


@pytest.mark.parametrize("case", CASES)
def test_a_product_is_right_as_python(case):
    source, operands, wanted = product_of(*CASES[case], "float32")
    out = np.full(wanted.shape, 77, wanted.dtype)
    as_function(source.text, "kernel", "<product>")(*map(np.ravel, operands), out.reshape(-1))
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("spec", PRODUCTS)
def test_a_product_is_right_compiled(spec, dtype):
    source, operands, wanted = product_of(spec, PRODUCTS[spec], dtype)
    out = np.full(wanted.shape, 77, wanted.dtype)
    compile_source(source.text, "kernel", source.signature, FLAGS)(*operands, out)
    np.testing.assert_array_equal(out, wanted)


BY_BLAS = {  # what is large enough for a call
    "ik,kj": dict(i=33, k=40, j=34),
    "ik,jk": dict(i=17, k=16, j=19),
    "ki,kj": dict(i=40, k=33, j=30),
    "ki,jk": dict(i=15, k=18, j=21),
    "bik,bkj": dict(b=3, i=32, k=33, j=34),
    "bik,bjk": dict(b=3, i=16, k=18, j=17),
    "kbi,jbk": dict(b=3, i=16, k=25, j=14),
    "bcik,bcjk": dict(b=2, c=3, i=16, k=17, j=18),
    "ihk,kj": dict(i=4, h=9, k=32, j=33),
    "ikh,kj": dict(i=4, h=9, k=32, j=133),
    "ik,khj": dict(i=6, k=30, h=12, j=17),
    "ik,hkj": dict(i=16, k=32, h=3, j=65),
    # Of a large matrix and a row.
    "ik,k": dict(i=725, k=730),
    "ki,k": dict(i=725, k=730),
    "k,kj": dict(j=725, k=730),
    "k,jk": dict(j=725, k=730),
    "bik,bk": dict(b=2, i=730, k=725),
    "bk,bkj": dict(b=2, j=730, k=725),
    "bik,kb": dict(b=2, i=730, k=725),
    "hik,k": dict(h=2, i=363, k=725),
}


@pytest.mark.parametrize("door", ["direct", "numba", "python"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("spec", BY_BLAS)
def test_a_larger_product_is_a_call(spec, dtype, door):
    source, operands, wanted = product_of(spec, BY_BLAS[spec], dtype)
    assert re.search(f"product(_with_row)?_f{dtype[-2:]}\\(", source.text)
    assert "float" not in source.text
    out = np.full(wanted.shape, 77, wanted.dtype)
    if door == "python":
        as_function(source.text, "kernel", "<product>")(*map(np.ravel, operands), out.reshape(-1))
    else:
        compile_source(source.text, "kernel", source.signature, FLAGS, door)(*operands, out)
    np.testing.assert_array_equal(out, wanted)


def test_only_matrices_whose_rows_or_columns_lie_side_by_side_are_called_with():
    for spec in ("ikb,bkj", "ikb,bjk", "bik,kjb"):
        source, operands, wanted = product_of(spec, dict(b=2, i=40, k=30, j=32), "float32")
        assert "product" not in source.text
        out = np.empty(wanted.shape, "f")
        compile_source(source.text, "kernel", source.signature, FLAGS)(*operands, out)
        np.testing.assert_array_equal(out, wanted)


def large_turns(x):
    """A loop whose product takes more multiplications than loops of our own may."""
    return lax.fori_loop(0, 3, lambda _, x: jax.numpy.tanh(x @ x.T @ x / 1000), x)


def steps_of(f, *args):
    closed = jax.make_jaxpr(f)(*args)
    compiled = Executable(closed, CompileOptions("f", ()))
    return [step.eqn.primitive.name if source is None else "kernel"
            for step, source in zip(compiled.steps, compiled.sources, strict=True)]  # fmt: skip


def test_a_loop_with_large_products_is_one_kernel_where_there_is_a_library(monkeypatch):
    x = RANDOM.normal(size=(128, 160)).astype("f")
    assert steps_of(large_turns, x) == ["kernel"]
    wanted = np.asarray(jax.jit(large_turns)(x))
    monkeypatch.setattr(blas, "function_of", lambda name, dtype: None)
    assert steps_of(lambda x: large_turns(x) + 0, x) == ["scan", "kernel"]
    np.testing.assert_allclose(jax.jit(lambda x: large_turns(x))(x), wanted, rtol=2e-5, atol=1e-6)


def test_rows_are_worked_on_together():
    """Of four rows of the result, each row of the operand is read once."""
    source, _, _ = product_of("ik,kj", dict(i=8, k=8, j=16), "float32")
    assert source.text.count("= x1[") == TOGETHER
    assert source.text.count("] = float32(y_") == TOGETHER
    assert source.cost == math.prod((8, 8, 16))


def test_a_loop_with_products_of_all_kinds_gives_what_numpy_gives():
    rng = np.random.default_rng(0)
    w, u, v = (rng.normal(size=shape).astype("f") for shape in ((6, 5), (5, 6), (6, 6)))

    def body(_, x):
        return jax.numpy.tanh(x @ w @ u + (v @ x.T).T + x @ v.T)

    closed = jax.make_jaxpr(lambda x: lax.fori_loop(0, 3, body, x))(w.T)
    compiled = Executable(closed, CompileOptions("loop", ()))
    assert not compiled.binds, "the loop is one kernel"
    x = jax.numpy.asarray(w.T)
    np.testing.assert_allclose(compiled(x)[0], interpreted(closed, x)[0], rtol=2e-5, atol=1e-6)


# Every form: so many axes that are batched, kept of either operand, and summed over; in any order.

FORMS = [(b, i, j, k) for b in (0, 1, 2) for i in (0, 1, 2) for j in (0, 1, 2) for k in (0, 1, 2)]
SIZES = [1, 2, 3, 5, 4, 0, 1, 6]
DTYPES = {  # of the operands, and of the result where it is asked for
    "float32": ("float32", "float32", None),
    "float64": ("float64", "float64", None),
    "int8": ("int8", "int8", None),
    "uint64": ("uint64", "uint64", None),
    "bool": ("bool", "bool", None),
    "bfloat16": ("bfloat16", "bfloat16", None),
    "float16": ("float16", "float16", "float32"),
    "long": ("int8", "uint8", "int32"),
    "mixed": ("float32", "int16", None),
    "doubled": ("bool", "float32", "float64"),
}


def products_of(case):
    """A product of each form, or of every fifth, as a function, and its operands."""
    dtypes, seed = DTYPES[case], list(DTYPES).index(case)
    rng = np.random.default_rng(seed)
    for b, i, j, k in FORMS if case == "float32" else FORMS[seed % 5 :: 5]:
        sizes = {axis: SIZES[rng.integers(len(SIZES))] for axis in range(b + i + j + k)}
        batch, left, right, summed = np.split(np.arange(b + i + j + k), np.cumsum([b, i, j]))
        axes = [list(rng.permutation([*batch, *free, *summed])) for free in (left, right)]
        batch, summed = rng.permutation(batch), rng.permutation(summed)
        numbers = tuple(tuple(tuple(map(own.index, group)) for own in axes)
                        for group in (summed, batch))  # fmt: skip
        operands = [rng.integers(-3, 4, [sizes[axis] for axis in own]) for own in axes]
        operands = [jax.numpy.asarray(x).astype(t) for x, t in zip(operands, dtypes, strict=False)]
        yield partial(lax.dot_general, dimension_numbers=numbers,
                      preferred_element_type=dtypes[2]), operands  # fmt: skip


def outside(f, operands):
    return f(operands)


def in_scan(f, operands):
    return lax.scan(lambda x, _: (x, f(x)), operands, None, length=2)[1]


def in_while(f, operands):
    start = [jax.numpy.zeros(v.shape, v.dtype) for v in jax.eval_shape(f, operands)]
    return lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, f(operands), c[2]),
                          (0, start, operands))[1]  # fmt: skip


def in_cond(f, operands):
    return lax.cond(operands[0][1].size >= 0, f, f, operands)


@pytest.mark.parametrize("place", [outside, in_scan, in_while, in_cond])
@pytest.mark.parametrize("case", DTYPES)
def test_products_of_every_form(case, place):
    with jax.enable_x64(True):
        found = list(products_of(case))

        def f(operands):
            return [f(*xs) for (f, _), xs in zip(found, operands, strict=True)]

        operands = [xs for _, xs in found]
        closed, leaves = jax.make_jaxpr(partial(place, f))(operands), jax.tree.leaves(operands)
        compiled = Executable(closed, CompileOptions("f", ()))
        steps = zip(compiled.steps, compiled.sources, strict=True)
        left = {str(step.eqn.primitive) for step, source in steps if source is None}
        assert case in ("bfloat16", "float16") or left.isdisjoint({"scan", "while", "cond"})
        for x, y in zip(compiled(*leaves), interpreted(closed, *leaves), strict=True):
            assert (x.shape, x.dtype) == (y.shape, y.dtype)
            np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


def test_a_product_over_nothing_joins_its_loops():
    """Its zeros keep their signs, as a product's and not a sum's; its axes may be in any order."""
    x, y = RANDOM.integers(-2, 3, (4, 1, 3)).astype("f"), RANDOM.integers(-2, 3, (1, 3, 5, 4))
    numbers = (((1,), (0,)), ((2, 0), (1, 3)))
    turn = lambda x, y, total: total + lax.dot_general(x, y, numbers)  # noqa: E731

    def looped(x, y):
        start = -jax.numpy.zeros((3, 4, 5))
        return lax.fori_loop(0, 1, lambda i, total: turn(x, y, total), start)

    for f in (lambda x, y: turn(x, y, -jax.numpy.zeros((3, 4, 5))), looped):
        closed = jax.make_jaxpr(f)(x, y.astype("f"))
        compiled = Executable(closed, CompileOptions("f", ()))
        assert "dot_general" not in compiled.as_text()
        operands = [jax.numpy.asarray(x), jax.numpy.asarray(y.astype("f"))]
        [got], [wanted] = compiled(*operands), interpreted(closed, *operands)
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted))
        assert np.signbit(got[got == 0]).any() and not np.signbit(got[got == 0]).all()


def test_a_recurrent_network_and_its_gradient_are_kernels():
    """A matrix times a vector, so that the gradient has products over nothing."""
    w, xs = RANDOM.normal(size=(6, 6)).astype("f"), RANDOM.normal(size=(9, 6)).astype("f")

    def loss(w, xs):
        step = lambda h, x: 2 * (jax.numpy.tanh(w @ h + x),)  # noqa: E731
        return jax.numpy.sum(lax.scan(step, jax.numpy.zeros(6), xs)[1] ** 2)

    batched = jax.vmap(jax.grad(loss), (None, 0))
    for f, given in ((loss, xs), (jax.grad(loss), xs), (batched, np.stack([xs, -xs]))):
        steps = jax.explain(f)(w, given).steps()
        assert ": scan\n" in steps and "NumPy: scan" not in steps


TURNED = {  # a product in einsum's letters, what is kept of it in another order, whether that goes
    "a matrix": ("ik,kj->ij", (1, 0), True),
    "summed over the first axes": ("ki,kj->ij", (1, 0), True),
    "batched": ("bik,bkj->bij", (0, 2, 1), True),
    "two axes": ("ihk,kj->ihj", (2, 0, 1), True),
    "two axes apart": ("ihk,kj->ihj", (0, 2, 1), False),
    "the batch moves": ("bik,bkj->bij", (1, 0, 2), False),
    "a vector's": ("ihk,k->ih", (1, 0), False),
}


@pytest.mark.parametrize("case", TURNED)
def test_a_transposed_product_is_one_of_exchanged_operands(case):
    spec, permutation, goes = TURNED[case]
    x, y = (RANDOM.normal(size=[dict(b=2, i=3, h=4, j=5, k=6)[a] for a in axes]).astype("f")
            for axes in spec.partition("->")[0].split(","))  # fmt: skip

    def f(x, y):
        return jax.numpy.transpose(product(x, y), permutation)

    def product(x, y):
        lhs, rhs = spec.partition("->")[0].split(",")
        batch = [a for a in lhs if a in rhs and a != "k"]
        numbers = ([lhs.index("k")], [rhs.index("k")]), (
            list(map(lhs.index, batch)), list(map(rhs.index, batch)),
        )  # fmt: skip
        return lax.dot_general(x, y, numbers, precision=("highest", "default"))

    closed = turned(jax.make_jaxpr(f)(x, y))
    assert [eqn.primitive.name for eqn in closed.eqns] == ["dot_general", "transpose"][: 2 - goes]
    if goes:
        highest, default = closed.eqns[0].params["precision"]
        assert (highest, default) == (lax.Precision.DEFAULT, lax.Precision.HIGHEST)
    [got] = eval_jaxpr(closed.jaxpr, closed.consts, x, y)
    np.testing.assert_allclose(got, f(x, y), rtol=1e-5, atol=1e-6)


def test_a_product_that_others_read_stays_and_loops_are_turned_too():
    x = jax.numpy.ones((3, 3))
    for f in (lambda x: (x @ x, (x @ x).T), lambda x: (lambda y: y + y.T)(x @ x)):
        names = [e.primitive.name for e in turned(simplify(jax.make_jaxpr(f)(x))).eqns]
        assert names.count("transpose") == names.count("dot_general") == 1
    looped = jax.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda _, x: (x @ x).T / 9, x))(x)
    assert "transpose" in str(looped) and "transpose" not in str(turned(looped))
    conditional = jax.make_jaxpr(lambda x: lax.cond(x[0, 0] > 0, lambda: (x @ x).T, lambda: x))(x)
    assert "transpose" in str(conditional) and "transpose" not in str(turned(conditional))


def test_a_product_with_a_number_leaves_no_reshape_nor_a_product_with_one():
    """`grad` multiplies with a cotangent that is 1.0, and vmap repeats it."""
    x, w = jax.numpy.arange(3.0), jax.numpy.ones((3, 4))
    closed = jax.make_jaxpr(jax.grad(lambda w: x @ (x @ jax.numpy.tanh(w))[:3]))(w)
    ones = [x for eqn in turned(simplify(closed)).eqns for x in eqn.invars if str(x) == "1.0:f32[]"]
    assert [str(eqn.primitive) for eqn in turned(simplify(closed)).eqns].count("reshape") == 0
    assert len(ones) == 1  # of tanh's derivative


def test_a_cotangent_of_ones_is_no_factor_under_vmap():
    loss = lambda w, x: jax.numpy.sum(jax.numpy.tanh(x * w) ** 2)  # noqa: E731
    w, xs = jax.numpy.ones(3), jax.numpy.ones((4, 3))
    mapped = jax.make_jaxpr(jax.vmap(jax.grad(loss), (None, 0)))(w, xs)
    one = jax.make_jaxpr(jax.grad(loss))(w, xs[0])
    names = [[str(eqn.primitive) for eqn in simplify(closed).eqns] for closed in (mapped, one)]
    assert names[0] == ["broadcast_in_dim", *names[1]]
