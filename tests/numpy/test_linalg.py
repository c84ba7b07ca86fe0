"""jnp.linalg beside NumPy: values, of stacks too, derivatives, and every way to run."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.numpy import linalg
from minijax.numpy.linalg.matrix_products import _best_splits
from numerics import directional

# Factorisations in kernels: tests/lax/linalg.
pytestmark = pytest.mark.usefixtures("module_on_numpy")
RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def numbers(shape, dtype="float64"):
    """Matrices far from singular ones."""
    x = RANDOM.normal(size=shape)
    x = x + 1j * RANDOM.normal(size=shape) if "complex" in dtype else x
    return (x / 2 + 2 * np.eye(*shape[-2:]) if len(shape) > 1 else np.asarray(x)).astype(dtype)


def definite(x):
    return x @ x.swapaxes(-1, -2).conj() + np.eye(x.shape[-1])


def assert_close(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-10)


def unsigned(x):
    """What is known of eigenvectors or singular vectors: the sum of their products."""
    return (x * np.arange(1, x.shape[-1] + 1)) @ x.swapaxes(-1, -2).conj()


SQUARE, STACK, TALL, WIDE = ((3, 3),), ((2, 4, 4),), ((4, 2),), ((2, 4),)
ANY = (SQUARE, STACK, TALL, WIDE)
# A name: a use of both libraries' `linalg`, and shapes of its arguments.
SMOOTH = {
    "cholesky": (lambda la, x: la.cholesky(definite(x)), (SQUARE, STACK)),
    "cholesky, upper": (lambda la, x: la.cholesky(definite(x), upper=True), (SQUARE,)),
    "cond": (lambda la, x: la.cond(x), (SQUARE, STACK, TALL)),
    "cond 1": (lambda la, x: la.cond(x, 1), (SQUARE,)),
    "cond fro": (lambda la, x: la.cond(x, "fro"), (STACK,)),
    "cross": (lambda la, x, y: la.cross(x, y), (((3,), (3,)), ((2, 3), (2, 3)))),
    "det": (lambda la, x: la.det(x), (((1, 1),), ((2, 2),), SQUARE, STACK, ((5, 5),))),
    "diagonal": (lambda la, x: la.diagonal(x, offset=1), ANY),
    "eigh, values": (lambda la, x: la.eigh(definite(x))[0], (SQUARE, STACK)),
    "eigh, vectors": (lambda la, x: unsigned(la.eigh(definite(x))[1]), (SQUARE, STACK)),
    "eigvalsh": (lambda la, x: la.eigvalsh(definite(x), "U"), (SQUARE,)),
    "inv": (lambda la, x: la.inv(x), (SQUARE, STACK, ((1, 1),))),
    "lstsq": (lambda la, x, y: la.lstsq(x, y, rcond=None)[0], (((4, 2), (4,)), ((4, 2), (4, 3)),
                                                              ((2, 4), (2,)))),
    "matmul": (lambda la, x, y: la.matmul(x, y), (((2, 3), (3, 2)), ((2, 2, 3), (3,)))),
    "matrix_norm": (lambda la, x: la.matrix_norm(x), ANY),
    "matrix_norm nuc": (lambda la, x: la.matrix_norm(x, ord="nuc", keepdims=True), (STACK,)),
    "matrix_power": (lambda la, x: la.matrix_power(x, 5), (SQUARE, STACK)),
    "matrix_power, inverse": (lambda la, x: la.matrix_power(x, -3), (SQUARE,)),
    "matrix_transpose": (lambda la, x: la.matrix_transpose(x), ANY),
    "multi_dot": (lambda la, *xs: la.multi_dot(xs), (((3,), (3, 2), (2, 4), (4,)),
                                                     ((2, 5), (5, 1), (1, 3)))),
    **{f"norm {p}": (lambda la, x, p=p: la.norm(x, p), (((4,),),))
       for p in (None, 1, 2, 3, -1.5, np.inf, -np.inf)},
    **{f"matrix norm {p}": (lambda la, x, p=p: la.norm(x, p), (SQUARE, TALL))
       for p in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)},
    "norm of all": (lambda la, x: la.norm(x), (STACK,)),
    "norm along": (lambda la, x: la.norm(x, axis=1, keepdims=True), (STACK,)),
    "norm along two": (lambda la, x: la.norm(x, 1, axis=(2, 0)), (STACK,)),
    "outer": (lambda la, x, y: la.outer(x, y), (((2,), (3,)),)),
    "pinv": (lambda la, x: la.pinv(x), ANY),
    "pinv, hermitian": (lambda la, x: la.pinv(definite(x), hermitian=True), (SQUARE,)),
    "qr, Q": (lambda la, x: la.qr(x)[0], ANY),
    "qr, R": (lambda la, x: la.qr(x, mode="r"), ANY),
    "qr, all of Q": (lambda la, x: la.qr(x, mode="complete")[0], (TALL,)),
    "slogdet": (lambda la, x: la.slogdet(x)[1], (SQUARE, STACK)),
    "solve": (lambda la, x, y: la.solve(x, y), (((3, 3), (3,)), ((3, 3), (3, 2)),
                                               ((2, 3, 3), (3,)), ((2, 3, 3), (2, 3, 1)))),
    "svd, vectors": (lambda la, x: unsigned(la.svd(x, full_matrices=False)[0]), (SQUARE, TALL)),
    "svdvals": (lambda la, x: la.svdvals(x), ANY),
    "tensordot": (lambda la, x, y: la.tensordot(x, y, axes=1), (((2, 3), (3, 2)),)),
    "tensorinv": (lambda la, x: la.tensorinv(x, ind=1), (((4, 2, 2),),)),
    "tensorsolve": (lambda la, x, y: la.tensorsolve(x, y), (((2, 2, 4), (2, 2)),)),
    "trace": (lambda la, x: la.trace(x), ANY),
    "vecdot": (lambda la, x, y: la.vecdot(x, y), (((3,), (3,)), ((2, 3), (2, 3)))),
    "vector_norm": (lambda la, x: la.vector_norm(x, axis=(0, 1), ord=3), (STACK,)),
}  # fmt: skip
OTHERS = {
    "det of integers": (lambda la, x: la.det((9 * x).astype(int)), (SQUARE, STACK)),
    "eig": (lambda la, x: np.sort_complex(la.eig(x)[0]), (SQUARE, STACK)),
    "eigvals": (lambda la, x: np.sort_complex(la.eigvals(x)), (SQUARE,)),
    "matrix_rank": (lambda la, x: la.matrix_rank(x[..., :1] * x[..., :1, :]), (SQUARE, STACK)),
    "matrix_power 0": (lambda la, x: la.matrix_power(x, 0), (SQUARE, STACK)),
    "norm 0": (lambda la, x: la.norm(x.round(), 0), (((4,),),)),
    "slogdet, sign": (lambda la, x: la.slogdet(x)[0], (SQUARE, STACK)),
    "svd": (lambda la, x: la.svd(x)[1], ANY),
    "svd, hermitian": (lambda la, x: la.svd(x + x.mT, hermitian=True)[1], (SQUARE,)),
}  # fmt: skip
CASES = [(name, shapes) for name, (_, all_shapes) in {**SMOOTH, **OTHERS}.items()
         for shapes in all_shapes]  # fmt: skip


def use_of(name):
    return {**SMOOTH, **OTHERS}[name][0]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name, shapes", CASES, ids=str)
def test_values(name, shapes, dtype):
    if dtype == "complex128" and name in ("det of integers", "norm 0", "cross", "svd, hermitian"):
        dtype = "float64"
    xs = [numbers(shape, dtype) for shape in shapes]
    use = use_of(name)
    got, want = use(linalg, *map(jnp.asarray, xs)), use(np.linalg, *xs)
    if name.startswith("cond"):  # complex in older NumPys
        want = want.real
    assert_close(got, want)
    assert got.dtype == want.dtype or name in ("eig", "eigvals")


SINGLE = [(name, SMOOTH[name][1][0]) for name in SMOOTH]


@pytest.mark.parametrize("name, shapes", SINGLE, ids=str)
def test_jit_and_vmap_and_derivatives(name, shapes):
    f, plain = (lambda *xs, la=la: use_of(name)(la, *xs) for la in (linalg, np.linalg))
    xs, vs = [[numbers(shape) for shape in shapes] for _ in range(2)]
    assert_close(jax.jit(f)(*xs), f(*map(jnp.asarray, xs)))
    axes = tuple(x.ndim // 2 for x in xs)
    stacked = [np.stack([x, y], axis) for x, y, axis in zip(xs, vs, axes, strict=True)]
    assert_close(jax.vmap(f, axes)(*stacked), np.stack([plain(*xs), plain(*vs)]))
    slope = directional(plain, xs, vs)
    out, dot = jax.jvp(f, tuple(map(jnp.asarray, xs)), tuple(map(jnp.asarray, vs)))
    scale = 1 + np.abs(slope).max()
    np.testing.assert_allclose(dot, slope, rtol=1e-6, atol=1e-7 * scale)
    ct = numbers(out.shape)
    pulled = jax.vjp(f, *map(jnp.asarray, xs))[1](jnp.asarray(ct))
    total = sum((g * v).sum() for g, v in zip(pulled, vs, strict=True))
    np.testing.assert_allclose(total, (ct * slope).sum(), rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("name", ["det", "inv", "slogdet", "solve", "pinv", "norm None", "lstsq"])
def test_second_derivatives(name):
    shapes = SMOOTH[name][1][-1 if name == "det" else 0]
    f, plain = (lambda *xs, la=la: (use_of(name)(la, *xs) ** 2).sum() for la in (linalg, np.linalg))
    xs, vs = [[numbers(shape) for shape in shapes] for _ in range(2)]
    places = tuple(range(len(xs)))
    args, tangents = (tuple(map(jnp.asarray, values)) for values in (xs, vs))
    _, dots = jax.jvp(jax.grad(f, places), args, tangents)
    curve = sum((d * v).sum() for d, v in zip(dots, vs, strict=True))
    want = directional(lambda *ys: directional(plain, list(ys), vs), xs, vs)
    np.testing.assert_allclose(curve, want, rtol=1e-3)


def cofactors(x):
    n = len(x)
    minors = [[np.linalg.det(np.delete(np.delete(x, i, 0), j, 1)) for j in range(n)]
              for i in range(n)]  # fmt: skip
    return np.array(minors) * (-1) ** np.add.outer(np.arange(n), np.arange(n))


@pytest.mark.parametrize("rank", [0, 1, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_derivative_of_det_where_it_is_zero(rank, dtype):
    """The matrix of cofactors; the zero pivot may be anywhere."""
    x = RANDOM.normal(size=(5, rank)) @ RANDOM.normal(size=(rank, 5))
    x = x * (1 + 2j) if dtype == "complex128" else x
    for matrix in (x, x.T[::-1], np.diag([0, 2, 3, 4, 5]) if rank == 4 else x):
        matrix = matrix.astype(dtype)
        grad = jax.grad(linalg.det, holomorphic=dtype != "float64")(jnp.asarray(matrix))
        np.testing.assert_allclose(grad, cofactors(matrix), atol=1e-8)


def test_what_is_returned_has_names():
    x = jnp.eye(2)
    assert linalg.svd(x).Vh.shape == linalg.qr(x).R.shape == (2, 2)
    assert linalg.eigh(x).eigenvalues.shape == linalg.eig(x).eigenvectors.shape[:1]
    assert linalg.slogdet(x).logabsdet == 0 and type(linalg.slogdet(x)).__name__ == "SlogdetResult"


def test_rcond_leaves_small_singular_values_out():
    x = np.diag([1.0, 1e-3])
    assert_close(linalg.pinv(x, rtol=1e-2), np.diag([1, 0]))
    assert_close(linalg.lstsq(x, np.ones(2), rcond=1e-2)[0], [1, 0])
    assert linalg.lstsq(x, np.ones(2), rcond=1e-2)[2] == 1
    assert linalg.matrix_rank(x, tol=1e-2) == 1


@pytest.mark.parametrize("count", [2, 3, 6])
def test_multi_dot_takes_the_fewest_steps(count):
    sizes = RANDOM.integers(1, 30, count + 1).tolist()
    splits = _best_splits(sizes)

    def steps(first, last, middles):
        if first == last:
            return 0
        return min(
            steps(first, k, middles) + steps(k + 1, last, middles)
            + sizes[first] * sizes[k + 1] * sizes[last + 1]
            for k in middles(first, last)
        )  # fmt: skip

    chosen = steps(0, count - 1, lambda first, last: [splits[first, last]])
    assert chosen == steps(0, count - 1, lambda first, last: range(first, last))
