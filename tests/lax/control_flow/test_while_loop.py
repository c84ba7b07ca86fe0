"""while_loop: forward derivatives, batches of loops with ends of their own, no way backwards."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random
from minijax.core.errors import JaxprTypeError, UnexpectedTracerError
from minijax.core.extend import Effect, Primitive, dce_jaxpr
from numerics import directional

X = np.array([0.5, -1.25, 2.0])


def power(x, n):
    """x ** n, by n products."""
    return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x), (0, 1.0 + 0 * x))[1]


def until(x, w, limit=20.0):
    """How often and how far w is added to sin x times itself."""

    def step(c):
        return c[0] + 1, c[1] + w * jnp.sin(x) ** 2 + w

    return lax.while_loop(lambda c: c[1] < limit, step, (0, x))


def collatz(n):
    def step(c):
        n, steps = c
        return lax.cond(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1), steps + 1

    return lax.while_loop(lambda c: c[0] != 1, step, (n, jnp.zeros_like(n)))[1]


def test_a_loop_is_python_s():
    for x in (1, 3, 100, 250):
        assert int(lax.while_loop(lambda x: x < 100, lambda x: 2 * x, x)) == (
            x if x >= 100 else x * 2 ** int(np.ceil(np.log2(100 / x)))
        )
    assert [int(collatz(n)) for n in (1, 6, 27)] == [0, 8, 111]
    assert int(jax.jit(collatz)(27)) == 111
    np.testing.assert_allclose(power(jnp.asarray(X), 4), X**4, rtol=1e-6)


@pytest.mark.parametrize("transform", [jax.jit, lambda f: f], ids=["jit", "eager"])
def test_each_example_has_an_end_of_its_own(transform):
    got = transform(jax.vmap(collatz))(jnp.array([1, 6, 27, 2]))
    assert got.tolist() == [0, 8, 111, 1]
    numbers = jnp.array([[1, 6, 27], [7, 2, 3]])
    got = transform(jax.vmap(jax.vmap(collatz), 1, 1))(numbers)
    assert got.tolist() == [[int(collatz(n)) for n in row] for row in numbers.tolist()]


def test_an_example_that_has_ended_stays_as_it_is():
    """It must not run on to infinity, or to NaN, while others have not ended."""
    x, limit = jnp.array([2.0, 2.0, 5.0]), jnp.array([3.0, 1e30, 4.0])
    f = lambda x, limit: lax.while_loop(lambda c: c < limit, lambda c: c * c, x)  # noqa: E731
    got = jax.vmap(f)(x, limit)
    assert got.tolist() == [float(f(*pair)) for pair in zip(x, limit, strict=True)]
    f_dot = lambda x, limit: jax.jvp(lambda x: f(x, limit), (x,), (1.0,))[1]  # noqa: E731
    expected = [float(f_dot(*pair)) for pair in zip(x, limit, strict=True)]
    assert jax.vmap(f_dot)(x, limit).tolist() == expected


@pytest.mark.parametrize("around", [jax.jit, lambda fun: fun])
def test_a_loop_over_no_examples_has_no_step(around):
    def doubled(x):
        return lax.while_loop(lambda s: s[1] < x, lambda s: (2 * s[0], s[1] + 1), (x, 0))

    out, steps = around(jax.vmap(doubled))(jnp.zeros(0))
    assert out.shape == steps.shape == (0,)


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0), (1, 0), (0, 1)])
def test_batches_are_loops_over_examples(axes):
    x, w = np.outer([1.0, 2.0, 0.3], X), np.outer([1.0, 0.5, 2.0], X) ** 2
    args = [m.T if a else m if a == 0 else m[0] for m, a in zip((x, w), axes, strict=True)]

    def f(x, w):
        step = lambda c: (c[0] + 1, c[1] * 0.5 + w, c[3], c[2])  # noqa: E731
        return lax.while_loop(lambda c: (c[0] < 6) & (c[1].sum() < 20), step, (0, x, w, x))

    got = jax.vmap(f, axes)(*args)
    for k in range(3):
        expected = f(*(m[k] if a is not None else m[0] for m, a in zip((x, w), axes, strict=True)))
        for y, z in zip(got, expected, strict=True):
            np.testing.assert_allclose(y[k], z, rtol=1e-6)


def test_what_need_not_be_batched_is_not():
    """A condition for all examples at once leaves the counter as one number."""
    step = lambda c: (c[0] + 1, c[1] * 2)  # noqa: E731
    f = lambda x: lax.while_loop(lambda c: c[0] < 3, step, (0, x))  # noqa: E731
    eqn = next(e for e in jax.make_jaxpr(jax.vmap(f))(X).eqns if e.primitive.name == "while")
    assert [v.aval.shape for v in eqn.outvars] == [(), (3,)]


def test_forward_derivatives():
    for n in (0, 1, 5):
        value, slope = jax.jvp(lambda x, n=n: power(x, n), (3.0,), (1.0,))
        assert (float(value), float(slope)) == (3.0**n, n * 3.0 ** max(n - 1, 0))
        value, f_jvp = jax.linearize(lambda x, n=n: power(x, n), 3.0)
        assert (float(value), float(f_jvp(2.0))) == (3.0**n, 2 * n * 3.0 ** max(n - 1, 0))
    f = lambda x: power(x, 5)  # noqa: E731
    for second in (jax.jacfwd(jax.jacfwd(f)), jax.jit(jax.jacfwd(jax.jit(jax.jacfwd(f))))):
        assert float(second(2.0)) == 5 * 4 * 2.0**3
    third = jax.jacfwd(jax.jacfwd(jax.jacfwd(f)))
    assert third(2.0) == 60 * 2.0**2
    assert jax.vmap(third)(jnp.array([1.0, 2.0])).tolist() == [60, 240]


def test_forward_derivatives_are_slopes():
    jax.config.update("jax_enable_x64", True)
    try:
        f = lambda x, w: until(x, w)[1]  # noqa: E731
        got = jax.jvp(f, (0.5, 1.5), (0.25, -0.5))[1]
        expected = directional(lambda x, w: np.asarray(f(x, w)), [0.5, 1.5], [0.25, -0.5])
        np.testing.assert_allclose(got, expected, rtol=1e-8)
        inner = lambda x: jax.jvp(lambda w: f(x, w), (1.5,), (1.0,))[1]  # noqa: E731
        got = jax.jvp(inner, (0.5,), (1.0,))[1]
        expected = directional(lambda x: np.asarray(inner(x)), [0.5], [1.0])
        np.testing.assert_allclose(got, expected, rtol=1e-7)
    finally:
        jax.config.update("jax_enable_x64", False)


def test_a_tangent_may_arrive_steps_later():
    """Of four numbers handed on, the first has a tangent: after three steps, the last has too."""

    def f(x):
        step = lambda c: (c[0] + 1, x, c[1], c[2] * c[1], c[3] + c[0])  # noqa: E731
        return lax.while_loop(lambda c: c[0] < 4, step, (0, 1.0, 1.0, 1.0, 5.0))

    (*_, out), (_, *slopes) = jax.jvp(f, (3.0,), (1.0,))
    assert [float(t) for t in slopes] == [1.0, 1.0, 6.0, 6.0] and float(out) == 12.0


@pytest.mark.parametrize(
    "wrap", [lambda f: f, jax.jit, lambda f: lambda x: jax.vmap(f)(x[None])[0]]
)
def test_there_is_no_way_backwards(wrap):
    f = wrap(lambda x: power(x, 3))
    with pytest.raises(ValueError, match="lax.scan, or lax.fori_loop with bounds that are Python"):
        jax.grad(lambda x: f(x).sum())(jnp.asarray(2.0))
    out, vjp = jax.vjp(f, jnp.asarray(2.0))  # the value is there; the pullback is not
    assert float(out) == 8.0
    with pytest.raises(ValueError, match="lax.while_loop"):
        vjp(1.0)


def test_reverse_mode_passes_by_what_has_no_tangent():
    f = lambda x: x * lax.while_loop(lambda n: n < 5, lambda n: n + 1, 0)  # noqa: E731
    assert float(jax.grad(f)(2.0)) == 5.0
    stopped = lambda x: x * power(lax.stop_gradient(x), 2)  # noqa: E731
    assert float(jax.grad(stopped)(3.0)) == 9.0
    steps = lambda x: x * until(x, 1.0)[0]  # noqa: E731  (how many there are, not where they lead)
    assert float(jax.grad(steps)(0.5)) == float(until(0.5, 1.0)[0])
    assert float(jax.grad(jax.jit(steps))(0.5)) == float(until(0.5, 1.0)[0])


def test_inside_and_around_other_programs():
    def f(x):
        def inner(c, y):
            return lax.while_loop(lambda c: c < y, lambda c: 2 * c + x, c), c

        return lax.scan(inner, x, jnp.array([3.0, 20.0, 100.0]))[0]

    expected = 1.5
    for y in (3.0, 20.0, 100.0):
        while expected < y:
            expected = 2 * expected + 1.5
    for g in (f, jax.jit(f), lambda x: jax.vmap(f)(x[None])[0]):
        assert float(g(jnp.asarray(1.5))) == expected
    slope = float(jax.jit(lambda x: jax.jvp(f, (x,), (1.0,))[1])(1.5))
    np.testing.assert_allclose(slope, (float(f(1.5 + 1 / 64)) - expected) * 64, rtol=1e-4)
    nested = lax.while_loop(
        lambda c: c < 50, lambda c: lax.while_loop(lambda d: d < c + 10, lambda d: d + 3, c), 0
    )
    assert int(nested) == 60


def test_captured_values_of_every_kind():
    w = jnp.asarray(X)

    def loop(x, scale):
        return lax.while_loop(lambda c: c.sum() < scale, lambda c: c + x * w + X, jnp.ones(3))

    expected = np.ones(3)
    while expected.sum() < 9:
        expected = expected + 2.0 * X + X
    np.testing.assert_allclose(jax.jit(loop)(2.0, 9.0), expected, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(loop, (None, 0))(2.0, jnp.array([9.0, 0.0])),
                               [expected, np.ones(3)], rtol=1e-6)  # fmt: skip
    slope = jax.jvp(lambda x: loop(x, 9.0), (2.0,), (1.0,))[1]
    np.testing.assert_allclose(slope, (expected - 1) / 3, rtol=1e-5)


def test_what_starts_weak_becomes_what_the_body_makes_of_it():
    got = lax.while_loop(lambda c: c < 5, lambda c: c + jnp.float32(0.5), 0)
    assert (got.dtype, got.weak_type, float(got)) == (np.float32, False, 5.0)
    got = lax.while_loop(lambda c: c < 5, lambda c: c + jnp.float32(1), 9.0)
    assert (got.weak_type, float(got)) == (False, 9.0)  # also where no step is taken
    with pytest.raises(TypeError, match=r"c\['w'\]\[0\] is int32\[\] at first, ~?float32"):
        lax.while_loop(lambda c: True, lambda c: {"w": [c["w"][0] + 0.5]}, {"w": [jnp.int32(0)]})


def test_an_effect_is_kept():
    count = []
    counted = Primitive("counted")
    counted.def_impl(lambda x: count.append(1) or x)
    counted.def_effectful_abstract_eval(lambda x: (x, frozenset([Effect()])))

    def f(x):
        lax.while_loop(lambda n: n < 3, lambda n: counted.bind(n) + 1, 0)
        return x

    jaxpr, _ = dce_jaxpr(jax.make_jaxpr(f)(1.0).jaxpr, [True])
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == ["while"]
    jax.jit(f)(1.0)
    assert len(count) == 3


def test_keys_are_carried():
    def f(n):
        step = lambda c: (c[0] + 1, random.split(c[1])[0])  # noqa: E731
        return lax.while_loop(lambda c: c[0] < n, step, (0, random.key(0)))[1]

    key = random.key(0)
    for n in range(3):
        assert random.key_data(f(n)).tolist() == random.key_data(key).tolist()
        batch = jax.vmap(f)(jnp.array([n, 2]))
        assert random.key_data(batch)[0].tolist() == random.key_data(key).tolist()
        key = random.split(key)[0]


def test_the_end_without_jit_is_decided_by_python():
    with jax.disable_jit():
        seen = []
        lax.while_loop(lambda x: x < 3, lambda x: seen.append(float(x)) or x + 1, 0.0)
        assert seen == [0.0, 1.0, 2.0]
        assert jax.vmap(collatz)(jnp.array([6, 27])).tolist() == [8, 111]
        assert float(jax.grad(lambda x: power(x, 3))(2.0)) == 12.0  # nothing is staged: no loop


def test_a_rule_is_asked_for_what_fits():
    params = jax.make_jaxpr(lambda x: lax.while_loop(lambda c: c < 3, lambda c: c + 1, x))(0)
    params = params.eqns[0].params
    for args in [(1.0,), (jnp.arange(2),), (), (0, 0)]:
        with pytest.raises(JaxprTypeError, match="while is given"):
            jax.make_jaxpr(lambda *args: lax.while_p.bind(*args, **params))(*args)


def test_a_tracer_that_leaves_its_body_is_refused():
    kept = []
    lax.while_loop(lambda c: c < 3, lambda c: kept.append(c) or c + 1, 0)
    with pytest.raises(UnexpectedTracerError):
        kept[0] + 1
