"""Conversions in a row: no bit changes, whatever the dtypes."""

import pytest

import minijax as jax
import minijax.numpy as jnp
from simplified_programs import FLOATS, primitives, simplified, values

pytestmark = pytest.mark.usefixtures("module_on_numpy")


@pytest.mark.parametrize("start", ["bool", "int8", "uint8", "int32", "float16", "float32"])
def test_dtypes_there_and_back(start):
    dtypes = ("bool", "int8", "uint8", "int32", "uint32", "int64", *FLOATS)
    with jax.enable_x64(True):
        x = jnp.asarray(values("float32" if start == "bool" else start)).astype(start)
        for middle in dtypes:
            for end in dtypes:
                simplified(lambda x, m=middle, e=end: x.astype(m).astype(e), x)  # noqa: B023
    wide = simplified(lambda x: x.astype("float32").astype(start), x.astype(start))
    assert primitives(wide) == ([] if start != "int32" else ["convert_element_type"] * 2)
