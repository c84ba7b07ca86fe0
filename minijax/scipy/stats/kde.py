"""A density made of a sample: a normal hill at each point. (Scott, Multivariate density estimation,
1992.)"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minijax import lax, numpy, random
from minijax.core.dtypes import issubdtype
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike
from minijax.numpy.promotion import promote_dtypes_inexact
from minijax.scipy.special import logsumexp, ndtr
from minijax.tree_util import register_pytree_node_class

NAME = "gaussian_kde"


@register_pytree_node_class
class gaussian_kde:  # noqa: N801
    """The density of which a sample is, as a sum of normal ones, which a call gives at points.

    The sample has a row for each dimension, or is one row. The hills have its covariance, times the
    square of a factor: `bw_method` is "scott" (None), "silverman", a number, or a function of this
    object. `weights` has how much each point counts. ValueError for what doesn't fit.

    >>> density = gaussian_kde(numpy.array([0.0, 1.0, 2.0]))
    >>> round(float(density(1.0)[0]), 3), density.covariance.shape
    (0.318, (1, 1))
    """

    neff: Any
    dataset: Any
    weights: Any
    covariance: Any
    inv_cov: Any

    def __init__(self, dataset: Any, bw_method: Any = None, weights: Any = None) -> None:
        check_arraylike(NAME, dataset)
        (dataset,) = promote_dtypes_inexact(numpy.atleast_2d(numpy.asarray(dataset)))
        if issubdtype(dataset.dtype, np.complexfloating):
            got = dataset.dtype
            raise NotImplementedError(f"{NAME} takes floats, and got {got}. Convert them.")
        if dataset.size <= 1:
            raise ValueError(f"{NAME} takes several points, and got {dataset.shape}. Give more.")
        self.dataset, count = dataset, dataset.shape[1]
        if weights is None:
            weights = numpy.full(count, 1 / count, dataset.dtype)
        else:
            check_arraylike(NAME, weights)
            weights = numpy.asarray(weights).astype(dataset.dtype)
            if weights.shape != (count,):
                got = f"weights of the shape {weights.shape} for {count} points"
                raise ValueError(f"{NAME} got {got}. Give a row of as many.")
            weights = weights / numpy.sum(weights)
        self.weights = weights
        self.neff = 1 / numpy.sum(numpy.square(weights))
        middle = numpy.sum(dataset * weights, 1, keepdims=True)
        away = dataset - middle
        plain = numpy.matmul(away * weights, away.T) / (1 - numpy.sum(numpy.square(weights)))
        self.covariance = plain * numpy.square(self._factor(bw_method))
        self.inv_cov = numpy.linalg.inv(plain) / numpy.square(self._factor(bw_method))

    def _factor(self, bw_method: Any) -> Any:
        d = self.d
        if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
            return self.neff ** (-1 / (d + 4))
        if isinstance(bw_method, str) and bw_method == "silverman":
            return (self.neff * (d + 2) / 4) ** (-1 / (d + 4))
        if callable(bw_method):
            return bw_method(self)
        if isinstance(bw_method, str | list | tuple) or numpy.ndim(bw_method):
            got = f"{shown(bw_method)}. Give 'scott', 'silverman', a number or a function."
            raise ValueError(f"{NAME} knows no bw_method {got}")
        return bw_method

    def tree_flatten(self) -> tuple:
        """Its arrays, as a pytree."""
        return (self.neff, self.dataset, self.weights, self.covariance, self.inv_cov), None

    @classmethod
    def tree_unflatten(cls, aux_data: None, children: Any) -> gaussian_kde:
        """One of such arrays."""
        new = cls.__new__(cls)
        new.neff, new.dataset, new.weights, new.covariance, new.inv_cov = children
        return new

    @property
    def d(self) -> int:
        """How many dimensions there are."""
        return self.dataset.shape[0]

    @property
    def n(self) -> int:
        """How many points there are."""
        return self.dataset.shape[1]

    def evaluate(self, points: Any) -> Any:
        """The density at points, which are as those of the sample are."""
        return numpy.exp(self.logpdf(points))

    __call__ = pdf = evaluate

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density at points."""
        check_arraylike("gaussian_kde.logpdf", x)
        points = self._points(x)
        return _log_sum(points, self.dataset, self.weights, self.covariance, self.inv_cov)

    def _points(self, x: Any) -> Any:
        points = numpy.atleast_2d(numpy.asarray(x).astype(self.dataset.dtype))
        if points.shape == (1, self.d):
            points = points.T
        if points.ndim != 2 or points.shape[0] != self.d:
            got = f"points of the shape {points.shape} for {self.d} dimensions"
            raise ValueError(f"{NAME} got {got}. Give a row for each.")
        return points

    def integrate_gaussian(self, mean: Any, cov: Any) -> Any:
        """The integral of the density times that of one normal distribution."""
        mean = numpy.atleast_1d(numpy.asarray(mean).astype(self.dataset.dtype))
        cov = numpy.atleast_2d(numpy.asarray(cov).astype(self.dataset.dtype))
        if mean.shape != (self.d,) or cov.shape != (self.d, self.d):
            got = f"the shapes {mean.shape} and {cov.shape} for {self.d} dimensions"
            raise ValueError(f"gaussian_kde.integrate_gaussian got {got}. Give as many.")
        both = self.covariance + cov
        total = _log_sum(mean[:, None], self.dataset, self.weights, both, numpy.linalg.inv(both))
        return numpy.exp(total)[0]

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """The integral of the density of one dimension from `low` to `high`."""
        if self.d != 1:
            name = "gaussian_kde.integrate_box_1d"
            raise ValueError(f"{name} is for one dimension, and has {self.d}. Leave rows out.")
        width = numpy.sqrt(self.covariance[0, 0])
        low, high = (ndtr((numpy.asarray(x) - self.dataset[0]) / width) for x in (low, high))
        return numpy.sum(self.weights * (high - low))

    def integrate_kde(self, other: gaussian_kde) -> Any:
        """The integral of the density times another one of such."""
        if other.d != self.d:
            got = f"{other.d} dimensions, and has {self.d}"
            raise ValueError(f"gaussian_kde.integrate_kde got one of {got}. Give as many.")
        both = self.covariance + other.covariance
        inverse = numpy.linalg.inv(both)
        each = _log_sum(other.dataset, self.dataset, self.weights, both, inverse)
        return numpy.sum(other.weights * numpy.exp(each))

    def resample(self, key: Any, shape: tuple = ()) -> Any:
        """Numbers of the density, of the shape (dimensions, *shape)."""
        place_key, hill_key = random.split(key)
        places = random.choice(place_key, self.n, shape, p=self.weights)
        noise = random.normal(hill_key, (*shape, self.d), self.dataset.dtype)
        hill = numpy.matmul(noise, numpy.linalg.cholesky(self.covariance).T)
        return numpy.moveaxis(self.dataset.T[places] + hill, -1, 0)

    def integrate_box(self, low_bounds: Any, high_bounds: Any, maxpts: Any = None) -> Any:
        """NotImplementedError, as in JAX: see `integrate_box_1d`."""
        raise NotImplementedError(
            "gaussian_kde.integrate_box is not here. Use integrate_box_1d of one dimension."
        )

    def set_bandwidth(self, bw_method: Any = None) -> Any:
        """NotImplementedError, as in JAX: an object is not changed."""
        raise NotImplementedError(
            "gaussian_kde.set_bandwidth would change it. Make a new one, with bw_method."
        )


def _log_sum(points: Any, dataset: Any, weights: Any, covariance: Any, inverse: Any) -> Any:
    """The logarithm of the sum of normal densities round the sample's points, at others."""
    away = points[:, :, None] - dataset[:, None]
    energy = numpy.sum(away * numpy.tensordot(inverse, away, 1), 0) / 2
    size = dataset.shape[0] * math.log(2 * math.pi) + numpy.linalg.slogdet(covariance)[1]
    size = lax.convert_element_type(size, typeof(energy).dtype)
    return logsumexp(-energy, axis=1, b=weights) - size / 2


guard(gaussian_kde)
