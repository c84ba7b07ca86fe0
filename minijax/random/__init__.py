"""Random numbers: each function's result is a function of a key, and of nothing else.

A key serves once. To draw again, make new keys of it with `split` or `fold_in`.
"""

from minijax.random.keys import (
    PRNGKey,
    bits,
    clone,
    fold_in,
    key,
    key_data,
    key_dtype,
    key_impl,
    split,
    wrap_key_data,
)
from minijax.random.samplers import bernoulli, normal, randint, uniform

__all__ = [
    "PRNGKey", "bernoulli", "bits", "clone", "fold_in", "key", "key_data", "key_dtype", "key_impl",
    "normal", "randint", "split", "uniform", "wrap_key_data",
]  # fmt: skip
