"""What libraries were found to ask of JAX's public interface, with JAX's answers."""

import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.interpreters.partial_eval import PartialVal, trace_to_jaxpr_nounits

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


class Named:
    """A function whose name is no text, as tinygp's mean functions have one."""

    __name__ = 3

    def __call__(self, x):
        return 2.0 * x


def test_an_object_whose_name_is_no_text():
    fun = Named()
    assert jax.vmap(fun)(jnp.ones(2)).tolist() == [2, 2]
    assert jax.grad(fun)(1.0) == jax.checkpoint(fun)(1.0) == 2


def test_a_sharding_of_no_mesh_says_nothing():
    sharding = jax.typeof(jnp.ones((3, 2))).sharding
    aval = jax.core.ShapedArray((3, 2), "float32", sharding=sharding)
    assert aval is jax.core.ShapedArray((3, 2), "float32")
    kept = jax.random.bernoulli(jax.random.key(0), 0.5, (3, 2), out_sharding=sharding)
    assert kept.shape == jnp.zeros((3, 2), device=sharding).shape


def test_a_sharding_of_an_explicit_mesh_is_the_types():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,))
    sharding = jax.NamedSharding(mesh.abstract_mesh, jax.P("x", None))
    aval = jax.core.ShapedArray((4, 2), "float32", sharding=sharding)
    assert str(aval) == "float32[4@x,2]" and aval.sharding == sharding


def test_einsum_multiplies_by_the_function_given():
    seen = []

    def dot(*args, **kwargs):
        seen.append(args[2])
        return jax.lax.dot_general(*args, **kwargs)

    assert jnp.einsum("ij,j->i", jnp.eye(2), jnp.ones(2), _dot_general=dot).tolist() == [1, 1]
    assert len(seen) == 1


def test_what_is_known_is_computed_inside_of_compiled_functions_too():
    pvals = [PartialVal.unknown(jax.typeof(jnp.ones(2))), PartialVal.known(jnp.ones(2))]

    def fun(x, y):
        return [x * jnp.sin(y), *jax.jit(lambda a, b: (a + 1, 3 * b))(x, y), 4.0]

    jaxpr, out, consts = trace_to_jaxpr_nounits(fun, pvals)
    assert [x.is_known() for x in out] == [False, False, True, True]
    assert out[2].get_known().tolist() == [3, 3] and out[0].get_aval().shape == (2,)
    assert len(jaxpr.invars) == len(consts) == 1 and len(jaxpr.outvars) == 2
    assert all(x[1] is None for x in trace_to_jaxpr_nounits(fun, pvals, instantiate=True)[1])


@jax.custom_jvp
def cubed(x):
    return x**3


cubed.defjvp(lambda primals, tangents: (cubed(*primals), 30 * tangents[0]))


def test_an_interpreter_binds_what_get_bind_params_gives():
    (eqn,) = jax.make_jaxpr(cubed)(2.0).eqns
    params = eqn.primitive.get_bind_params(eqn.params)
    fun, jvp = params["subfuns"]
    assert set(params) == {"subfuns", "symbolic_zeros"}
    assert [float(x) for x in fun.call_wrapped(2.0)] == [8]
    assert [float(x) for x in jvp.call_wrapped(2.0, 1.0)] == [8, 30]

    def f(x):
        return eqn.primitive.bind(x, **params)[0]

    for wrap in (lambda f: f, jax.jit):
        assert wrap(f)(2.0) == 8 and jax.grad(wrap(f))(2.0) == 30
    assert jax.vmap(f)(jnp.arange(3.0)).tolist() == [0, 1, 8]
    other = jax.make_jaxpr(jnp.sin)(2.0).eqns[0]
    assert other.primitive.get_bind_params(other.params) == other.params
