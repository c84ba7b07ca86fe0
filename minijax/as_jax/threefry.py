"""What JAX's Threefry does with a key's two words, by its inner names."""

from __future__ import annotations

from typing import Any

from minijax.random import bits, key, key_data, split, wrap_key_data

_IMPL = "threefry2x32"


def threefry_seed(seed: Any) -> Any:
    """The words, uint32[2], of an integer's key."""
    return key_data(key(seed, impl=_IMPL))


def threefry_split(key: Any, shape: tuple[int, ...]) -> Any:
    """The words, uint32[*shape, 2], of new keys."""
    return key_data(split(wrap_key_data(key, impl=_IMPL), shape))


def threefry_random_bits(key: Any, bit_width: int, shape: tuple[int, ...]) -> Any:
    """Random unsigned integers of so many bits."""
    return bits(wrap_key_data(key, impl=_IMPL), shape, f"uint{bit_width}")
