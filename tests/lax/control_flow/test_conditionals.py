"""cond, switch, platform_dependent: what is chosen is what runs, under every transformation."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random
from minijax.core.errors import JaxprTypeError, UnexpectedTracerError
from minijax.core.extend import Effect, Primitive, dce_jaxpr, no_effects
from numerics import directional, gradient

X = np.array([0.5, -1.25, 2.0])
W = np.array([1.5, 0.25, -0.75])

BRANCHES = [
    lambda x, w: {"a": jnp.sin(x) * w, "b": (x * x).sum()},
    lambda x, w: {"a": jnp.exp(x * w), "b": x @ w},
    lambda x, w: {"a": x, "b": w.sum() * x[0]},
]


def chosen(i, x, w):
    return lax.switch(i, BRANCHES, x, w)


def closing(i, x, w):
    return lax.switch(i, [lambda f=f: f(x, w) for f in BRANCHES])


def nested(i, x, w):
    def rest(x, w):
        return lax.cond(i < 2, BRANCHES[1], BRANCHES[2], x, w)

    return lax.cond(i == 0, BRANCHES[0], rest, x, w)


def total(f):
    return lambda *args: f(*args)["a"].sum() + f(*args)["b"]


def assert_same(got, expected):
    got, expected = jax.tree.leaves(got), jax.tree.leaves(expected)
    assert len(got) == len(expected)
    for x, y in zip(got, expected, strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=2e-5, atol=1e-6)


def slopes(f, *primals):
    return jax.jvp(f, primals, tuple(x * 0.5 + 1 for x in primals))


def pullbacks(f, *primals):
    out, vjp = jax.vjp(f, *primals)
    return vjp(jax.tree.map(lambda y: y + 1.0, out))


def lines(f, *primals):
    out, f_jvp = jax.linearize(f, *primals)
    return out, f_jvp(*(x + 1 for x in primals))


def doubled(f, *primals):
    return jax.vmap(f)(*(jnp.stack([x, x + 1]) for x in primals))


TRANSFORMS = {
    "jvp": slopes, "vjp": pullbacks, "linearize": lines, "vmap": doubled,
    "jit": lambda f, *xs: jax.jit(f)(*xs),
}  # fmt: skip
NESTINGS = [(a,) for a in TRANSFORMS] + [
    (a, b) for a in TRANSFORMS for b in TRANSFORMS
] + [
    ("jit", "vjp", "jvp"), ("vmap", "vjp", "jit"), ("jvp", "vmap", "vjp"), ("vjp", "vjp", "jvp"),
]  # fmt: skip


def nest(names, f):
    for name in names:
        f = (lambda g, transform: lambda *xs: transform(g, *xs))(f, TRANSFORMS[name])
    return f


@pytest.mark.parametrize("way", [chosen, closing, nested])
@pytest.mark.parametrize("names", NESTINGS, ids="-".join)
def test_a_choice_is_its_branch_under_every_nesting(names, way):
    for i, branch in enumerate(BRANCHES):
        got = nest(names, lambda x, w, i=i: way(i, x, w))(jnp.asarray(X), jnp.asarray(W))
        assert_same(got, nest(names, branch)(jnp.asarray(X), jnp.asarray(W)))


@pytest.mark.parametrize("way", [chosen, nested])
@pytest.mark.parametrize("derive", ["value", "vjp", "jvp"])
def test_a_mapped_choice_is_a_loop_over_examples(way, derive):
    indices, xs = jnp.array([2, 0, 1, 1]), jnp.asarray(np.outer([1.0, 2.0, -0.5, 0.1], X))

    def f(i, x):
        g = lambda x: way(i, x, jnp.asarray(W))  # noqa: E731
        return g(x) if derive == "value" else TRANSFORMS[derive](g, x)

    for axes, args in (((0, 0), (indices, xs)), ((0, None), (indices, xs[0])),
                       ((None, 1), (indices[1], xs.T)), ((0, 1), (indices, xs.T))):  # fmt: skip
        got = jax.vmap(f, axes)(*args)
        for k in range(4):
            pick = [
                x if a is None else jnp.asarray(np.take(np.asarray(x), k, a))
                for x, a in zip(args, axes, strict=True)
            ]
            assert_same(jax.tree.map(lambda y, k=k: y[k], got), f(*pick))


def test_gradients_are_slopes_to_second_order():
    jax.config.update("jax_enable_x64", True)
    try:
        for i in range(3):
            f = total(lambda x, w, i=i: chosen(i, x, w))
            as_numpy = lambda x, w, f=f: np.asarray(f(x, w))  # noqa: E731
            for got, expected in zip(
                jax.grad(f, (0, 1))(X, W), gradient(as_numpy, [X, W]), strict=True
            ):
                np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9)
            g = jax.grad(lambda x, f=f: f(x, W))
            got = jax.jvp(g, (X,), (W,))[1]
            expected = directional(lambda x, g=g: np.asarray(g(x)), [X], [W])
            np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9)
    finally:
        jax.config.update("jax_enable_x64", False)


def counting(count):
    """A primitive that tells when it is run, and has an effect if it is told so."""
    primitive = Primitive("counted")
    primitive.def_impl(lambda x: count.append(1) or x)
    primitive.def_effectful_abstract_eval(lambda x: (x, frozenset([Effect()])))
    return primitive


@pytest.mark.parametrize("pred", [True, False, 1, 0.0, np.float16(2), jnp.int8(0)])
def test_only_the_branch_that_is_chosen_runs(pred):
    count = []
    counted = counting(count)
    got = lax.cond(pred, counted.bind, lambda x: x + 1, 1.0)
    assert float(got) == (1.0 if pred else 2.0) and len(count) == bool(pred)
    jax.jit(lambda p: lax.cond(p, counted.bind, lambda x: x + 1, 1.0))(pred)
    assert len(count) == 2 * bool(pred)


def test_an_effect_is_kept_and_refused_where_every_branch_would_run():
    count = []
    counted = counting(count)

    def f(p, x):
        lax.cond(p, counted.bind, lambda x: x, x)
        return x

    closed = jax.make_jaxpr(f)(True, 1.0)
    assert closed.effects != no_effects
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True])
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == ["convert_element_type", "cond"]
    jax.jit(f)(True, 1.0)
    assert count == [1]
    with pytest.raises(NotImplementedError, match="mapped predicate"):
        jax.vmap(f, (0, None))(jnp.array([True, False]), 1.0)


def test_what_is_not_used_is_left_out_of_every_branch():
    def f(p, x, y):
        return lax.cond(p, lambda: (jnp.sin(x), y * 2), lambda: (x * 2, jnp.cos(y)))

    jaxpr, used = dce_jaxpr(jax.make_jaxpr(f)(True, 1.0, 2.0).jaxpr, [True, False])
    assert used == [True, True, False]
    cond = jaxpr.eqns[-1]
    names = [[e.primitive.name for e in b.eqns] for b in cond.params["branches"]]
    assert names == [["mul"], ["sin"]] and len(cond.outvars) == 1
    assert dce_jaxpr(jax.make_jaxpr(f)(True, 1.0, 2.0).jaxpr, [False, False])[0].eqns == []


def test_a_constant_of_several_branches_is_one_operand():
    c, other = np.arange(3.0), jnp.arange(3.0) + 1
    fs = [lambda x: x * c + other, lambda x: other - x * c, lambda x: x]
    eqn = jax.make_jaxpr(lambda i, x: lax.switch(i, fs, x))(0, X).eqns[-1]
    assert len(eqn.invars) == 4  # the index, both constants, x
    same = np.arange(3.0)  # two constants of one branch stay two, if they are alike
    jaxpr = jax.make_jaxpr(lambda p, x: lax.cond(p, lambda: x * c * same, lambda: x * c))(True, X)
    assert len(jaxpr.eqns[-1].invars) == 4
    got = lax.cond(True, lambda x: x * c * same, lambda x: x, jnp.ones(3))
    np.testing.assert_allclose(got, c * same)


def test_zeros_of_two_signs_are_two_constants():
    plus, minus = np.zeros(2), -np.zeros(2)
    got = [lax.cond(p, lambda x: x * plus, lambda x: x * minus, jnp.ones(2)) for p in (True, False)]
    assert [bool(np.signbit(x).any()) for x in got] == [False, True]


def test_a_branch_that_is_not_taken_gives_no_nan_to_the_gradient():
    f = lambda x: lax.cond(x > 0, jnp.sqrt, lambda x: 0.0 * x, x)  # noqa: E731
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(jnp.array([4.0, 0.0, -1.0])), [0.25, 0, 0])


def test_integers_and_keys_are_operands_too():
    def f(x, i, k):
        return lax.cond(i > 0, lambda x: x * i * random.uniform(k), lambda x: x * x, x)

    expected = 3 * random.uniform(random.key(1))
    np.testing.assert_allclose(jax.grad(f)(2.0, 3, random.key(1)), expected)
    np.testing.assert_allclose(jax.vmap(jax.grad(f), (None, 0, None))(
        2.0, jnp.array([3, 0]), random.key(1)), [expected, 4.0])  # fmt: skip
    jax.vjp(f, 2.0, 3, random.key(1))[1](1.0)


def test_a_tracer_that_leaves_its_branch_is_refused():
    kept = []
    lax.cond(True, lambda x: kept.append(x) or x, lambda x: x + 1, 1.0)
    with pytest.raises(UnexpectedTracerError):
        kept[0] + 1


def test_one_program_for_two_calls():
    traced = []

    def f(x):
        traced.append(1)
        return 2 * x

    for x in (1.0, 2.0):
        lax.cond(x > 1, f, jnp.sin, x)
    assert len(traced) == 1


def test_the_results_are_weak_where_the_first_branch_is():
    strong = jnp.float32(1)
    for pred in (True, False):
        assert not lax.cond(pred, lambda: 1.0, lambda: strong).weak_type
        assert lax.cond(pred, lambda: strong, lambda: 1.0).weak_type
        assert jax.jit(lambda p: lax.cond(p, lambda: strong, lambda: 1.0))(pred).weak_type


def test_a_rule_is_asked_for_what_fits():
    closed = jax.make_jaxpr(lambda x: x * x)(1.0)
    for args in [(np.int32(0), X), (1.0, 1.0), (np.int32(0),), (np.int32(0), 1.0, 1.0)]:
        with pytest.raises(JaxprTypeError, match="cond is given"):
            jax.make_jaxpr(lambda *args: lax.cond_p.bind(*args, branches=(closed, closed)))(*args)


def test_an_index_beyond_the_branches_is_brought_back():
    fs = [lambda k=k: k for k in range(3)]
    indices = [-7, -1, 0, 2, 3, np.uint8(200), np.int8(-1)]
    assert [int(lax.switch(i, fs)) for i in indices] == [0, 0, 0, 2, 2, 2, 0]
    got = jax.vmap(lambda i: lax.switch(i, fs))(jnp.array([-7, 1, 9]))
    assert got.tolist() == [0, 1, 2]
    direct = jax.make_jaxpr(lambda i: lax.switch(i, fs))(0).eqns[-1].params
    assert int(lax.cond_p.bind(np.int32(99), **direct)[0]) == 2


def test_a_platform_is_chosen_when_a_program_runs():
    f = lambda x: lax.platform_dependent(x, tpu=jnp.cos, cpu=jnp.sin)  # noqa: E731
    for g in (f, jax.jit(f), jax.jit(jax.vmap(f))):
        np.testing.assert_allclose(g(jnp.asarray(X)), np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(0.5), np.cos(0.5), rtol=1e-6)
    assert float(jax.grad(f)(0.5)) == pytest.approx(np.cos(0.5))


def test_without_jit_a_branch_is_a_call():
    with jax.disable_jit():
        assert lax.cond(True, lambda: "any value", lambda: 1) == "any value"
        assert lax.switch(7, [lambda: 1, lambda: "the last"]) == "the last"
        assert float(jax.grad(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x))(0.5)) == \
            pytest.approx(np.cos(0.5))  # fmt: skip
        got = jax.vmap(lambda p: lax.cond(p, lambda: 1, lambda: 2))(jnp.array([True, False]))
        assert got.tolist() == [1, 2]


def test_the_derivative_of_a_branch_that_an_example_does_not_take_is_no_nan():
    def f(x):
        return lax.cond(x > 0, jnp.log, jnp.sin, x)

    xs = jnp.array([2.0, 0.0, -1.0])
    wanted = [0.5, 1.0, np.cos(-1)]
    np.testing.assert_allclose(jax.vmap(jax.grad(f))(xs), wanted, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda xs: jnp.sum(jax.vmap(f)(xs)))(xs), wanted, rtol=1e-6)
