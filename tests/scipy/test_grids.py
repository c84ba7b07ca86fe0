"""RegularGridInterpolator and map_coordinates beside SciPy; their derivatives, jit and vmap."""

import numpy as np
import pytest
import scipy.interpolate
import scipy.ndimage

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.scipy.interpolate import RegularGridInterpolator
from minijax.scipy.ndimage import map_coordinates

RNG = np.random.default_rng(0)
GRID = (np.array([0.0, 1, 3, 4]), np.array([-1.0, 0.5, 2]), np.array([0.0, 2]))
VALUES = RNG.normal(size=(4, 3, 2))
POINTS = RNG.uniform([-1, -2, -1], [5, 3, 3], (60, 3))
IMAGE = RNG.normal(size=(5, 4))
PLACES = RNG.uniform(-9, 12, (2, 80))


@pytest.mark.parametrize("fill_value", [np.nan, 7.0, None])
@pytest.mark.parametrize("method", ["linear", "nearest"])
def test_a_grid_is_read_as_scipy_reads_it(method, fill_value):
    how = {"method": method, "bounds_error": False, "fill_value": fill_value}
    with jax.enable_x64(True):
        ours = RegularGridInterpolator(GRID, VALUES, **how)
        theirs = scipy.interpolate.RegularGridInterpolator(GRID, VALUES, **how)
        np.testing.assert_allclose(ours(POINTS), theirs(POINTS), rtol=1e-12)
        np.testing.assert_allclose(ours(POINTS.reshape(3, 20, 3)).ravel(), theirs(POINTS))
        np.testing.assert_allclose(jax.jit(ours)(POINTS), theirs(POINTS), rtol=1e-12)
        np.testing.assert_allclose(jax.vmap(ours)(POINTS)[:, 0], theirs(POINTS), rtol=1e-12)
        falling = RegularGridInterpolator((GRID[0][::-1], *GRID[1:]), VALUES[::-1], **how)
        np.testing.assert_allclose(falling(POINTS), theirs(POINTS), rtol=1e-12)


def test_a_grid_has_derivatives_by_points_and_values():
    points = np.array([[0.3, 0.1, 0.5], [2.2, 1, 1.5]])
    check_derivatives(lambda x: RegularGridInterpolator(GRID, VALUES)(x), [points])
    check_derivatives(lambda v: RegularGridInterpolator(GRID[:1], v)(np.array([0.5, 2])),
                      [VALUES[:, 0, 0]])  # fmt: skip


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("mode", ["nearest", "mirror", "reflect"])
def test_an_image_is_continued_as_scipy_continues_it(mode, order):
    with jax.enable_x64(True):
        got = map_coordinates(IMAGE, PLACES, order, mode)
        want = scipy.ndimage.map_coordinates(IMAGE, PLACES, order=order, mode=mode)
        np.testing.assert_allclose(got, want, atol=1e-12)
        jitted = jax.jit(map_coordinates, static_argnums=(2, 3))(IMAGE, PLACES, order, mode)
        np.testing.assert_allclose(jitted, want, atol=1e-12)


@pytest.mark.parametrize("order", [0, 1])
def test_an_image_in_a_constant_and_one_that_comes_again(order):
    inside = np.random.default_rng(1).uniform([0, 0], [4, 3], (50, 2)).T
    with jax.enable_x64(True):
        want = scipy.ndimage.map_coordinates(IMAGE, inside, order=order)
        for shift in (0, 5, -10):
            moved = inside + [[shift], [0]]
            got = map_coordinates(IMAGE, moved, order, "wrap")
            np.testing.assert_allclose(got, want, atol=1e-12)
        far = map_coordinates(IMAGE, inside + 9, order, "constant", 7.5)
        np.testing.assert_allclose(far, np.full(50, 7.5), rtol=1e-12)


def test_an_image_has_derivatives_and_is_mapped():
    places = np.array([[0.3, 1.6], [2.2, 0.4]])
    read = jax.jit(lambda x, c: map_coordinates(x, c, 1, "wrap"))
    check_derivatives(read, [IMAGE[:4, :3], places])
    images = jnp.asarray(np.stack([IMAGE, -IMAGE]))
    got = jax.vmap(lambda x: map_coordinates(x, places, 1))(images)
    np.testing.assert_allclose(got[0], -got[1], rtol=1e-6)
    whole = map_coordinates(np.arange(6), [np.array([0.4, 1.5, 2.6])], 1)
    assert whole.dtype == np.int32 and list(whole) == [0, 2, 3]
