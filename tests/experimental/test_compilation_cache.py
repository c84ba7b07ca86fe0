"""The cache of compiled kernels, under the names of JAX's package."""

from pathlib import Path

import pytest

from minijax import config
from minijax.compiler.native.caches import cache_folder
from minijax.experimental.compilation_cache import compilation_cache


def test_a_folder_is_set_for_kernels(tmp_path):
    kept = config.jax_compilation_cache_dir
    compilation_cache.set_cache_dir(str(tmp_path))
    try:
        compilation_cache.reset_cache()
        assert cache_folder() == Path(tmp_path).resolve() / "minijax-kernels"
    finally:
        config.update("jax_compilation_cache_dir", kept)


def test_a_folder_of_another_machine_is_refused():
    with pytest.raises(ValueError, match="folder of this machine"):
        compilation_cache.set_cache_dir("gs://bucket/kernels")
