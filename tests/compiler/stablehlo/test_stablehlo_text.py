"""Programs as StableHLO, read as text: jaxlib, which runs them, is the oracle's (tests/oracle)."""

import importlib
import pkgutil
import re
import sys

import ml_dtypes
import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from linalg_table import LINALG
from minijax import lax, random
from minijax.compiler import fallbacks
from minijax.compiler.lowerings import lowerings
from minijax.compiler.simpler_programs import simpler_programs
from minijax.compiler.stablehlo import module_text
from minijax.compiler.stablehlo.operation_rules import refused, rules, rules_of_keys
from minijax.compiler.stablehlo.tensor_types import dense, number
from minijax.core.extend import AxisData, Primitive, extend_axis_env, numpy_primitive
from primitive_table import RULES

F = np.arange(3, dtype="float32")


def text_of(f, *args, **how):
    return module_text(jax.make_jaxpr(f)(*args), "jit_f", **how)


# What any text has to be.


def check_module(text):
    """AssertionError unless names are set once in a function and before they are read, braces are
    closed, functions that are called are there, and all characters are harmless."""
    assert re.fullmatch(r'[\w\s%@#!.,:;=()<>\[\]{}"\\/^*+-]*', text, re.ASCII)
    assert text.count("{") == text.count("}") and text.count("(") == text.count(")")
    functions = re.split(r"(?=  func\.func )", text)[1:]
    names = re.findall(r"func\.func \w+ @([\w.]+)\(", text)
    assert len(set(names)) == len(names) and names[0] == "main"
    assert set(re.findall(r"func\.call @([\w.]+)\(", text)) <= set(names)
    for function in functions:
        check_names(function)


def check_names(function):
    known = set()
    for line in function.splitlines():
        line = re.sub(r" loc\(.*", "", line)
        made = re.match(r"\s*(%\w+)(?::\d+)? = ", line)
        bound = re.findall(r"(%\w+)(?:: | = )", line)
        read = set(re.findall(r"%\w+", line[made.end() if made else 0 :]))
        inner = {name for name in bound if not made or name != made[1]}
        assert not inner & known, line
        assert read - inner <= known, line
        known |= inner
        if made:
            assert made[1] not in known, line
            known.add(made[1])


def test_the_check_sees_a_name_that_is_not_set():
    text = text_of(jnp.sin, F)
    check_module(text)
    for wrong in (text.replace("sine %arg0", "sine %arg1"), text.replace("}\n}", "}"),
                  text.replace("%0 =", "%arg0 =")):  # fmt: skip
        with pytest.raises(AssertionError):
            check_module(wrong)


def first_args(rule):
    dtype = rule.dtypes[-1] if rule.dtypes[-1] != "bool" else rule.dtypes[0]
    dtype = getattr(ml_dtypes, dtype, dtype)
    return [np.ones(shape, dtype) for shape in rule.shapes[0]]


@pytest.mark.parametrize("rule", [*RULES, *LINALG], ids=lambda rule: rule.name)
def test_every_line_of_the_table_has_a_text_always_the_same(rule):
    args = first_args(rule)
    text = text_of(rule.function, *args)
    check_module(text)
    jax.clear_caches()
    assert text_of(rule.function, *args) == text


# Every primitive.


def all_primitives():
    for module in pkgutil.walk_packages(jax.__path__, "minijax."):
        if "__main__" not in module.name and "as_jax" not in module.name:
            importlib.import_module(module.name)
    modules = [m for name, m in sorted(sys.modules.items()) if name.startswith("minijax.")]
    found = {x.name: x for m in modules for x in list(vars(m).values()) if type(x) is not type and
             isinstance(x, Primitive)}  # fmt: skip
    return found


@pytest.fixture(scope="module")
def primitives():
    return all_primitives()


def has_text(primitive):
    return primitive.name in {*rules, *rules_of_keys} or primitive in simpler_programs or (
        lowerings[primitive].call is not None)  # fmt: skip


def test_every_primitive_has_a_text_or_is_refused(primitives):
    assert len(primitives) > 190
    both = [name for name, p in primitives.items() if has_text(p) == (name in refused)]
    assert both == []


def test_no_rule_is_for_nothing(primitives):
    assert {*rules, *rules_of_keys, *refused} <= set(primitives)


# What the text says.


def test_the_signature_is_jaxs():
    text = jax.jit(lambda x, y: (x @ y, x.sum())).lower(jnp.ones((2, 3)), jnp.ones(3)).as_text()
    assert "func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> " in text
    first, second = (f'{{jax.result_info = "result[{i}]"}}' for i in range(2))
    assert f"-> (tensor<2xf32> {first}, tensor<f32> {second}) {{" in text
    named = jax.jit(lambda x: {"a b'\n": x}).lower(1.0).as_text()
    assert """{jax.result_info = "result[\\22a b'\\5Cn\\22]"}""" in named
    assert text.startswith("module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, ")
    check_module(text)


def test_a_composite_has_its_name_its_attributes_and_what_it_computes():
    """The text of the operation is JAX's, letter by letter."""
    norm = lax.composite(lambda x, *, n, by, to, at: (x * n, x), name="my.norm", version=2)
    fun = lambda x: norm(x, n=3, by=2.5, to=(1, [0.5, "a"]), at=np.array([1, 2], np.int32))  # noqa: E731
    text = jax.jit(fun).lower(jnp.ones(2)).as_text()
    given = ('{n = 3 : i64, by = 2.500000e+00 : f64, to = [1, [5.000000e-01, "a"]], '
             "at = dense<[1, 2]> : tensor<2xi32>}")  # fmt: skip
    assert (
        f'%0:2 = stablehlo.composite "my.norm" %arg0 {{composite_attributes = {given}, '
        "decomposition = @my.norm, version = 2 : i32} : (tensor<2xf32>) -> "
        "(tensor<2xf32>, tensor<2xf32>)\n"
    ) in text
    assert "func.func private @my.norm(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor" in text
    plain = jax.jit(lax.composite(lambda x: x, "my.own")).lower(1.0).as_text()
    assert 'stablehlo.composite "my.own" %arg0 {decomposition = @my.own} : (tens' in plain
    check_module(text)


def test_arguments_that_are_not_used_are_left_out():
    def f(x, y, z):
        return y * 2, jax.jit(lambda a, b: b)(x, y)

    args = jnp.ones(2), jnp.ones(3), jnp.ones(4)
    assert "@main(%arg0: tensor<3xf32>) ->" in jax.jit(f).lower(*args).as_text()
    kept = jax.jit(f, keep_unused=True).lower(*args).as_text()
    assert "@main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>, %arg2: tensor<4xf32>)" in kept


def test_calls_are_functions_and_the_same_one_is_written_once():
    inner = jax.jit(lambda x: jnp.sin(x) * 2)
    text = text_of(lambda x: inner(x) + inner(x), F)
    assert text.count("func.func private @_lambda") == 1 and text.count("func.call @_lambda") == 2
    check_module(text)


def test_control_flow_has_regions():
    def f(x, n):
        x = lax.fori_loop(0, n, lambda i, c: c * 2, x)
        x = lax.cond(n > 1, jnp.sin, jnp.cos, x)
        return lax.scan(lambda c, y: (c + y, c), x.sum(), x)

    text = text_of(f, F, 3)
    for operation in ("stablehlo.while(", '"stablehlo.case"(', "cond {", "} do {", "}, {"):
        assert operation in text
    check_module(text)
    check_module(text_of(jax.grad(lambda x: f(x, 3)[0]), F))
    check_module(text_of(jax.vmap(f, (None, 0)), F, jnp.arange(3)))


def test_keys_are_words():
    text = text_of(lambda k: random.normal(random.split(k)[0], (3,)), random.key(0))
    assert "@main(%arg0: tensor<2xui32>) -> (tensor<3xf32>)" in text
    assert text.count("func.func private @threefry2x32") == 2  # of one word, and of two
    check_module(text)


@pytest.mark.parametrize("partitionable", [True, False])
def test_bits_of_every_width_have_a_text(partitionable):
    with jax.threefry_partitionable(partitionable), jax.enable_x64():
        for dtype in ("uint8", "uint16", "uint32", "uint64"):
            check_module(text_of(lambda k: random.bits(k, (3,), dtype), random.key(0)))  # noqa: B023


def test_tokens_and_barriers():
    text = text_of(lambda x: lax.optimization_barrier((x, x + 1)), F)
    assert "stablehlo.optimization_barrier %arg0, %1 : tensor<3xf32>, tensor<3xf32>" in text
    assert "stablehlo.after_all" in text_of(lambda: lax.create_token())


# Constants.


@pytest.mark.parametrize("x, text", [
    (np.float32(0.1), "1.000000e-01"), (np.float32(1.5), "1.500000e+00"), (np.int8(-3), "-3"),
    (np.float32(np.inf), "0x7F800000"), (np.float64(1 / 3), "0.3333333333333333"),
    (np.float16(0.1), "9.997559e-02"), (np.float32(1 / 3), "3.3333334e-01"),
    (ml_dtypes.bfloat16(1), "1.000000e+00"), (np.float32(-0.0), "-0.000000e+00"),
    (np.complex64(1 - 2j), "(1.000000e+00, -2.000000e+00)"), (np.bool_(True), "true"),
    (np.float64(1e300), "1.000000e+300"), (np.float32(1e-45), "1.401298e-45"),
])  # fmt: skip
def test_numbers(x, text):
    assert number(x) == text


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ml_dtypes.bfloat16])
def test_numbers_are_read_again_as_they_were(dtype):
    random_bits = np.random.default_rng(0).integers(0, 256, 2000 * np.dtype(dtype).itemsize)
    for x in random_bits.astype(np.uint8).view(dtype):
        text = number(x)
        if text.startswith("0x"):
            assert int(text, 16).to_bytes(x.dtype.itemsize, "little") == x.tobytes()
        else:
            assert np.array(float(text)).astype(dtype).tobytes() == x.tobytes()
            assert re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", text)  # as MLIR has them


def test_arrays():
    assert dense(np.zeros((0, 2))) == "dense<>"
    assert dense(np.array([[1, 2], [3, 4]])) == "dense<[[1, 2], [3, 4]]>"
    assert dense(np.full((2, 2), 7)) == "dense<7>"
    assert dense(np.array([0.0, -0.0])) == "dense<[0.000000e+00, -0.000000e+00]>"
    many = np.arange(64, dtype="int16")
    assert dense(many) == f'dense<"0x{many.tobytes().hex().upper()}">'
    assert "true, false" in dense(np.arange(64) % 2 == 0)


# What comes from a caller.


def test_names_are_made_safe():
    def f(x):
        return x * 2

    f.__name__ = 'f"} loc(\n@main { é'
    inner = jax.jit(f)
    text = jax.jit(lambda x: inner(x)).lower(F).as_text()
    assert "func.func private @f___loc___main(" in text
    check_module(text)
    check_module(jax.jit(f).lower(F).as_text(debug_info=True))


def test_lines_of_the_users_code():
    def f(x):
        with jax.named_scope('part "one"'):
            return jnp.sin(x) + 1

    text = jax.jit(f).lower(F).as_text(debug_info=True)
    lines = [line for line in text.splitlines() if "stablehlo.sine" in line]
    start = f.__code__.co_firstlineno
    assert len(lines) == 1 and f'test_stablehlo_text.py":{start + 2}:0)' in lines[0]
    assert 'loc("part \\22one\\22/sin"(' in lines[0]
    assert '%arg0: tensor<3xf32> loc("x")' in text
    check_module(text)
    assert "loc(" not in jax.jit(f).lower(F).as_text()


def test_a_users_primitive_is_not_taken_for_ours():
    sin_p = numpy_primitive("sin", lambda x: x, np.cos)
    with pytest.raises(NotImplementedError, match="no text for the primitive sin: no rule says"):
        text_of(sin_p.bind, F)
    lowerings[sin_p] = lowerings[sin_p]._replace(call=lambda eqn: (
        jax.make_jaxpr(lambda x: [jnp.cos(x)])(F), eqn.invars))  # fmt: skip
    try:
        assert "stablehlo.cosine" in text_of(sin_p.bind, F)
    finally:
        del lowerings[sin_p]


def test_collectives_are_what_vmap_has_left_of_them():
    def f(x):
        return lax.psum(x, "i"), lax.pmax(x, "i")

    text = text_of(jax.vmap(f, axis_name="i"), F)
    assert "applies stablehlo.add" in text and "applies stablehlo.maximum" in text
    check_module(text)
    refused = pytest.raises(NotImplementedError, match="psum: it goes along")
    with extend_axis_env(AxisData("i", 2)), refused:
        text_of(f, F)


@pytest.mark.parametrize("f, name", [
    (lambda x: jax.pure_callback(np.sin, x, x), "pure_callback"),
    (lambda x: jax.debug.print("{}", x), "debug_print"),
])  # fmt: skip
def test_callbacks_are_refused_by_name(f, name):
    with pytest.raises(NotImplementedError, match=f"primitive {name}: it calls a function of Py"):
        jax.jit(f).lower(F).as_text()


# Other forms.


def test_our_own_form_says_of_what_types_it_is():
    lowered = jax.jit(lambda x, y: (x @ y, x)).lower(jnp.ones((2, 3)), F)
    first, second = lowered.as_text("minijax").splitlines()[:2]
    assert first == "# <lambda>(x: f32[2,3], y: f32[3]) -> (f32[2], f32[2,3])"
    assert second.startswith("{ lambda")
    assert lowered.compile().as_text().splitlines()[0] == first
    assert lowered.compiler_ir("minijax").eqns[0].primitive.name == "dot_general"


def test_without_jaxlib_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(fallbacks, "find_spec", lambda name: None)
    lowered = jax.jit(jnp.sin).lower(F)
    for ask in (lambda: lowered.as_text("hlo"), lowered.compiler_ir,
                lambda: jax.jit(jnp.sin, backend="xla"),
                lambda: jax.config.update("jit_backend", "xla")):  # fmt: skip
        with pytest.raises(ImportError, match="nstall (it \\(pip install )?jaxlib"):
            ask()


def test_a_function_may_have_a_backend_of_its_own():
    def f(x):
        return jnp.sin(x) * 2

    seen = []
    for name in ("numpy", "numba", "cpu"):
        jitted = jax.jit(f, backend=name)
        np.testing.assert_allclose(jitted(F), np.sin(F) * 2, rtol=1e-6)
        np.testing.assert_allclose(jitted(F), np.sin(F) * 2, rtol=1e-6)
        seen.append(jitted.lower(F)._backend.name)
    assert seen[0] == "numpy" and seen[1] == "numba"
    with pytest.raises(RuntimeError, match="knows no backend 'npu'. Give 'cpu', 'numba', 'numpy'"):
        jax.jit(f, backend="npu")
