"""Operations outside jit: the second and later calls give what the first gives."""

import pickle
import threading
import warnings

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.dispatch.eager import Paths, by_types
from minijax.core.extend import typeof

X, Y, M = jnp.array([1.5, -2.0, 0.0, 3.0]), jnp.array([2.0, 0.5, -0.0, 3.0]), jnp.ones((2, 4))
N, B, H = jnp.array([-3, 0, 5, 7]), jnp.array([True, False, True, True]), X.astype("bfloat16")
U, C, E = jnp.array([0, 1, 254, 255], "uint8"), X * 1j, jnp.ones((0, 3))
NP = np.array([1.0, 2.0, 3.0, 4.0])
CALLS = {
    "x+y": lambda: X + Y, "x+1": lambda: X + 1, "1+x": lambda: 1 + X, "x+1.5": lambda: X + 1.5,
    "i+1.5": lambda: N + 1.5, "i+x": lambda: N + X, "m+x": lambda: M + X, "h": lambda: H + 1.001,
    "h+x": lambda: H + X, "u-1": lambda: U - 1, "u+300": lambda: U + 300, "b": lambda: B + B,
    "b+1": lambda: B + 1, "b+t": lambda: B + True, "c": lambda: C * X, "c+j": lambda: X + 1j,
    "np": lambda: X + NP, "pn": lambda: NP * X, "scalar": lambda: np.float64(2) * X,
    "div": lambda: X / Y, "i/i": lambda: N / N, "x/0": lambda: X / 0, "i//2": lambda: N // 2,
    "i//0": lambda: N // 0, "x//-0.0": lambda: X // -0.0, "x//0.0": lambda: X // 0.0,
    "i%3": lambda: N % 3, "i%-3": lambda: N % -3, "5%i": lambda: 5 % N, "x%y": lambda: X % Y,
    "x**2": lambda: X**2, "x**-1": lambda: X**-1, "x**0.5": lambda: X**0.5, "i**2": lambda: N**2,
    "x**y": lambda: X**Y, "2**x": lambda: 2**X, "x**i": lambda: X ** jnp.int32(3),
    "divmod": lambda: divmod(X, 2), "neg": lambda: -X, "not": lambda: ~N, "abs": lambda: abs(X),
    "absu": lambda: abs(U), "eq": lambda: X == Y, "lt": lambda: X < 1, "and": lambda: B & True,
    "shift": lambda: N << 1, "mat": lambda: M @ X, "vec": lambda: X @ Y, "e": lambda: E.sum(0),
    "sum": lambda: M.sum(), "axis": lambda: jnp.sum(M, axis=0),
    "kept": lambda: M.sum(1, keepdims=True),
    "where": lambda: jnp.where(X > 0, X, 0), "wherei": lambda: jnp.where(N > 0, N, 0.5),
    "masked": lambda: jnp.sum(M, where=B), "mean": lambda: N.mean(), "var": lambda: X.var(ddof=1),
    "max": lambda: M.max(axis=-1), "arg": lambda: X.argmax(), "any": lambda: B.any(),
    "reshape": lambda: M.reshape(4, -1), "T": lambda: M.T, "axes": lambda: M.transpose((1, 0)),
    "stack": lambda: jnp.stack([X, Y]), "join": lambda: jnp.concatenate([X, N], axis=0),
    "clip": lambda: X.clip(0, 1), "clip max": lambda: jnp.clip(X, max=0.5),
    "to": lambda: X.astype(int),
    "to half": lambda: X.astype("float16"), "same": lambda: X.astype(X.dtype),
    "dot": lambda: jnp.dot(M, X),
    "outer": lambda: jnp.outer(X, Y), "squeeze": lambda: M[None].squeeze(0),
    "flip": lambda: jnp.flip(X),
    "relu": lambda: jax.nn.relu(X), "softmax": lambda: jax.nn.softmax(M),
    "gelu": lambda: jax.nn.gelu(X),
    "leaky": lambda: jax.nn.leaky_relu(X, 0.1), "number": lambda: jnp.add(1, 2.5),
    "sin": lambda: jnp.sin(2),
    "maximum": lambda: jnp.maximum(X, 0), "isnan": lambda: jnp.isnan(X),
    "fabs": lambda: jnp.fabs(N),
    "cumsum": lambda: jnp.cumsum(M, axis=1), "sort": lambda: jnp.sort(X),
    "logical": lambda: jnp.logical_not(N),
}  # fmt: skip


def same(x, y):
    x, y = jax.tree.leaves(x), jax.tree.leaves(y)
    for a, b in zip(x, y, strict=True):
        assert typeof(a) is typeof(b)
        a, b = np.asarray(a), np.asarray(b)
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind in "fc":
            np.testing.assert_array_equal(np.signbit(a.real), np.signbit(b.real))


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_later_calls_are_like_the_first(name, x64):
    jax.clear_caches()
    with jax.enable_x64(x64):
        first, second, third, fourth = (CALLS[name]() for _ in range(4))
        with jax.disable_jit():
            without = CALLS[name]()
    for later in (second, third, fourth, without):
        same(first, later)


def paths_of(fun):
    return next(c.cell_contents for c in fun.__closure__ if isinstance(c.cell_contents, Paths))


def test_a_path_is_written_when_its_types_come_again():
    calls = []

    @by_types
    def double_sum(x, y, /):
        calls.append(type(x))
        return lax.mul(lax.add(x, y), lax.add(x, y))

    paths = paths_of(double_sum)
    for _ in range(5):
        same(double_sum(X, Y), (X + Y) ** 2)
    assert len(calls) == 2 and len(paths) == 1
    [path] = paths.values()
    assert path.source.startswith("def path(p0, p1):")
    double_sum(M, M)
    assert len(calls) == 3 and len(paths) == 2
    jax.clear_caches()
    assert len(paths) == 0


def test_numbers_count_by_type_or_by_value():
    @by_types
    def times(x, y, /):
        return lax.mul(x, jnp.asarray(y, x.dtype))

    @by_types
    def total(x, axis):
        assert type(axis) is int
        return lax.reduce_sum_p.bind(x, axes=(axis,))

    for n in range(6):
        same(times(X, float(n)), X * n)
        same(total(M, n % 2), jnp.sum(M, n % 2))
    assert len(paths_of(times)) == 1 and len(paths_of(total)) == 2
    with pytest.raises(AssertionError):
        total(M, True)


def test_deleted_arrays_are_refused():
    x = X + 0
    for _ in range(3):
        x + x, x == x, jnp.where(x > 0, x, x), x.sum()
    x.delete()
    for call in (lambda: x + x, lambda: x == x, lambda: x.sum(), lambda: jnp.sin(x)):
        with pytest.raises(RuntimeError, match="deleted"):
            call()


def test_wrong_calls_stay_wrong():
    for _ in range(4):
        with pytest.raises(TypeError, match="which do not broadcast"):
            X + jnp.ones(3)
        with pytest.raises(OverflowError):
            N + 2**40
        with pytest.raises(TypeError):
            X + "a"
        with pytest.raises(TypeError):
            jnp.clip([1.0], 0, 1)
        with pytest.raises(TypeError):
            jnp.sin([1.0])
        with pytest.raises(ValueError):
            jnp.sum(X, axis=5)
        X + 1, N + 1, jnp.sum(X, axis=0)


def test_an_axis_is_no_bool_and_no_float():
    for _ in range(3):
        jnp.sum(M, axis=1), M.reshape((4, 2))
    for wrong in (1.0, "1"):
        with pytest.raises(TypeError):
            jnp.sum(M, axis=wrong)
    with pytest.raises(TypeError):
        M.reshape((4.0, 2))


def test_who_warns_warns_again():
    for _ in range(4):
        with pytest.warns(UserWarning, match="64-bit dtypes are off"):
            jnp.sum(X, dtype="float64")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            jnp.sum(X)
        with pytest.warns(DeprecationWarning, match="Take x.real"):
            C.astype("float32")


def test_settings_are_part_of_the_key():
    for _ in range(3):
        assert (N + 1.5).dtype == "float32"
    with jax.enable_x64():
        for _ in range(3):
            assert (jnp.arange(3) + 1.5).dtype == "float64"
    with jax.numpy_dtype_promotion("strict"):
        with pytest.raises(ValueError):
            N + X
    assert (N + X).dtype == "float32"


def test_under_a_transformation_there_are_no_paths():
    for _ in range(3):
        X + Y, jnp.sin(X), X @ Y
    assert str(jax.make_jaxpr(lambda x: x + Y)(X)).count("add") == 1
    assert len(jax.make_jaxpr(lambda: X + Y)().eqns) == 1
    same(jax.grad(lambda x: jnp.sum(jnp.sin(x) * x))(X), jnp.sin(X) + X * jnp.cos(X))
    same(jax.vmap(lambda x, y: x + y)(X, Y), X + Y)


def test_results_are_nobody_elses():
    for _ in range(4):
        y = M.reshape(8)
        with pytest.raises(ValueError):
            np.asarray(y)[0] = 1
        assert not y._value.flags.writeable


def test_a_jitted_function_of_the_library_is_checked_and_not_compiled():
    def check(x):
        if not isinstance(x, jax.Array):
            raise TypeError("no array")

    traced = []
    jitted = jax.jit(lambda x: traced.append(1) or lax.sin(x))
    fun = by_types(jitted, check=check)
    for _ in range(3):
        same(fun(X), jnp.sin(X))
        with pytest.raises(TypeError, match="no array"):
            fun([1.0])
    assert len(traced) == 1 and str(jax.make_jaxpr(fun)(X)).count("jit[") == 1


def test_threads_share_paths():
    results, wrong = [], []

    def work(number):
        x = jnp.full(3, number, "float32")
        for _ in range(50):
            y = jnp.sin(x) * 2 + number
            if not np.allclose(y, np.sin(number) * 2 + number, rtol=1e-6):
                wrong.append(number)
        results.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(results) == 6


def test_functions_stay_what_they_are():
    assert pickle.loads(pickle.dumps(jnp.add)) is jnp.add
    assert jnp.sum.__name__ == "sum" and jnp.sin.__doc__.startswith("The sine")


OPERANDS = [(0,), (1.5,), ([1.0, 2.0],), (1.5, 2), (np.int8(1),), (np.arange(3),), ((0,),)]


def outcome(fun, args):
    """The types of the results, or the class of the error."""
    try:
        leaves = jax.tree.leaves(fun(*args))
    except Exception as error:
        return type(error)
    return [(x.aval if hasattr(x, "aval") else type(x)) for x in leaves]


@pytest.mark.parametrize("package", [jnp, jax.nn])
def test_under_disable_jit_functions_take_and_give_the_same(package):
    names = [name for name in package.__all__ if hasattr(getattr(package, name), "is_boundary")]
    calls = [(getattr(package, name), args) for name in names for args in OPERANDS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [outcome(*call) for call in calls]
        with jax.disable_jit():
            found = [outcome(*call) for call in calls]
    triples = zip(calls, found, expected, strict=True)
    assert not [(f.__name__, args, a, b) for (f, args), a, b in triples if a != b]
    assert sum(isinstance(result, list) for result in expected) > 2 * len(names)
