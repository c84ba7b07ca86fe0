"""Named axes: collectives under vmap, nested, in programs, differentiated, and where none is."""

import itertools

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from lax.parallel_answers import CASES, F32, ONES, SWAP, X4, X22, X23, X24, X222, one, two
from minijax import lax
from minijax.core.extend import Primitive, check_jaxpr, fancy_primitive_batchers


def parse(answer):
    """An answer as an array."""
    head, numbers = answer.split(":")
    dtype, shape = head.split(" ")
    shape = [int(n) for n in shape.split("x") if n]
    return np.array([float(n) for n in numbers.split()], dtype).reshape(shape)


@pytest.mark.parametrize("jit", [False, True], ids=["", "jit"])
@pytest.mark.parametrize("name", CASES)
def test_as_jax_answers(name, jit):
    f, x, answers = CASES[name]
    answers = [answers] if isinstance(answers, str) else answers
    got = jax.tree.leaves((jax.jit(f) if jit else f)(x))
    for ours, theirs in zip(got, map(parse, answers), strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_their_jaxprs_are_well_typed(name):
    f, x, _ = CASES[name]
    closed = jax.make_jaxpr(f)(x)
    check_jaxpr(closed)
    assert closed.effects == frozenset()  # no name is left over where none is bound


def test_an_axis_without_arguments():
    assert jax.vmap(lambda: lax.axis_index("i"), axis_name="i", axis_size=3)().tolist() == [0, 1, 2]


def test_a_size_is_a_number():
    sizes = []
    two(lambda x: sizes.extend([lax.axis_size("i"), lax.axis_size("j"), lax.psum(1, ("i", "j"))])
        or x)(X23)  # fmt: skip
    assert sizes == [2, 3, 6] and {type(size) for size in sizes} == {int}
    assert one(jax.jit(lambda x: x[: lax.axis_size("i")]))(X24).shape == (2, 2)


def test_a_name_may_be_anything_hashable():
    for name in ("batch", 0.5, frozenset("ab")):
        out = jax.vmap(lambda x, name=name: lax.psum(x, name), axis_name=name)(X4)
        assert out.tolist() == [6.0] * 4


def test_a_rule_that_asks_for_the_axis_is_asked_where_nothing_is_batched():
    """Its results may differ from example to example all the same."""
    p = Primitive("number_of_the_example")
    p.def_abstract_eval(lambda x: x)
    fancy_primitive_batchers[p] = lambda axis_data, args, dims: (
        asked.append((axis_data.size, *dims)) or jnp.arange(1.0 * axis_data.size), 0
    )  # fmt: skip
    asked = []
    for f in (lambda x: p.bind(2.0), lambda x: p.bind(2.0) + jax.vmap(lambda y: y)(ONES)[0] * x):
        assert jax.vmap(f)(X4 * 0).shape == (4,)
    assert jax.vmap(lambda: p.bind(2.0), axis_size=3)().tolist() == [0.0, 1.0, 2.0]
    assert asked == [(4, None), (4, None), (3, None)]


# Jaxprs in which an axis is named, as JAX prints them.

PRINTED = {
    "psum": (lambda x: lax.psum(x, "i"), "psum[axes=('i',) axis_index_groups=None] a"),
    "pmax": (lambda x: lax.pmax(x, "i"), "pmax[axes=('i',) axis_index_groups=None] a"),
    "pmin": (lambda x: lax.pmin(x, "i"), "pmin[axes=('i',) axis_index_groups=None] a"),
    "axis_index": (lambda x: lax.axis_index("i"), "axis_index[axis_name=i] "),
    "ppermute": (lambda x: lax.ppermute(x, "i", SWAP),
                 "ppermute[axis_name=('i',) perm=((0, 1), (1, 0))] a"),
}  # fmt: skip


def inside(f, x=X23):
    """The jaxpr of f, made inside a vmap that names the axis i."""
    found = []

    def g(x):
        found.append(jax.make_jaxpr(f)(x))
        return x

    jax.vmap(g, axis_name="i")(x)
    check_effects(found[0])
    return found[0]


def check_effects(closed):
    assert [effect.name for effect in closed.effects] in ([], ["i"])


@pytest.mark.parametrize("name", PRINTED)
def test_printed(name):
    f, text = PRINTED[name]
    closed = inside(f)
    (eqn,) = closed.eqns
    assert closed.effects == eqn.effects and len(eqn.effects) == 1
    assert text in " ".join(str(closed).split("\n")).replace("    ", "")


def test_printed_whole():
    assert str(inside(lambda x: lax.pmean(x, "i"))) == (
        "{ lambda ; a:f32[3]. let\n    b:f32[3] = psum[axes=('i',) axis_index_groups=None] a\n"
        "    c:f32[3] = div b 2.0:f32[]\n  in (c,) }"
    )
    assert str(inside(lambda x: lax.all_gather(x, "i"))) == (
        "{ lambda ; a:f32[3]. let\n    b:f32[2,3] = all_gather[\n      all_gather_dimension=0\n"
        "      axis_index_groups=None\n      axis_name=('i',)\n      axis_size=2\n"
        "      tiled=False\n    ] a\n  in (b,) }"
    )
    assert str(inside(lambda x: lax.all_to_all(x, "i", 0, 1), np.ones((2, 2, 3), F32))) == (
        "{ lambda ; a:f32[2,3]. let\n"
        "    b:f32[2,3,1] = broadcast_in_dim[broadcast_dimensions=(0, 1)] a\n"
        "    c:f32[1,3,2] = all_to_all[\n      axis_index_groups=None\n      axis_name=i\n"
        "      concat_axis=2\n      split_axis=0\n      tiled=False\n    ] b\n"
        "    d:f32[3,2] = squeeze[dimensions=(0,)] c\n  in (d,) }"
    )
    assert str(inside(lambda x: (lax.psum(1.0, "i"), lax.axis_size("i")))) == (
        "{ lambda ; a:f32[3]. let  in (2.0:f32[], 2:i32[]) }"
    )


def test_gradients_printed():
    assert str(inside(jax.grad(lambda x: jnp.sum(lax.psum(x * x, "i"))))) == (
        "{ lambda ; a:f32[3]. let\n    b:f32[3] = mul a a\n"
        "    c:f32[3] = psum[axes=('i',) axis_index_groups=None] b\n"
        "    _:f32[] = reduce_sum[axes=(0,) out_sharding=None] c\n"
        "    d:f32[3] = broadcast_in_dim 1.0:f32[]\n"
        "    e:f32[3] = psum[axes=('i',) axis_index_groups=None] d\n"
        "    f:f32[3] = mul a e\n    g:f32[3] = mul e a\n    h:f32[3] = add_any f g\n  in (h,) }"
    )
    text = str(inside(jax.grad(lambda x: jnp.sum(lax.ppermute(x * x, "i", [(0, 1)])))))
    assert "ppermute[axis_name=('i',) perm=((0, 1),)]" in text
    assert "ppermute[axis_name=('i',) perm=((1, 0),)]" in text
    text = str(inside(jax.grad(lambda x: jnp.sum(lax.all_gather(x * x, "i") ** 2))))
    assert "reduce_scatter[" in text and "scatter_dimension=0" in text


def test_a_jit_keeps_its_program_under_vmap():
    """The program names its axis, and vmap replaces the name by the number of an axis."""
    closed = jax.make_jaxpr(one(jax.jit(lambda x: lax.psum(x, "i"))))(X23)
    (eqn, _) = closed.eqns
    assert "psum[axes=(0,) axis_index_groups=None]" in str(eqn.params["jaxpr"])
    text = str(inside(jax.jit(lambda x: lax.psum(x, "i"))))
    assert "jit[" in text and "psum[axes=('i',) axis_index_groups=None]" in text


# What a collective does to programs that name an axis which is bound further out.


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, lambda f: lambda x: jax.jvp(f, (x,), (x,))[1], jax.jacfwd, jax.jacrev,
    lambda f: lambda x: jax.linearize(jax.jit(f), x)[1](x), lambda f: jax.jit(jax.jit(f)),
    lambda f: lambda x: jax.vmap(jax.jit(f))(jnp.stack([x, x])),
    lambda f: lambda x: jax.vjp(jax.jit(f), x)[1](x)[0],
])  # fmt: skip
@pytest.mark.parametrize("collective", [
    lambda x: lax.psum(x, "i"), lambda x: lax.pmean(x, "i"), lambda x: lax.ppermute(x, "i", SWAP),
    lambda x: lax.psum_scatter(x, "i", tiled=True), lambda x: lax.all_gather(x, "i", tiled=True),
    lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), lambda x: x * lax.axis_index("i"),
])  # fmt: skip
def test_transformed_inside_and_mapped_outside(collective, transform):
    """Mapped at once, or in two steps through a jit: the same."""
    def f(x):
        return collective(x * x)[:1]

    x = X22 + 1
    want = one(lambda x: jax.jvp(f, (x,), (x,)))(x)
    got = one(jax.jit(lambda x: jax.jvp(jax.jit(f), (x,), (x,))))(x)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-5)
    out = one(transform(lambda x: jnp.sum(f(x)) * x))(x)
    again = jax.jit(one(jax.jit(transform(jax.jit(lambda x: jnp.sum(f(x)) * x)))))(x)
    np.testing.assert_allclose(out, again, rtol=1e-5)


@pytest.mark.parametrize("collective", [
    lambda x: lax.psum(x, "i"), lambda x: lax.pmean(x, "i"), lambda x: lax.ppermute(x, "i", SWAP),
    lambda x: lax.psum_scatter(x, "i", tiled=True), lambda x: lax.all_gather(x, "i", axis=1),
    lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True), lambda x: lax.all_to_all(x, "i", 0, 0),
    lambda x: lax.all_gather(x, "i", tiled=True),
])  # fmt: skip
def test_gradients_are_derivatives(collective):
    """Of all examples together: the derivative by each number, by differences."""
    def f(x):
        weights = jnp.arange(1.0, 1.0 + np.size(out)).reshape(np.shape(out))
        return jnp.sum(one(lambda x: collective(x * x))(x) * weights)

    with jax.enable_x64():
        x = np.arange(1.0, 9.0).reshape(2, 2, 2)
        out = np.asarray(one(collective)(x))
        want = np.zeros_like(x)
        for index in itertools.product(range(2), repeat=3):
            e = np.zeros_like(x)
            e[index] = 1e-4
            want[index] = (f(x + e) - f(x - e)) / 2e-4
        for g in (jax.grad(f), jax.jit(jax.grad(f)), jax.grad(jax.jit(f))):
            np.testing.assert_allclose(g(x), want, rtol=1e-6)


# Names that nothing binds.

UNBOUND = {
    "psum": lambda x: lax.psum(x, "i"), "pmean": lambda x: lax.pmean(x, "i"),
    "pmax": lambda x: lax.pmax(x, "i"), "pmin": lambda x: lax.pmin(x, "i"),
    "axis_index": lambda x: lax.axis_index("i"), "axis_size": lambda x: lax.axis_size("i"),
    "all_gather": lambda x: lax.all_gather(x, "i"), "a number": lambda x: lax.psum(1, "i"),
    "ppermute": lambda x: lax.ppermute(x, "i", SWAP), "two": lambda x: lax.psum(x, ("i", "j")),
    "psum_scatter": lambda x: lax.psum_scatter(x, "i"),
    "all_to_all": lambda x: lax.all_to_all(x, "i", 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.jit, jax.vmap, lambda f: jax.vmap(f, axis_name="k"), jax.make_jaxpr,
    lambda f: lambda x: jax.jvp(f, (x,), (x,)), lambda f: lambda x: (one(f)(x), f(x)),
])  # fmt: skip
@pytest.mark.parametrize("name", UNBOUND)
def test_an_unbound_name(name, transform):
    with pytest.raises(NameError, match="'i'|'j'"):
        transform(UNBOUND[name])(X222)


def test_a_name_is_bound_for_its_vmap_alone():
    assert one(lambda x: lax.psum(x, "i"))(X4).tolist() == [6.0] * 4
    with pytest.raises(NameError):
        lax.psum(1, "i")
    with pytest.raises(ZeroDivisionError):
        one(lambda x: 1 / 0)(X4)
    with pytest.raises(NameError):
        lax.axis_size("i")


# What is refused.


def test_groups_are_not_here():
    for name in ("psum", "pmean", "pmax", "pmin", "all_gather", "psum_scatter"):
        with pytest.raises(NotImplementedError):
            one(lambda x, name=name: getattr(lax, name)(x, "i", axis_index_groups=[[0, 1]]))(X22)


def test_extremes_have_no_derivative():
    """As in JAX."""
    for name in ("pmax", "pmin"):
        with pytest.raises(NotImplementedError, match=name):
            one(jax.grad(lambda x, name=name: getattr(lax, name)(x, "i")))(X4)


@pytest.mark.parametrize("f, x", [
    (lambda x: lax.ppermute(x, "i", [(0, 1), (0, 0)]), X22),
    (lambda x: lax.ppermute(x, "i", [(0, 2)]), X22),
    (lambda x: lax.all_to_all(x, "i", 0, 0), X23),
    (lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), X23),
    (lambda x: lax.all_gather(x, "i", axis=3), X22),
])  # fmt: skip
def test_what_does_not_fit(f, x):
    with pytest.raises(ValueError):
        one(f)(x)


@pytest.mark.parametrize("axis_name", ["i", ("i",), ["i"]])
def test_names_may_stand_in_a_tuple_or_a_list(axis_name):
    got = jax.vmap(lambda x: lax.psum(x, axis_name), axis_name="i")(np.arange(3.0))
    assert got.tolist() == [3.0, 3.0, 3.0]


def test_the_index_along_no_axis():
    got = jax.vmap(lambda x: x + lax.axis_index(()), axis_name="i")(np.arange(2))
    assert got.tolist() == [0, 1]


def test_numbers_of_axes_count_from_the_end_where_the_values_are_known():
    for axes in (-1, (-1,), (1,)):
        np.testing.assert_array_equal(lax.psum(X23, axes), X23.sum(1))
        inside = jax.jit(lambda n, axes=axes: n * lax.psum(X23, axes))
        np.testing.assert_array_equal(inside(2.0), 2 * X23.sum(1))
    for call in (lambda x: lax.psum(x, (0, -2)), jax.jit(lambda x: lax.psum(x, -1))):
        with pytest.raises(ValueError, match="axes .* each once|no axis"):
            call(X23)
