"""What libraries were found to ask of JAX's public interface, with JAX's answers."""

import pytest

import minijax as jax
import minijax.numpy as jnp

STRUCT = jax.ShapeDtypeStruct((3,), jnp.float32)


def test_a_program_of_types_alone_may_return_a_shape():
    assert jax.eval_shape(lambda x: (STRUCT, x), 1)[0] == STRUCT
    assert str(jax.make_jaxpr(lambda: STRUCT)()) == "{ lambda a:f32[3]; . let  in (a,) }"
    with pytest.raises(TypeError, match="has no value"):
        jax.jit(lambda: STRUCT)()


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.checkpoint])
def test_a_backward_rule_decides_by_pythons_own_numbers(wrap):
    @jax.custom_vjp
    def f(x):
        return 2 * x

    seen = []
    f.defvjp(lambda x: (2 * x, (True, 2, x)), lambda res, ct: seen.append(res) or (ct * res[1],))
    assert jax.grad(wrap(f))(1.0) == 2
    assert seen[0][0] is True and type(seen[0][1]) is int


def test_a_function_on_a_device():
    device = jax.devices()[0]
    assert jax.jit(lambda x: x + 1, device=device)(jnp.ones(2)).devices() == {device}
