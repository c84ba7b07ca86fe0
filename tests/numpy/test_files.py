"""Arrays from bytes, text, files and other libraries; windows, ranges, views and dtypes by kind."""

import io

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives

X = np.array([[1.5, -2.0], [0.0, 7.25]], np.float32)


def test_a_file_and_back():
    for x in (jnp.asarray(X), jnp.arange(3), jnp.ones(2) * 1j, jnp.ones(2, jnp.bfloat16)):
        file = io.BytesIO()
        jnp.save(file, x)
        file.seek(0)
        got = jnp.load(file)
        assert isinstance(got, jax.Array) and got.dtype == x.dtype
        np.testing.assert_array_equal(got, x)
    file = io.BytesIO()
    jnp.savez(file, a=jnp.asarray(X))
    file.seek(0)
    np.testing.assert_array_equal(jnp.load(file)["a"], X)


def test_a_file_of_texts_is_numpys():
    file = io.BytesIO()
    jnp.save(file, np.array(["a"]))
    file.seek(0)
    assert isinstance(jnp.load(file), np.ndarray)


def test_bytes_and_text():
    np.testing.assert_array_equal(jnp.frombuffer(X.tobytes(), "float32"), X.ravel())
    np.testing.assert_array_equal(jnp.frombuffer(X.tobytes(), "float32", 2, 4), X.ravel()[1:3])
    np.testing.assert_array_equal(jnp.fromstring("1, 2.5", sep=","), [1, 2.5])
    assert jnp.asarray(X).tobytes() == X.tobytes()
    assert jnp.asarray(X).tobytes("F") == X.tobytes("F")


def test_other_libraries():
    x = jnp.asarray(X)
    np.testing.assert_array_equal(np.from_dlpack(x), X)
    np.testing.assert_array_equal(jnp.from_dlpack(x), X)
    np.testing.assert_array_equal(jax.dlpack.from_dlpack(X), X)
    given = X.copy()
    got = jnp.from_dlpack(given, copy=True)
    given[0, 0] = 99
    assert got[0, 0] == 1.5 and x.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("m", [0, 1, 2, 5, 8])
def test_windows(name, m):
    np.testing.assert_allclose(getattr(jnp, name)(m), getattr(np, name)(m), atol=1e-6)
    np.testing.assert_allclose(jnp.kaiser(m, 3.5), np.kaiser(m, 3.5), rtol=1e-5)


def test_derivatives_of_a_window():
    check_derivatives(lambda beta: jnp.kaiser(5, beta), [np.array(2.5)])


@pytest.mark.parametrize("name", ["geomspace", "logspace"])
@pytest.mark.parametrize("args", [
    (1, 8, 4), (1.0, 8.0, 4, False), (2, 3, 1), (1, 2, 0), (X[1] + 1, X[1] + 3, 3), (3, 1, 3),
])  # fmt: skip
def test_ranges(name, args):
    expected = getattr(np, name)(*args)
    np.testing.assert_allclose(getattr(jnp, name)(*args), expected, rtol=1e-5)


def test_ranges_along_other_axes_and_to_other_bases():
    bounds = np.array([1.0, 2.0]), np.array([4.0, 8.0])
    for axis in (0, 1, -1):
        expected = np.geomspace(*bounds, 3, axis=axis)
        np.testing.assert_allclose(jnp.geomspace(*bounds, 3, axis=axis), expected, rtol=1e-5)
    np.testing.assert_allclose(jnp.logspace(0, 3, 4, base=2), [1, 2, 4, 8])
    assert jnp.logspace(0, 2, 3, dtype=int).tolist() == [1, 10, 100]


@pytest.mark.parametrize("old", ["float32", "int32", "int8", "bool", "complex64", "float16"])
@pytest.mark.parametrize("new", ["float32", "uint8", "int16", "bool", "complex64", "float16"])
def test_views(old, new):
    x = np.array([[1, 0, 1, 0, 1, 1, 0, 1] * 2]).astype(old)
    for f in (lambda x: x.view(new), jax.jit(lambda x: x.view(new))):
        if new == "bool":  # other bytes than 0 and 1 are no bools in NumPy
            expected = x.view("uint8") != 0
        else:
            expected = x.view(new)
        np.testing.assert_array_equal(f(jnp.asarray(x)), expected)


def test_byteswap_and_views_of_numbers():
    for x in (X, np.arange(-2, 3), X * 1j, np.arange(3, dtype="int8")):
        x = np.asarray(jnp.asarray(x))
        got = jnp.asarray(x).byteswap()
        assert got.tobytes() == x.byteswap().tobytes()
        assert jax.jit(lambda x: x.byteswap().byteswap())(x).tolist() == x.tolist()
    assert jnp.float32(1).view("int32") == 0x3F800000
    with pytest.warns(UserWarning, match="64-bit"):
        assert jnp.ones(2).view("uint64").dtype == np.uint32


def test_arrays_say_where_they_are():
    x = jnp.asarray(X)
    assert x.is_ready() and x.is_fully_addressable and x.is_fully_replicated and not x.committed
    assert x.on_device_size_in_bytes() == 16 and x.platform() == "cpu"
    assert x.copy_to_host_async() is None and x.unsafe_buffer_pointer() > 0
    np.testing.assert_array_equal(x.to_device(jax.devices()[0]), X)
    assert x.clone() is not x and x.clone().tolist() == x.tolist()
    with pytest.raises(NotImplementedError):
        x.flat  # noqa: B018
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(lambda x: x.tobytes())(x)


def test_printing_options_are_numpys():
    x = jnp.array([1.23456])
    with jnp.printoptions(precision=2):
        assert str(x) == "[1.23]" == jnp.array_str(x) and jnp.get_printoptions()["precision"] == 2
    assert jnp.array_repr(np.arange(2)) == "array([0, 1])"


def test_the_namespace_knows_itself():
    info = jnp.__array_namespace_info__()
    assert jnp.ones(2).__array_namespace__() is jnp
    assert {str(d) for d in info.dtypes(kind="numeric").values()} >= {"int8", "float32"}
    assert "float64" not in info.dtypes() and info.default_dtypes()["indexing"] == "int32"
    with jax.enable_x64(True):
        assert info.dtypes(kind="real floating")["float64"] == "float64"
        assert info.default_dtypes()["real floating"] == "float64"
    assert info.devices() == [None, *jax.devices()]


@pytest.mark.parametrize("name", ["vecdot", "matvec", "vecmat", "vdot"])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
def test_products_of_vectors_and_stacks(name, dtype):
    matrix = np.arange(24).reshape(2, 3, 4).astype(dtype)
    vector = (np.arange(4) - 1).astype(dtype)
    if dtype == "complex64":
        matrix, vector = matrix * (1 + 2j), vector * (2 - 1j)
    args = {"vecdot": (matrix, vector), "matvec": (matrix, vector), "vdot": (vector, vector[::-1]),
            "vecmat": (vector[:3], matrix)}[name]  # fmt: skip
    sums = {"matvec": "bij,j->bi", "vecmat": "i,bij->bj"}  # NumPy has them since 2.2
    wanted = np.einsum(sums[name], np.conj(args[0]) if name == "vecmat" else args[0], args[1]) \
        if name in sums else getattr(np, name)(*args)
    np.testing.assert_allclose(getattr(jnp, name)(*args), wanted, rtol=1e-6)
    if name == "vecdot":
        got = jnp.vecdot(matrix, matrix[:, :1], axis=-1)
        np.testing.assert_allclose(got, np.vecdot(matrix, matrix[:, :1], axis=-1), rtol=1e-6)
