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
from minijax.compiler.products import TOGETHER, dot_source
from minijax.core.jitting import CompileOptions

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
