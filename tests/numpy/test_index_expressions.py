"""x[...] and x.at[...] at random indices of every kind, beside NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import minijax.numpy as jnp
from index_expressions import SHAPES, built, in_numpy, indices


@st.composite
def cases(draw):
    shape = draw(st.sampled_from(SHAPES))
    return shape, draw(indices(shape))


@settings(max_examples=200, deadline=None)
@given(cases())
def test_beside_numpy(case):
    shape, index = case
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    entries = [e for e in (index if isinstance(index, tuple) else (index,)) if e is not None]
    try:
        expected, put = x[in_numpy(index)], x.copy()
    except IndexError:
        return  # indices that do not broadcast
    if any(isinstance(e, bool) for e in entries):
        return  # NumPy counts a bool among the arrays, also where it decides what stands together
    put[in_numpy(index)] = -1
    index = built(index, jnp)
    np.testing.assert_array_equal(jnp.asarray(x)[index], expected, strict=True)
    np.testing.assert_array_equal(jnp.asarray(x).at[index].set(-1), put, strict=True)
