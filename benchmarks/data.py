"""Numbers for the workloads: NumPy draws them, so that both libraries get the same."""

import numpy as np


def normals(lib, *shape: int, seed: int = 0):
    """An array of `lib` with float32 numbers from the normal distribution."""
    return lib.numpy.asarray(numpy_normals(*shape, seed=seed))


def uniforms(lib, *shape: int, low: float = 0.0, high: float = 1.0, seed: int = 0):
    """An array of `lib` with float32 numbers between `low` and `high`."""
    drawn = np.random.default_rng(seed).uniform(low, high, shape)
    return lib.numpy.asarray(drawn.astype(np.float32))


def weights(lib, *shape: int, seed: int = 0):
    """Normal numbers for a layer with `shape[0]` inputs, scaled to leave variances as they are."""
    return lib.numpy.asarray(numpy_normals(*shape, seed=seed) / np.float32(np.sqrt(shape[0])))


def labels(lib, count: int, classes: int, seed: int = 0):
    """An int32 array of `lib`: the classes of `count` examples."""
    drawn = np.random.default_rng(seed).integers(0, classes, count)
    return lib.numpy.asarray(drawn.astype(np.int32))


def numpy_normals(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)
