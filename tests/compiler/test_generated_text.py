"""Text that becomes code: whatever a caller calls things, it is right, and nothing of it is run."""

import sys

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax
from minijax.compiler.dispatch.eager import by_types
from minijax.compiler.generated_text import TextWriter
from minijax.compiler.lowerings import lowerings, register_lowering
from minijax.core.extend import numpy_primitive
from minijax.core.printing import readable
from minijax.lax.kernel_parts import Part

CODE = '__import__("sys").modules.__setitem__("minijax_owned", 1)'


class Printed:
    """Is code wherever it is not taken for what it is."""

    def __repr__(self):
        return CODE

    __str__ = __repr__

    def __format__(self, _):
        return CODE


class Evil(Printed, str):
    def __getitem__(self, _):
        return CODE

    def replace(self, *_):
        return CODE


class Number(Printed, int):
    """So is, by chance, a number of an IntEnum."""


NAMES = [
    "a b", "a-b", "2d", "", "kernel", "lambda", "None", "été", "x²", "{0}", "{t}", "a#b", "\\", '"',
    "'''", "a\n    " + CODE, "a\r" + CODE, "a\x0c" + CODE, "a\u2028" + CODE, "a\x85" + CODE,
    f"x); {CODE} #", f'"); {CODE} #', f"]; {CODE} #", f"x={CODE}, y", CODE, Evil("y"), Evil("a b"),
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture(autouse=True)
def nothing_ran():
    yield
    assert sys.modules.pop("minijax_owned", None) is None


@pytest.fixture(params=range(len(NAMES)), ids=lambda i: ascii(str.__str__(NAMES[i]))[1:21])
def name(request):
    return NAMES[request.param]


def is_right(f, *args, wanted, **kwargs):
    """Each way of a call: the first, those that are remembered, under jit."""
    jitted = jax.jit(f)
    for call in (f, f, f, jitted, jitted, jitted, jitted):
        np.testing.assert_array_equal(jax.tree.leaves(call(*args, **kwargs)), wanted)


X = np.arange(3, dtype="float32") + 1


def test_a_primitive_may_have_any_name(name):
    by_numpy = numpy_primitive(name, lambda x: x, np.negative)
    mapped = numpy_primitive(name, lambda x: x, np.negative)
    register_lowering(mapped, template="-{0}")
    reduced = numpy_primitive(name, lambda x, *, axes: x.update(shape=()), lambda x, axes: x.max())
    lowerings[reduced] = lowerings[lax.reduce_max_p]
    whole = numpy_primitive(name, lambda x: x, np.copy)
    register_lowering(whole, source=lambda eqn: Part(eqn).finished())  # which leaves what is there

    def f(x):
        y = by_numpy.bind(mapped.bind(x)) + reduced.bind(x, axes=(0,))
        return lax.fori_loop(0, 2, lambda _, c: -mapped.bind(c) + reduced.bind(c, axes=(0,)), y)

    is_right(f, X, wanted=[X + 3 + (6 + 12)])
    assert "What jit makes of f" in repr(jax.explain(f)(X))
    lax.fori_loop(0, 2, lambda _, c: lax.cond(c[0] > 0, whole.bind, mapped.bind, c), X)
    for primitive in (mapped, reduced, whole):
        del lowerings[primitive]


def test_a_parameter_may_have_any_name(name):
    primitive = numpy_primitive("add_all", lambda x, **params: x,
                                lambda x, **params: x + sum(params.values()))  # fmt: skip
    is_right(lambda x: primitive.bind(x, **{name: 2}), X, wanted=[X + 2])


def test_a_keyword_may_have_any_name(name):
    def f(x, **named):
        assert list(named) == [str.__str__(name)]
        return x + next(iter(named.values()))

    is_right(f, X, **{name: 2}, wanted=[X + 2])
    is_right(by_types(f), X, **{name: X}, wanted=[X + X])
    is_right(by_types(f, static=[name]), X, **{name: 2}, wanted=[X + 2])
    static = jax.jit(f, static_argnames=str.__str__(name))
    for _ in range(4):
        np.testing.assert_array_equal(static(X, **{name: 3}), X + 3)


def test_a_tree_may_have_any_keys_and_classes(name):
    class Node:
        def __init__(self, x):
            self.x = x

    Node.__name__ = Node.__qualname__ = str.__str__(name).replace("\0", "")
    jax.tree_util.register_pytree_node(Node, lambda n: ((n.x,), name), lambda _, xs: Node(*xs))
    tree = {name: X, "other": Node(X), name + "2": (X, [Node({name: X})])}
    is_right(lambda tree: jax.tree.map(lambda x: x + 1, tree), tree, wanted=[X + 1] * 4)
    is_right(lambda tree: {name: tree[name]}, tree, wanted=[X])


def test_a_function_an_axis_and_a_value_may_have_any_name(name):
    def f(x):
        return jax.ad_checkpoint.checkpoint_name(x, name) + 1

    f.__name__ = f.__qualname__ = str.__str__(name)
    is_right(f, X, wanted=[X + 1])
    with jax.named_scope(name):
        is_right(f, X, wanted=[X + 1])
    by_value = jax.jit(lambda x, s: x + len(s), static_argnums=1)
    for _ in range(4):
        np.testing.assert_array_equal(by_value(X, name), X + str.__len__(name))
    summed = jax.vmap(lambda x: x - lax.psum(x, name), axis_name=name)
    is_right(summed, X, wanted=[X - 6])


ONE, THREE = Number(1), Number(3)
SIZES = {
    "shape": lambda x: jnp.zeros((THREE,)) + x,
    "repeat": lambda x: jnp.broadcast_to(x, (Number(2), THREE))[0],
    "reshape": lambda x: x.reshape(THREE, ONE)[:, 0],
    "iota": lambda x: lax.broadcasted_iota(np.int32, (THREE, ONE), Number(0))[:, 0] * 0 + x,
    "power": lambda x: x**ONE,
    "number": lambda x: x + THREE - THREE,
    "bits": lambda x: lax.reduce_precision(x, Number(5), Number(9)),
    "scan": lambda x: lax.scan(lambda c, _: (c, c), x, None, length=THREE)[1][ONE],
    "loop": lambda x: lax.fori_loop(Number(0), THREE, lambda i, c: c, x),
    "pad": lambda x: lax.pad(x, 0.0, [(ONE, Number(-1), Number(0))])[ONE:].sum() - 3 + x,
    "product": lambda x: lax.dot_general(jnp.eye(3), x, (([ONE], [Number(0)]), ([], []))),
    "sorted": lambda x: lax.sort(x, dimension=Number(0)),
    "top": lambda x: lax.top_k(x, THREE)[0][::-1],
    "tile": lambda x: jnp.tile(x[:1], THREE) * 0 + x,
    "slice": lambda x: lax.slice(x, (Number(0),), (THREE,), (ONE,)),
    "window": lambda x: lax.dynamic_slice(x, (Number(0),), (THREE,)),
    "take": lambda x: jnp.take(x, jnp.array([Number(0), ONE, 2]), axis=Number(0)),
    "switch": lambda x: lax.switch(ONE, [lambda x: x + 1, lambda x: x], x),
}


@pytest.mark.parametrize("case", SIZES)
def test_a_number_may_print_as_anything(case):
    f = SIZES[case]
    is_right(f, X, wanted=[X])
    is_right(lambda x: lax.fori_loop(0, 2, lambda _, c: f(c), x), X, wanted=[X])


BOUND = {  # as primitives get them
    "product": lambda x: lax.dot_general_p.bind(
        jnp.eye(3), x, dimension_numbers=(((ONE,), (Number(0),)), ((), ())),
        preferred_element_type=None, precision=None, out_sharding=None),
    "power": lambda x: lax.integer_pow_p.bind(x, y=ONE),
    "top": lambda x: lax.top_k_p.bind(x, k=THREE, axis=Number(0))[0][::-1],
    "tile": lambda x: lax.tile_p.bind(x[:1], reps=(THREE,)) * 0 + x,
    "window": lambda x: lax.dynamic_slice_p.bind(x, 0, slice_sizes=(THREE,)),
    "slice": lambda x: lax.slice_p.bind(
        x, start_indices=(Number(0),), limit_indices=(THREE,), strides=(ONE,)),
    "loop": lambda x: lax.scan_p.bind(
        x, jaxpr=jax.make_jaxpr(lambda x: 1 * x)(X), length=THREE, num_consts=0,
        num_carry=1, reverse=False, unroll=1)[0],
}  # fmt: skip


@pytest.mark.parametrize("case", BOUND)
def test_a_primitives_number_may_print_as_anything(case, backend):
    for f in (BOUND[case], lambda x: lax.fori_loop(0, 2, lambda _, c: BOUND[case](c), x)):
        np.testing.assert_array_equal(jax.jit(f)(X), X)


def test_readable_names_are_identifiers_and_none_of_ours():
    for name in NAMES:
        assert (readable(name) + "1").isidentifier() and readable(name).isascii()
        assert type(readable(name)) is str
    assert not {readable(name) for name in NAMES} & {"kernel", "", *vars(TextWriter)}
    assert [readable(name) for name in ("sin", "scatter-add")] == ["sin", "scatter_add"]
