"""The forward Laplacian is the trace of the Hessian: by each rule, under and around everything."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from examples.forward_laplacian import forward_laplacian as module
from examples.forward_laplacian.forward_laplacian import (
    laplacian,
    laplacian_rules,
    value_and_laplacian,
)
from minijax import lax
from minijax.errors import UnexpectedTracerError
from minijax.extend.core import primitives
from minijax.lax.outside.debugging import debug_callback_p, debug_print_p

HERE = Path(__file__).parent
PACKAGE = HERE / "forward_laplacian"
CHAPTER = HERE.parents[1] / "notebooks" / "29-own-transformation.ipynb"
WEIGHTS = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
X = np.array([0.4, -0.7, 1.1], np.float32)


def by_hessian(fun):
    return lambda x: jnp.trace(jax.hessian(fun)(x))


@pytest.fixture
def in_64_bits():
    with jax.enable_x64():
        yield np.asarray(X, np.float64)


@jax.custom_jvp
def cube(x):
    return x**3


cube.defjvp(lambda primals, tangents: (cube(*primals), 3 * primals[0] ** 2 * tangents[0]))


def step(carry, x):
    return jnp.tanh(WEIGHTS @ carry) * x, carry[0] * x


def looped(x):
    """The first carry starts as a constant, and so does what it makes of the second."""
    (carry, last), ys = lax.scan(
        lambda c, y: ((c[1], jnp.sin(c[0]) + y), c[0] * y), (jnp.ones(3), jnp.zeros(3)),
        jnp.stack([x, x * x, jnp.ones(3)]),
    )  # fmt: skip
    return jnp.sum(carry * last) + jnp.sum(ys**2)


PROGRAMS = {
    "network": lambda x: jnp.sum(jnp.tanh(WEIGHTS @ jnp.sin(WEIGHTS @ x)) ** 2),
    "softmax": lambda x: jax.nn.softmax(x * x)[0] / (2 + x[1]),
    "jumps": lambda x: jnp.sort(x)[1] ** 2 * jnp.sum(jnp.where(x > jnp.floor(x), x**3, x)),
    "determinant": lambda x: jnp.linalg.slogdet(jnp.outer(x, x) + jnp.eye(3))[1],
    "both operands": lambda x: jnp.sum(jnp.outer(x, x) @ (WEIGHTS * x) / (3 + x)),
    "own rule": lambda x: jnp.sum(cube(x) * x),
    "cond": lambda x: lax.cond(x[0] > 3, lambda x: (1.0, x[0]), lambda x: (x @ x, x[1]), x)[0],
    "scan": lambda x: jnp.sum(lax.scan(step, x, jnp.arange(3.0))[1]),
    "carries": looped,
    "backwards": lambda x: lax.scan(lambda c, y: (c * y, None), 1.0, x, reverse=True)[0],
    "constant": lambda x: jnp.sum(jnp.ones(3)),
}
each_program = pytest.mark.parametrize("name", PROGRAMS)


@each_program
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["as it is", "jit"])
def test_it_is_the_trace_of_the_hessian(name, wrap, in_64_bits):
    fun = PROGRAMS[name]
    value, found = value_and_laplacian(wrap(fun))(in_64_bits)
    np.testing.assert_allclose(value, fun(in_64_bits), rtol=1e-12)
    np.testing.assert_allclose(found, by_hessian(fun)(in_64_bits), rtol=1e-9, atol=1e-12)


POSITIVE = {"log", "sqrt", "rsqrt", "cbrt", "log1p", "acosh"}
ELEMENTWISE = [name for name, rule in laplacian_rules.items() if rule is module.elementwise]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_rule_agrees_with_the_fallback(name, in_64_bits, monkeypatch):
    params = {"integer_pow": (3,)}.get(name, ())
    x = np.array([1.2, 2.5]) if name in POSITIVE else np.array([-0.6, 0.3])

    def fun(x):
        return jnp.prod(getattr(lax, name)(x, *params))

    found = laplacian(fun)(x)
    monkeypatch.delitem(laplacian_rules, name)
    np.testing.assert_allclose(found, laplacian(fun)(x), rtol=1e-9)


def test_each_rule_is_for_a_primitive_that_exists():
    """A rule under another name would never be asked for, and the fallback would hide that."""
    known = {getattr(primitives, name).name for name in dir(primitives) if name.endswith("_p")}
    known |= {debug_callback_p.name, debug_print_p.name}
    assert set(laplacian_rules) <= known


# Nestings: each step is once outside and once inside, and once each follows another.

STEPS = {
    "jit": jax.jit,
    "vmap": lambda f: lambda x: jnp.sum(jax.vmap(f)(jnp.stack([x, 2 * x]))),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (x,))[1],
    "grad": lambda f: lambda x: jnp.sum(jax.grad(f)(x) ** 2),
    "linearize": lambda f: lambda x: jax.linearize(f, x)[1](x),
    "checkpoint": jax.checkpoint,
}


@pytest.mark.parametrize("outer, inner", list(zip(STEPS, [*list(STEPS)[1:], "jit"], strict=True)))
def test_around_one_step_and_inside_another(outer, inner, in_64_bits):
    def fun(x):
        return lax.scan(lambda c, y: (jnp.sin(c) * y, None), x[0] * x[1], x[:2])[0]

    x = in_64_bits[:2]
    found, wanted = (STEPS[outer](lap(STEPS[inner](fun)))(x) for lap in (laplacian, by_hessian))
    np.testing.assert_allclose(found, wanted, rtol=1e-8)


def test_in_itself_with_a_variable_of_the_outer_one():
    def outer(x):
        return x * laplacian(lambda y: jax.jit(lambda z: x * z**3)(y))(1.0)

    assert float(laplacian(outer)(2.0)) == 12.0
    twice = laplacian(laplacian(lambda x: jnp.sum(x**2) ** 2))(jnp.array([1.0, 2.0]))
    assert float(twice) == 64.0


def test_a_while_loop_needs_no_way_back(in_64_bits):
    def fun(x):
        return jnp.sum(lax.while_loop(lambda y: jnp.sum(y) < 9, lambda y: y * y + 1, x))

    def twice(x):
        return jnp.sum((x**2 + 1) ** 2 + 1)

    np.testing.assert_allclose(laplacian(fun)(in_64_bits), by_hessian(twice)(in_64_bits))


def test_a_loop_carries_one_laplacian():
    eqns = jax.make_jaxpr(laplacian(PROGRAMS["scan"]))(X).eqns
    [scan] = [eqn for eqn in eqns if eqn.primitive.name == "scan"]
    assert [v.aval.shape for v in scan.outvars[:3]] == [(3,), (3, 3), (3,)]


# What is given, and what is refused.


def test_the_first_argument_is_a_pytree_and_results_are():
    def fun(p, y):
        return {"square": p["a"] ** 2 * y, "mixed": p["a"] * jnp.sum(p["b"] ** 3), "plain": y > 0}

    value, found = value_and_laplacian(fun)({"a": 3.0, "b": jnp.array([1.0, 2.0])}, 5.0)
    assert {k: float(v) for k, v in value.items()} == {"square": 45, "mixed": 27, "plain": 1}
    assert (float(found["square"]), float(found["mixed"])) == (10, 3 * (6 + 12))
    assert found["plain"].dtype == jax.dtypes.float0


def test_the_value_may_be_asked():
    assert float(laplacian(lambda x: x**2 if x > 1 else x)(3.0)) == 2.0


def test_effects_happen_once(capsys):
    laplacian(jax.jit(lambda x: jax.debug.print("x is {}", x) or x))(1.0)
    jax.effects_barrier()
    assert capsys.readouterr().out == "x is 1.0\n"


def test_what_is_refused():
    with pytest.raises(TypeError, match="takes arrays of floats .* ~int32"):
        laplacian(jnp.sin)(3)
    with pytest.raises(TypeError):
        laplacian(3)
    only_back = jax.custom_vjp(lambda x: x)
    only_back.defvjp(lambda x: (x, None), lambda _, ct: (ct,))
    with pytest.raises(TypeError, match="backward rule only"):
        laplacian(only_back)(1.0)
    kept = []
    laplacian(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(UnexpectedTracerError):
        kept[0] + 1.0


def test_an_error_names_the_users_line():
    def wrong(x):
        return jnp.sin(x) @ jnp.ones(4)

    with pytest.raises(TypeError) as caught:
        laplacian(wrong)(X)
    assert f"{Path(__file__).name}" in str(caught.value) and "in wrong" in str(caught.value)
    assert "forward_laplacian.py" not in str(caught.value).replace(Path(__file__).name, "")


# As a package of its own.


def test_it_imports_extend_alone():
    tree = ast.parse((PACKAGE / "forward_laplacian.py").read_text(encoding="utf-8"))
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    assert {name for name in names if "minijax" in name} == {"minijax.core.extend"}


def test_it_runs_from_a_folder_of_its_own(tmp_path):
    """Nothing of this repository is there but the package, and nothing else of it is imported."""
    (tmp_path / "forward_laplacian.py").write_bytes(
        (PACKAGE / "forward_laplacian.py").read_bytes()
    )
    code = "from forward_laplacian import laplacian as l; print(l(lambda x: x * x * x)(2.0))"
    path = os.pathsep.join([str(tmp_path), *(p for p in sys.path if p.endswith("-packages"))])
    root = str(Path(jax.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([path, root])}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert (run.stdout, run.stderr) == ("12.0\n", "")


def test_the_chapter_shows_its_pyproject():
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    text = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8").strip()
    assert any(text in "".join(cell["source"]) for cell in cells)
