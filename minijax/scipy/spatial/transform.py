"""Rotations of space, kept as unit quaternions (x, y, z, w), and the way from one to the next.

A rotation by an angle t round a unit vector n is (n sin(t / 2), cos(t / 2)); so is its negative.
(Diebel, Representing attitude, 2006.)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minijax import lax, numpy, random
from minijax.core.dtypes import canonicalize_dtype
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_broadcast
from minijax.numpy.promotion import promote_dtypes_inexact

__all__ = ["Rotation", "Slerp"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


class Rotation(NamedTuple):
    """A rotation, or an array of them: a pytree, which can be mapped and differentiated.

    >>> quarter = Rotation.from_rotvec(np.array([0.0, 0.0, np.pi / 2]))
    >>> numpy.round(quarter.apply(np.array([1.0, 0.0, 2.0])), 3) + 0
    Array([0., 1., 2.], dtype=float32)
    """

    quat: Any

    @classmethod
    def concatenate(cls, rotations: Sequence[Rotation]) -> Rotation:
        """Several arrays of rotations in a row."""
        return cls(numpy.concatenate([rotation.quat for rotation in rotations]))

    @classmethod
    def from_euler(cls, seq: str, angles: Any, degrees: bool = False) -> Rotation:
        """Turns round one to three axes, one after the other: round fixed axes for "xyz" and the
        like, round axes that turn along for "XYZ"; `angles` has an angle for each along its last
        axis. ValueError for other letters, and for one that comes twice in a row."""
        name = "Rotation.from_euler"
        places, is_intrinsic = _axes_of(name, seq)
        (angles,) = promote_dtypes_inexact(numpy.asarray(angles))
        angles = lax.convert_element_type(angles, angles.dtype)
        angles = numpy.deg2rad(angles) if degrees else angles
        if len(places) == 1 and (not angles.ndim or angles.shape[-1] != 1):
            angles = angles[..., None]
        if not angles.ndim or angles.shape[-1] != len(places):
            got = f"angles of the shape {angles.shape} for {len(places)} axes"
            raise ValueError(f"{name} got {got}. Give as many.")
        turns = [_about(axis, angles[..., i]) for i, axis in enumerate(places)]
        total = turns[0]
        for turn in turns[1:]:
            total = _product(total, turn) if is_intrinsic else _product(turn, total)
        return cls(total)

    @classmethod
    def from_matrix(cls, matrix: Any) -> Rotation:
        """From orthogonal matrices of 3 by 3, along the last two axes.

        Of four formulas that one is taken which divides by the largest number. (Shepperd, 1978.)
        """
        m = _floats("Rotation.from_matrix", matrix, (3, 3))
        trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
        forms = []
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            form: list[Any] = [None] * 4
            form[i] = 1 - trace + 2 * m[..., i, i]
            form[j], form[k] = (m[..., n, i] + m[..., i, n] for n in (j, k))
            form[3] = m[..., k, j] - m[..., j, k]
            forms.append(numpy.stack(form, -1))
        differences = [m[..., (i + 2) % 3, (i + 1) % 3] - m[..., (i + 1) % 3, (i + 2) % 3]
                       for i in range(3)]  # fmt: skip
        forms.append(numpy.stack([*differences, 1 + trace], -1))
        sizes = numpy.stack([m[..., 0, 0], m[..., 1, 1], m[..., 2, 2], trace], -1)
        best = numpy.argmax(sizes, -1)[..., None]
        quat = forms[3]
        for i in range(3):
            quat = numpy.where(best == i, forms[i], quat)
        return cls(_unit(quat))

    @classmethod
    def from_mrp(cls, mrp: Any) -> Rotation:
        """From modified Rodrigues parameters, n tan(t / 4)."""
        mrp = _floats("Rotation.from_mrp", mrp, (3,))
        square = numpy.sum(mrp * mrp, -1, keepdims=True)
        return cls(numpy.concatenate([2 * mrp, 1 - square], -1) / (1 + square))

    @classmethod
    def from_quat(cls, quat: Any) -> Rotation:
        """From quaternions (x, y, z, w), which are scaled to size 1."""
        return cls(_unit(_floats("Rotation.from_quat", quat, (4,))))

    @classmethod
    def from_rotvec(cls, rotvec: Any, degrees: bool = False) -> Rotation:
        """From vectors in the direction of the axis, as long as the angle."""
        rotvec = _floats("Rotation.from_rotvec", rotvec, (3,))
        rotvec = numpy.deg2rad(rotvec) if degrees else rotvec
        square = numpy.sum(rotvec * rotvec, -1, keepdims=True)
        is_small = square < 1e-6
        angle = numpy.sqrt(numpy.where(is_small, 1, square))
        near = 0.5 - square / 48 + square * square / 3840
        cosine = numpy.where(is_small, 1 - square / 8, numpy.cos(angle / 2))
        scale = numpy.where(is_small, near, numpy.sin(angle / 2) / angle)
        return cls(numpy.concatenate([scale * rotvec, cosine], -1))

    @classmethod
    def identity(cls, num: int | None = None, dtype: Any = float) -> Rotation:
        """The rotation that moves nothing, or `num` of them."""
        quat = numpy.array([0, 0, 0, 1], dtype=dtype)
        return cls(quat if num is None else numpy.tile(quat, (num, 1)))

    @classmethod
    def random(cls, random_key: Any, num: int | None = None) -> Rotation:
        """A rotation of which each is as likely, or `num` of them."""
        shape = (4,) if num is None else (num, 4)
        return cls(_unit(random.normal(random_key, shape, canonicalize_dtype(float))))

    def __getitem__(self, indexer: Any) -> Rotation:
        if self.single:
            raise TypeError("A single Rotation has no index. Make an array: quat[None].")
        return Rotation(self.quat[indexer])

    def __len__(self) -> int:
        if self.single:
            raise TypeError("A single Rotation has no length. Make an array: quat[None].")
        return self.quat.shape[0]

    def __mul__(self, other: Rotation) -> Rotation:
        """First `other`, then this."""
        return Rotation(_product(self.quat, other.quat))

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """The vectors turned, or turned back; rotations and vectors are broadcast."""
        vectors = _floats("Rotation.apply", vectors, (3,))
        check_broadcast(
            "Rotation.apply", [self.quat.shape[:-1], vectors.shape[:-1]], ValueError
        )  # fmt: skip
        matrix = self.as_matrix()
        matrix = numpy.swapaxes(matrix, -1, -2) if inverse else matrix
        return numpy.sum(matrix * vectors[..., None, :], -1)

    def as_euler(self, seq: str, degrees: bool = False) -> Any:
        """The three angles of turns round the axes `seq`, as `from_euler` takes them.

        Where the middle one makes the other two one turn, the third is 0. (Bernardes and Viollet,
        Quaternion to Euler angles conversion, 2022.)
        """
        places, is_intrinsic = _axes_of("Rotation.as_euler", seq, 3)
        angles = _euler(self.quat, places, is_intrinsic)
        return numpy.rad2deg(angles) if degrees else angles

    def as_matrix(self) -> Any:
        """Matrices that turn column vectors."""
        x, y, z, w = _parts(self.quat)
        rows = [
            [x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), y * y - x * x - z * z + w * w, 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), z * z - x * x - y * y + w * w],
        ]
        return numpy.stack([numpy.stack(row, -1) for row in rows], -2)

    def as_mrp(self) -> Any:
        """Modified Rodrigues parameters, n tan(t / 4), of angles up to pi."""
        quat = _upper(self.quat)
        return quat[..., :3] / (1 + quat[..., 3:])

    def as_rotvec(self, degrees: bool = False) -> Any:
        """Vectors in the direction of the axis, as long as the angle, which is at most pi."""
        quat = _upper(self.quat)
        vector, w = quat[..., :3], quat[..., 3:]
        square = numpy.sum(vector * vector, -1, keepdims=True)
        is_small = square < 1e-6
        size = numpy.sqrt(numpy.where(is_small, 1, square))
        near = 2 + square / 3 + square * square * (3 / 20)
        angle = 2 * numpy.arctan2(size, w)
        rotvec = vector * numpy.where(is_small, near, angle / size)
        return numpy.rad2deg(rotvec) if degrees else rotvec

    def as_quat(self, canonical: bool = False, scalar_first: bool = False) -> Any:
        """Quaternions (x, y, z, w), or (w, x, y, z); if `canonical`, those with w from 0 on."""
        quat = _upper(self.quat) if canonical else self.quat
        return numpy.roll(quat, 1, -1) if scalar_first else quat

    def inv(self) -> Rotation:
        """The rotation back."""
        return Rotation(self.quat * np.array([-1, -1, -1, 1], self.quat.dtype))

    def magnitude(self) -> Any:
        """The angle, from 0 to pi."""
        size = numpy.sqrt(numpy.sum(numpy.square(self.quat[..., :3]), -1))
        return 2 * numpy.arctan2(size, numpy.abs(self.quat[..., 3]))

    def mean(self, weights: Any = None) -> Rotation:
        """The rotation that is nearest to all of an array, each of which counts as `weights` says.

        It is the quaternion along which their products with themselves are largest (Markley and
        others, Averaging quaternions, 2007), which powers of that matrix come to.
        """
        count = len(self)
        quat = self.quat.reshape(-1, 4)
        weights = numpy.ones(count, quat.dtype) if weights is None else numpy.asarray(weights)
        matrix = numpy.matmul(quat.T * weights.reshape(-1), quat)
        for _ in range(40):
            matrix = numpy.matmul(matrix, matrix)
            matrix = matrix / numpy.trace(matrix)
        column = numpy.take(matrix, numpy.argmax(numpy.diagonal(matrix)), 1)
        return Rotation(_upper(_unit(column)))

    @property
    def single(self) -> bool:
        """Whether it is one rotation, and no array."""
        return self.quat.ndim == 1


# Quaternions.


def _floats(name: str, x: Any, shape: tuple[int, ...]) -> Any:
    (x,) = promote_dtypes_inexact(numpy.asarray(x))
    if x.shape[-len(shape) :] != shape:
        got = f"an array of the shape {x.shape}"
        raise ValueError(f"{name} got {got}. Give one that ends in {shape}.")
    return x


def _parts(quat: Any) -> list[Any]:
    return [quat[..., i] for i in range(4)]


def _unit(quat: Any) -> Any:
    return quat / numpy.sqrt(numpy.sum(quat * quat, -1, keepdims=True))


def _upper(quat: Any) -> Any:
    """Of the two that are the same rotation that with w from 0 on."""
    return numpy.where(quat[..., 3:] < 0, -quat, quat)


def _product(p: Any, q: Any) -> Any:
    """Hamilton's."""
    (a, b, c, w), (x, y, z, v) = _parts(p), _parts(q)
    parts = [
        w * x + a * v + b * z - c * y, w * y - a * z + b * v + c * x,
        w * z + a * y - b * x + c * v, w * v - a * x - b * y - c * z,
    ]  # fmt: skip
    return numpy.stack(parts, -1)


def _about(axis: int, angle: Any) -> Any:
    """A turn round an axis of space."""
    sine, zero = numpy.sin(angle / 2), numpy.zeros_like(angle)
    return numpy.stack([*(sine if i == axis else zero for i in range(3)), numpy.cos(angle / 2)], -1)


def _axes_of(name: str, seq: Any, count: int | None = None) -> tuple[list[int], bool]:
    """The axes that letters name, and whether they turn along."""
    letters = "three" if count else "one to three"
    if not isinstance(seq, str) or not 1 <= len(seq) <= 3 or len(seq) != (count or len(seq)):
        raise ValueError(f"{name} takes {letters} axes, and got {shown(seq)}. Give such as 'xyz'.")
    if not (set(seq) <= set("xyz") or set(seq) <= set("XYZ")):
        way_out = "Give letters of 'xyz' alone, or of 'XYZ' alone."
        raise ValueError(f"{name} takes names of axes, and got {shown(seq)}. {way_out}")
    if any(a == b for a, b in zip(seq, seq[1:], strict=False)):
        raise ValueError(f"{name} got an axis twice in a row: {shown(seq)}. Give each once there.")
    return ["xyz".index(letter) for letter in seq.lower()], seq.isupper()


def _euler(quat: Any, places: list[int], is_intrinsic: bool) -> Any:
    i, j, k = places[::-1] if is_intrinsic else places
    is_symmetric = i == k
    k = 3 - i - j if is_symmetric else k
    sign = (i - j) * (j - k) * (k - i) // 2
    parts = _parts(quat)
    w = parts[3]
    if is_symmetric:
        a, b, c, d = w, parts[i], parts[j], parts[k] * sign
    else:
        a, b = w - parts[j], parts[i] + parts[k] * sign
        c, d = parts[j] + w, parts[k] * sign - parts[i]
    middle = 2 * numpy.arctan2(_hypot(c, d), _hypot(a, b))
    half_sum, half_difference = numpy.arctan2(b, a), numpy.arctan2(d, c)
    is_0, is_pi = numpy.abs(middle) < 1e-7, numpy.abs(middle - np.pi) < 1e-7
    first, third = half_sum - half_difference, half_sum + half_difference
    angles = [third, middle, first] if is_intrinsic else [first, middle, third]
    turned = 2 * half_difference if is_intrinsic else -2 * half_difference
    angles[0] = numpy.where(is_0, 2 * half_sum, numpy.where(is_pi, turned, angles[0]))
    angles[2] = numpy.where(is_0 | is_pi, 0, angles[2])
    if not is_symmetric:
        angles[0 if is_intrinsic else 2] *= sign
        angles[1] = angles[1] - np.pi / 2
    return numpy.stack([_wrapped(angle) for angle in angles], -1)


def _hypot(x: Any, y: Any) -> Any:
    return numpy.sqrt(x * x + y * y)


def _wrapped(angle: Any) -> Any:
    """From -pi to pi."""
    angle = numpy.where(angle < -np.pi, angle + 2 * np.pi, angle)
    return numpy.where(angle > np.pi, angle - 2 * np.pi, angle)


# From rotation to rotation.


class Slerp(NamedTuple):
    """A function of times, which turns evenly from each of some rotations to the next.

    >>> ends = Rotation.from_rotvec(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> numpy.round(Slerp.init(np.array([0.0, 1.0]), ends)(0.5).as_rotvec(), 4)
    Array([0. , 0. , 0.5], dtype=float32)
    """

    times: Any
    timedelta: Any
    rotations: Rotation
    rotvecs: Any

    @classmethod
    def init(cls, times: Any, rotations: Rotation) -> Slerp:
        """From times, which rise, and as many rotations, at least two; else ValueError."""
        name = "Slerp.init"
        if not isinstance(rotations, Rotation) or rotations.single or len(rotations) < 2:
            raise ValueError(f"{name} takes two rotations or more. Give a Rotation of as many.")
        (times,) = promote_dtypes_inexact(numpy.asarray(times))
        if times.shape != (len(rotations),):
            got = f"times of the shape {times.shape} for {len(rotations)} rotations"
            raise ValueError(f"{name} got {got}. Give as many.")
        steps = rotations[:-1].inv() * rotations[1:]
        return cls(times, numpy.diff(times), rotations[:-1], steps.as_rotvec())

    def __call__(self, times: Any) -> Rotation:
        """The rotation at a time, or at each of a row of times; those beyond the ends go on."""
        (times,) = promote_dtypes_inexact(numpy.asarray(times))
        if times.ndim > 1:
            got = f"an array of the shape {times.shape}"
            raise ValueError(f"Slerp takes a time or a row of them, and got {got}. Give one axis.")
        last = self.timedelta.size - 1
        place = numpy.clip(numpy.searchsorted(self.times, times) - 1, 0, last)
        share = (times - self.times[place]) / self.timedelta[place]
        turn = Rotation.from_rotvec(self.rotvecs[place] * share[..., None])
        return self.rotations[place] * turn


guard(Rotation, Slerp)
guard(sys.modules[__name__])
