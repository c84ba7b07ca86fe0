"""Backends, and arguments that are donated to them: as in JAX on a backend that can use them."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.core.extend import ArrayImpl, Backend, CompileOptions, eval_jaxpr, running
from minijax.errors import JaxRuntimeError


def ones(*shape):
    return jnp.ones(shape)


def deleted(*args):
    return [x.is_deleted() for x in args]


# Which arguments are deleted: those that a result can take the place of. As JAX 0.10.2 answers.

CASES = {
    "one": (lambda x: x + 1, {"donate_argnums": 0}, [(3,)], [True]),
    "by position": (lambda x, y: (x + 1, y * 2), {"donate_argnums": 0}, [(3,), (3,)],
                    [True, False]),
    "second": (lambda x, y: x + y, {"donate_argnums": 1}, [(3,), (3,)], [False, True]),
    "by name": (lambda x, y: x + y, {"donate_argnames": "y"}, [(3,), (3,)], [False, True]),
    "two for one result": (lambda x, y: x + y, {"donate_argnums": (0, 1)}, [(3,), (3,)],
                           [True, False]),
    "two for two": (lambda x, y: (x + y, x - y), {"donate_argnums": (0, 1)}, [(3,), (3,)],
                    [True, True]),
    "no result fits": (lambda x: jnp.sum(x), {"donate_argnums": 0}, [(3,)], [False]),
    "unused": (lambda x, y: y + 1, {"donate_argnums": 0}, [(3,), (3,)], [False, False]),
    "another dtype of the size": (lambda x: x.astype(jnp.int32), {"donate_argnums": 0}, [(3,)],
                                  [True]),
    "another shape of the size": (lambda x: x.reshape(3, 1) * 1, {"donate_argnums": 0}, [(3,)],
                                  [True]),
    "another size": (lambda x: x[:2] * 1, {"donate_argnums": 0}, [(3,)], [False]),
    "returned as it is": (lambda x: x, {"donate_argnums": 0}, [(3,)], [True]),
    "nothing donated": (lambda x: x + 1, {}, [(3,)], [False]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_deleted(name):
    f, how, shapes, want = CASES[name]
    expected = f(*map(np.ones, shapes, [np.float32] * len(shapes)))
    args = [ones(*shape) for shape in shapes]
    got = jax.jit(f, **how)(*args)
    assert deleted(*args) == want
    for ours, theirs in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, expected)),
                            strict=True):  # fmt: skip
        np.testing.assert_array_equal(ours, theirs)


def test_pytrees_keywords_and_static_arguments():
    tree = {"a": ones(3), "b": ones(2)}
    jax.jit(lambda d: {k: v + 1 for k, v in d.items()}, donate_argnums=0)(tree)
    assert deleted(*tree.values()) == [True, True]
    x, y = ones(3), ones(3)
    jax.jit(lambda x, y: x + y, donate_argnames="y")(x, y=y)
    assert deleted(x, y) == [False, True]
    x = ones(3)
    out = jax.jit(lambda n, x: x * n, static_argnums=0, donate_argnums=1)(3, x)
    assert deleted(x) == [True] and out.tolist() == [3.0] * 3


def test_what_is_no_array_of_ours_is_left_alone():
    x = np.ones(3, np.float32)
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    f(x), f(1.0), f(2)
    assert x.tolist() == [1.0] * 3


def test_a_constant_is_no_argument():
    x = ones(3)
    f = jax.jit(lambda y: y + x, donate_argnums=0)
    f(ones(3)), f(ones(3))
    assert deleted(x) == [False]


def test_within_a_program_nothing_is_deleted():
    """What an inner function donates is deleted only where it is called from outside."""
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = ones(3)
    assert jax.jit(lambda x: f(x) + x)(x).tolist() == [3.0] * 3
    assert deleted(x) == [False]
    with pytest.raises(RuntimeError, match="deleted"):
        (lambda x: f(x) + x)(x)
    assert deleted(x) == [True]
    y = ones(3)
    jax.jit(lambda y: jax.jit(lambda x: x * 2)(y), donate_argnums=0)(y)
    assert deleted(y) == [True]


def test_under_transformations():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    x, y, z, t = ones(3), ones(3), ones(3), ones(3)
    assert jax.grad(lambda a: jnp.sum(f(a)))(x).tolist() == [1.0] * 3
    assert jax.vmap(f)(y).tolist() == [2.0] * 3
    g = jax.jit(lambda x: x * x, donate_argnums=0)
    out, out_dot = jax.jvp(g, (z,), (t,))
    assert deleted(x, y, z, t) == [True] * 4
    assert out_dot.tolist() == [2.0] * 3


def test_a_residual_is_not_given_away():
    """The backward pass needs sin's operand's cosine, which the program returns; and mul's own."""
    f = jax.jit(lambda x: lax.sin(x), donate_argnums=0)
    x = ones(3)
    np.testing.assert_allclose(jax.grad(lambda a: jnp.sum(f(a)))(x), np.cos(np.ones(3)), rtol=1e-6)
    assert deleted(x) == [True]
    g = jax.jit(lambda x: lax.mul(x, x), donate_argnums=0)
    y = ones(3)
    assert jax.grad(lambda a: jnp.sum(g(a)))(y).tolist() == [2.0] * 3  # JAX: an error


def test_in_a_jaxpr():
    f = jax.jit(lambda x: x + 1, donate_argnums=0)
    assert "donated_invars=(True,)" in str(jax.make_jaxpr(f)(ones(3)))
    (eqn,) = jax.make_jaxpr(f)(ones(3)).eqns
    assert eqn.params["donated_invars"] == (True,)
    assert "donated" not in str(jax.make_jaxpr(jax.jit(lambda x: x + 1))(ones(3)))
    (forward, *_, backward) = jax.make_jaxpr(jax.grad(lambda x: jnp.sum(f(x) * 2)))(ones(3)).eqns
    assert forward.params["donated_invars"] == (True,)


def test_what_is_closed_over_stands_before_what_is_donated():
    def closing(a):
        return jax.jit(lambda x: x * a, donate_argnums=0)(1.0)

    [eqn] = jax.make_jaxpr(closing)(2.0).eqns
    assert eqn.params["donated_invars"] == (False, True)


def test_one_array_for_two_arguments():
    f = jax.jit(lambda x, y: x + y, donate_argnums=0)
    x = ones(3)
    with pytest.raises(JaxRuntimeError, match="twice"):
        f(x, x)
    assert f(ones(3), x).tolist() == [2.0] * 3


def test_a_deleted_array():
    x = ones(3)
    assert not x.is_deleted()
    x.delete(), x.delete()
    assert x.is_deleted() and (x.shape, x.dtype, len(x)) == ((3,), np.float32, 3)
    assert jax.typeof(x).shape == (3,) and jax.eval_shape(jnp.sin, x).shape == (3,)
    assert len(jax.make_jaxpr(lambda y: y + x)(1.0).consts) == 1
    uses = [
        lambda: x + 1, lambda: repr(x), lambda: str(x), lambda: f"{x}", lambda: np.asarray(x),
        lambda: x[0], lambda: x.tolist(), lambda: list(x), lambda: x.block_until_ready(),
        lambda: jax.jit(lambda x: x)(x), lambda: jax.grad(jnp.sum)(x), lambda: jax.vmap(jnp.sin)(x),
        lambda: jax.jit(lambda y: y + x)(1.0), lambda: jax.device_get(x),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(RuntimeError, match="deleted"):
            use()


def test_what_is_refused():
    def f(x, n):
        return x

    for how in (
        {"static_argnums": 1, "donate_argnums": 1}, {"static_argnames": "n", "donate_argnums": 1},
        {"donate_argnums": 3}, {"donate_argnames": "m"},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            jax.jit(f, **how)


# A backend is an object: a program is compiled once for each, and for each set of options.


class SpyBackend(Backend):
    name = "spy"

    def __init__(self, can_donate=True, seconds=0.0):
        self.can_donate, self.seconds = can_donate, seconds
        self.compiled, self.ran = [], []

    def compile(self, closed, options):
        self.compiled.append((closed, options))
        time.sleep(self.seconds)

        def executable(*args):
            assert all(type(x) is ArrayImpl for x in args)
            self.ran.append(args)
            return eval_jaxpr(closed.jaxpr, closed.consts, *args)

        return executable


@pytest.fixture
def use(monkeypatch):
    """Puts a backend in the place of the one in use, for all threads."""
    def put(backend):
        monkeypatch.setattr(type(running), "backend", backend)
        return backend

    return put


def test_a_program_is_compiled_once(use):
    backend = use(SpyBackend())
    f = jax.jit(lambda x: x * 2)
    for x in (ones(3), 2 * ones(3), np.ones(3, np.float32)):
        f(x)
    f(ones(2)), f(1)
    assert len(backend.compiled) == 3 and len(backend.ran) == 5
    closed, options = backend.compiled[0]
    assert closed is f.trace(ones(3)).jaxpr
    assert type(options) is CompileOptions and options.name == "<lambda>"
    assert not any(options.donated)


@pytest.mark.parametrize("transform", [
    lambda f: f, jax.grad, lambda f: jax.jit(jax.grad(f)), lambda f: lambda x: jax.vmap(f)(x[None])
])  # fmt: skip
def test_once_for_eight_threads(use, transform):
    backend = use(SpyBackend(seconds=0.02))
    f = transform(jax.jit(lambda x: jnp.sum(lax.sin(x))))
    start = threading.Barrier(8)

    def work(i):
        start.wait(timeout=30)
        return np.asarray(f(jnp.full(3, float(i))))

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(work, range(8)))
    want = [np.asarray(f(jnp.full(3, float(i)))) for i in range(8)]
    np.testing.assert_allclose(got, want, rtol=1e-6)
    programs = [id(closed) for closed, _ in backend.compiled]
    assert len(programs) == len(set(programs))


def test_once_for_eight_threads_that_have_traced_before(use):
    f = jax.jit(lambda x: x * 3)
    f(ones(3))
    backend = use(SpyBackend(seconds=0.05))
    start = threading.Barrier(8)

    def work(i):
        start.wait(timeout=30)
        return f(ones(3)).tolist()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [[3.0] * 3] * 8
    assert len(backend.compiled) == 1 and len(backend.ran) == 8


def test_donation_is_an_option(use):
    backend = use(SpyBackend())
    f = lambda x: x * 2  # noqa: E731
    x = ones(3)
    jax.jit(f)(x), jax.jit(f, donate_argnums=0)(ones(3)), jax.jit(f, donate_argnums=0)(ones(3))
    assert [options.donated for _, options in backend.compiled] == [(), (True,)]
    assert backend.compiled[0][0] is backend.compiled[1][0]


def test_a_program_is_compiled_once_for_inside_another_and_outside(use):
    backend = use(SpyBackend())
    f = jax.jit(lambda x: x * 2)
    f(ones(3)), jax.jit(lambda x: f(x) + 1)(ones(3))
    assert len(backend.compiled) == 2 and len(backend.ran) == 3


def test_a_backend_that_cannot_donate_deletes_nothing(use):
    backend = use(SpyBackend(can_donate=False))
    x = ones(3)
    jax.jit(lambda x: x * 2, donate_argnums=0)(x)
    assert deleted(x) == [False] and not any(backend.compiled[0][1].donated)


def test_each_backend_has_its_own_programs(use):
    f = jax.jit(lambda x: x * 2)
    first = use(SpyBackend())
    f(ones(3)), f(ones(3))
    second = use(SpyBackend())
    f(ones(3))
    use(first)
    f(ones(3))
    assert (len(first.compiled), len(first.ran)) == (1, 3)
    assert (len(second.compiled), len(second.ran)) == (1, 1)


def test_a_backend_that_fails_is_asked_again(use):
    class Failing(SpyBackend):
        def compile(self, closed, options):
            if not self.compiled:
                self.compiled.append(None)
                raise ZeroDivisionError
            return super().compile(closed, options)

    backend = use(Failing())
    f = jax.jit(lambda x: x * 2)
    with pytest.raises(ZeroDivisionError):
        f(ones(3))
    assert f(ones(3)).tolist() == [2.0] * 3 and len(backend.compiled) == 2


def test_inner_programs_are_part_of_the_outer(use):
    """What the interpreter calls while it runs a program is no call from outside."""
    backend = use(SpyBackend())
    inner = jax.jit(lambda x: x * 2, donate_argnums=0)
    out = jax.jit(lambda x: inner(x) + inner(x) + x)(ones(3))
    assert out.tolist() == [5.0] * 3
    assert not any(any(options.donated) for _, options in backend.compiled)
