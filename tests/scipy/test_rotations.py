"""Rotation and Slerp beside SciPy's; derivatives where a formula has a hole; jit and vmap."""

import numpy as np
import pytest
from scipy.spatial import transform as theirs

import minijax as jax
import minijax.numpy as jnp
from derivatives import check_derivatives
from minijax.scipy.spatial.transform import Rotation, Slerp

RNG = np.random.default_rng(0)
QUATS = np.concatenate([RNG.normal(size=(12, 4)), np.eye(4), -np.eye(4)[3:], [[1, 1, 0, 0]]])
VECTORS = RNG.normal(size=(len(QUATS), 3))
SEQUENCES = ["xyz", "zyx", "xyx", "zxz", "XYZ", "ZYX", "XYX", "ZXZ", "yxz", "YZY"]


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def both():
    return Rotation.from_quat(QUATS), theirs.Rotation.from_quat(QUATS)


def assert_same_rotation(got, want):
    a, b = np.asarray(got.quat), want.as_quat()
    np.testing.assert_allclose(np.abs(np.sum(a * b, -1)), np.ones(a.shape[:-1]), rtol=1e-12)


def test_forms_are_scipys():
    ours, want = both()
    for name in ("as_matrix", "as_mrp", "magnitude"):
        np.testing.assert_allclose(getattr(ours, name)(), getattr(want, name)(), atol=1e-12)
    np.testing.assert_allclose(ours.as_quat(canonical=True)[:12], want.as_quat(canonical=True)[:12])
    np.testing.assert_allclose(ours.as_rotvec()[:12], want.as_rotvec()[:12], atol=1e-12)
    np.testing.assert_allclose(ours.as_rotvec(degrees=True)[:12], np.rad2deg(want.as_rotvec())[:12])
    for again in (Rotation.from_matrix(ours.as_matrix()), Rotation.from_mrp(ours.as_mrp()),
                  Rotation.from_rotvec(ours.as_rotvec())):  # fmt: skip
        assert_same_rotation(again, want)


@pytest.mark.parametrize("seq", SEQUENCES)
def test_angles_are_scipys(seq):
    ours, want = both()
    angles = RNG.uniform(-3, 3, (20, 3))
    assert_same_rotation(Rotation.from_euler(seq, angles), theirs.Rotation.from_euler(seq, angles))
    np.testing.assert_allclose(ours.as_euler(seq)[:12], want.as_euler(seq)[:12], atol=1e-10)
    assert_same_rotation(Rotation.from_euler(seq, ours.as_euler(seq)), want)


@pytest.mark.parametrize("seq", ["x", "Y", "zx", "XY"])
def test_fewer_turns(seq):
    angles = RNG.uniform(-90, 90, (5, len(seq)))
    got = Rotation.from_euler(seq, angles, degrees=True)
    assert_same_rotation(got, theirs.Rotation.from_euler(seq, angles, degrees=True))


def test_products_vectors_and_means_are_scipys():
    ours, want = both()
    assert_same_rotation(ours * ours[::-1], want * want[::-1])
    assert_same_rotation(ours.inv(), want.inv())
    assert_same_rotation(ours[2:7], want[2:7])
    for inverse in (False, True):
        got = ours.apply(VECTORS, inverse)
        np.testing.assert_allclose(got, want.apply(VECTORS, inverse), atol=1e-12)
    np.testing.assert_allclose(ours[0].apply(VECTORS), want[0].apply(VECTORS), atol=1e-12)
    weights = np.arange(1.0, 13)
    assert_same_rotation(ours[:12].mean(), want[:12].mean())
    assert_same_rotation(ours[:12].mean(weights), want[:12].mean(weights))
    twice = theirs.Rotation.concatenate([want, want])
    assert_same_rotation(Rotation.concatenate([ours, ours]), twice)
    assert_same_rotation(Rotation.identity(3), theirs.Rotation.identity(3))


def test_random_rotations_are_of_size_1_and_repeat():
    key = jax.random.key(0)
    several = Rotation.random(key, 50)
    np.testing.assert_allclose(np.linalg.norm(several.quat, axis=-1), np.ones(50), rtol=1e-12)
    assert Rotation.random(key).single and len(several) == 50
    np.testing.assert_array_equal(Rotation.random(key, 50).quat, several.quat)


def test_the_way_between_rotations_is_scipys():
    times = np.array([0.0, 1, 3, 3.5])
    ours, want = Rotation.from_quat(QUATS[:4]), theirs.Rotation.from_quat(QUATS[:4])
    way, their_way = Slerp.init(times, ours), theirs.Slerp(times, want)
    at = np.linspace(0, 3.5, 30)
    assert_same_rotation(way(at), their_way(at))
    assert_same_rotation(way(0.7), their_way(0.7))


def test_derivatives_at_no_turn_and_elsewhere():
    for vector in (np.zeros(3), np.array([0.3, -0.2, 0.5])):
        check_derivatives(lambda v: Rotation.from_rotvec(v).apply(VECTORS[0]), [vector])
    for quat in (np.array([0.0, 0, 0, 1]), QUATS[0]):
        check_derivatives(lambda q: Rotation.from_quat(q).as_rotvec(), [quat])
    angles = np.array([0.1, 0.2, 0.3])
    check_derivatives(lambda a: Rotation.from_euler("xyz", a).as_matrix(), [angles])


def test_jitted_and_mapped():
    ours, want = both()
    jitted = jax.jit(Rotation.apply)(ours, VECTORS)
    np.testing.assert_allclose(jitted, want.apply(VECTORS), atol=1e-12)
    turned = jax.vmap(lambda r, v: r.apply(v))(ours, jnp.asarray(VECTORS))
    np.testing.assert_allclose(turned, want.apply(VECTORS), atol=1e-12)
