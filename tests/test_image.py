"""image.resize and scale_and_translate: what must hold of any weights, and derivatives."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax import image
from minijax.image import ResizeMethod

METHODS = ["linear", "cubic", "lanczos3", "lanczos5", "cubic-pytorch", "area"]
X = np.random.default_rng(0).normal(size=(6, 5))


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("method", [*METHODS, "nearest"])
def test_a_flat_image_stays_flat_and_a_size_stays_the_same(method, antialias):
    flat = image.resize(np.full((4, 7, 2), 3.0), (6, 3, 2), method, antialias)
    np.testing.assert_allclose(flat, np.full((6, 3, 2), 3.0), rtol=1e-5)
    np.testing.assert_array_equal(image.resize(X, X.shape, method, antialias), jnp.asarray(X))
    turned = image.resize(X[::-1], (4, 8), method, antialias)
    if method != "nearest":
        want = image.resize(X, (4, 8), method, antialias)[::-1]
        np.testing.assert_allclose(turned, want, atol=1e-5)


def test_means_of_areas_and_nearest_pixels():
    got = image.resize(X, (3, 5), "area")
    np.testing.assert_allclose(got, X.reshape(3, 2, 5).mean(1), rtol=1e-5)
    np.testing.assert_array_equal(image.resize(np.arange(6), (3,), "nearest"), [1, 3, 5])
    np.testing.assert_array_equal(image.resize(np.arange(3), (6,), "nearest"), [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("method", METHODS)
def test_resizing_is_stretching(method):
    with jax.enable_x64(True):
        scale = np.array([1.5, 0.8])
        got = image.scale_and_translate(X, (9, 4), (0, 1), scale, np.zeros(2), method)
        np.testing.assert_allclose(got, image.resize(X, (9, 4), method), atol=1e-12)
        moved = image.scale_and_translate(X, X.shape, [1], np.ones(1), np.array([2.0]), method)
        np.testing.assert_allclose(moved[:, 2:], X[:, :-2], atol=1e-12)
        np.testing.assert_array_equal(moved[:, :2], np.zeros((6, 2)))


@pytest.mark.parametrize("method", ["linear", "cubic", "lanczos3"])
def test_derivatives_jit_and_vmap(method):
    def stretched(x, scale, shift):
        return image.scale_and_translate(x, (4, 4), (0, 1), scale, shift, method)

    check_derivatives(stretched, [X[:3, :3], np.array([1.3, 0.9]), np.array([0.21, -0.13])])
    images = jnp.asarray(np.stack([X, -X]))
    got = jax.jit(jax.vmap(lambda x: image.resize(x, (4, 8), method)))(images)
    np.testing.assert_allclose(got, image.resize(images, (2, 4, 8), method), atol=1e-5)


def test_methods_have_names():
    assert ResizeMethod.from_string("bicubic") is ResizeMethod.CUBIC
    assert ResizeMethod.from_string("trilinear") is ResizeMethod.LINEAR
    assert image.resize(X.astype("bfloat16"), (3, 3), ResizeMethod.AREA).dtype == jnp.bfloat16
    assert image.resize(np.arange(4), (2,), "linear").dtype == np.float32
