"""Optimizers: where three steps lead, with JAX's numbers; structures, and schedules."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.example_libraries import optimizers as o


@pytest.mark.parametrize("name, args, wanted, leaves", [
    ("sgd", (0.1,), [0.756, -0.78, 0.5], 1),
    ("momentum", (0.1, 0.9), [0.531, 0.345, 0.5], 2),
    ("nesterov", (0.1, 0.9), [0.44582, 0.77088, 0.5], 2),
    ("adagrad", (0.1,), [0.95399, -1.95375, 0.5], 3),
    ("rmsprop", (0.1,), [0.52444, -1.29836, 0.5], 2),
    ("rmsprop_momentum", (0.1,), [0.05469, -0.58345, 0.5], 3),
    ("adam", (o.exponential_decay(0.1, 10, 0.5),), [0.72378, -1.72005, 0.5], 3),
    ("adamax", (0.1,), [0.73091, -1.70607, 0.5], 3),
    ("sm3", (0.1,), [0.95399, -1.95375, 0.5], 4),
])  # fmt: skip
def test_three_steps(name, args, wanted, leaves):
    init, update, params_of = getattr(o, name)(*args)
    state = init({"a": jnp.array([1.0, -2.0]), "b": jnp.full((2, 3), 0.5)})
    for step in range(3):
        grads = jax.tree.map(lambda x: 2 * x - 1, params_of(state))
        state = update(step, grads, state)
    found = params_of(state)
    np.testing.assert_allclose([*found["a"], found["b"][0, 0]], wanted, atol=1e-5)
    assert [len(packed) for packed in state.packed_state] == [leaves, leaves + (name == "sm3") * 2]
    again = o.pack_optimizer_state(o.unpack_optimizer_state(state))
    assert jax.tree.structure(again) == jax.tree.structure(state)


def test_a_state_passes_through_jit():
    init, update, params_of = o.adam(0.1)
    state = init([jnp.array(1.0)])
    compiled = jax.jit(update)(0, [jnp.array(2.0)], state)
    assert jnp.allclose(params_of(compiled)[0], params_of(update(0, [jnp.array(2.0)], state))[0])


@pytest.mark.parametrize("schedule, wanted", [
    (o.inverse_time_decay(1.0, 2, 0.5, True), [1, 1, 1 / 1.5, 1 / 1.5]),
    (o.polynomial_decay(1.0, 2, 0.1, 2.0), [1, 0.325, 0.1, 0.1]),
    (o.piecewise_constant([0, 2], [1.0, 2.0, 3.0]), [1, 2, 2, 3]),
])  # fmt: skip
def test_schedules(schedule, wanted):
    np.testing.assert_allclose([schedule(i) for i in range(4)], wanted, rtol=1e-6)
