"""The smallest trace: it counts right, nests in itself, and refuses what it can't see into."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from examples.depth_trace import depth
from minijax import lax

X = np.float32(2)


def test_it_counts_the_longest_way():
    assert depth(lambda x: lax.tanh(lax.sin(x)) * x)(X) == 3
    assert depth(lambda x: jnp.zeros(3).at[0].add(x))(X) > 0
    assert depth(lambda x: lax.sin(x) if x > 0 else x)(X) == 1


def test_inside_itself_a_box_of_the_outer_one_is_a_constant():
    assert depth(lambda x: lax.sin(x) * depth(lambda y: lax.tanh(x) * y)(X))(X) == 2


@pytest.mark.parametrize(
    "wrap", [jax.jit, jax.checkpoint, lambda f: lambda x: lax.while_loop(lambda y: y > 3, f, x)]
)
def test_what_carries_a_program_is_refused(wrap):
    with pytest.raises(NotImplementedError, match="carries a program. Add it"):
        depth(wrap(lax.sin))(X)
