"""Products as kernels: every order of axes, sizes that four doesn't go into, and none at all."""

import math

import numpy as np
import pytest

import minijax as jax
from minijax import lax
from minijax.compiler.backend import BACKENDS
from minijax.compiler.caches import compile_source
from minijax.compiler.doors import as_function
from minijax.compiler.executables import FLAGS
from minijax.compiler.products import TOGETHER, dot_source, turned
from minijax.compiler.simplify import simplify
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
    compiled, interpreted = (
        BACKENDS[name].compile(closed, CompileOptions("loop", ())) for name in ("numba", "numpy")
    )
    assert not compiled.binds, "the loop is one kernel"
    x = jax.numpy.asarray(w.T)
    np.testing.assert_allclose(compiled(x)[0], interpreted(x)[0], rtol=2e-5, atol=1e-6)


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
