"""Compiled ahead of time: what the texts show, and that costs and memory agree with them."""

import gc
import re
import weakref

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random
from minijax.compiler import doors
from minijax.stages.costs import buffers, plan_of

M = jnp.ones((300, 200))


def two_layers(x, w, v):
    return jnp.tanh(x @ w) @ v + 1


ARGS = (M, jnp.ones((200, 400)), jnp.ones((400, 50)))


# Texts.


def test_a_useless_multiplication_is_gone(on_numba):
    lowered = jax.jit(lambda x: jnp.exp(x * 1) + 0 * jnp.sin(x).astype(int)).lower(M)
    assert "mul" in str(lowered._traced.jaxpr)
    assert "mul" not in lowered.as_text("minijax")
    text = lowered.compile().as_text()
    assert "exp_f32" in text
    assert "sin_f32" not in text
    assert "1.0" not in text


def test_the_interpreters_text_is_the_jaxpr(on_numpy):
    lowered = jax.jit(two_layers).lower(*ARGS)
    assert lowered.as_text("jaxpr") == str(jax.make_jaxpr(two_layers)(*ARGS))
    assert lowered.compile().as_text() == lowered.as_text("minijax")


def test_the_text_has_steps_and_then_a_function_and_its_kernels(on_numba):
    lowered = jax.jit(two_layers).lower(*ARGS)
    steps = lowered.as_text("minijax").partition("steps:")[2].split("\n")
    assert [step.split(":")[0].split()[0] for step in steps[1:]] == ["call", "kernel"] * 2
    text = lowered.compile().as_text()
    assert re.findall(r"def (\w+)\(", text) == ["program", "kernel0", "kernel1"]
    assert lowered.compiler_ir("jaxpr").eqns[0].primitive.name == "dot_general"


def test_variables_are_called_as_in_the_jaxpr(on_numba):
    lowered = jax.jit(two_layers).lower(*ARGS)
    made = re.findall(r"^    (\w+):", lowered.as_text("minijax"), re.MULTILINE)
    program = lowered.compile().as_text().partition("\n\n")[0]
    bound = {name.rstrip("_") for name in re.findall(r"^    (\w+) = ", program, re.MULTILINE)}
    assert bound <= {*made, "a", "b", "c"}


def test_very_many_variables_have_names_that_python_takes(on_numba):
    many = [jnp.float32(k) for k in range(800)]
    compiled = jax.jit(lambda xs: [jnp.sort(x[None])[0] + 1 for x in xs[:3]] + xs).lower(many)
    assert len(compiled.compile()(many)) == 803


# Running.


def test_compiled_is_what_the_call_runs(backend):
    compiled = jax.jit(two_layers).lower(*ARGS).compile()
    np.testing.assert_array_equal(compiled(*ARGS), jax.jit(two_layers)(*ARGS))


def test_a_call_after_compiling_compiles_nothing(on_numba, monkeypatch):
    jitted = jax.jit(lambda x: jnp.exp(x) * 17)
    lowered = jitted.lower(M)
    lowered.compile()
    monkeypatch.setattr(type(lowered._backend), "compile", None)
    jitted(M)
    lowered.compile()(M)


def test_compiled_keeps_its_backend(backend):
    compiled = jax.jit(lambda x: x * 3).lower(M).compile()
    text = compiled.as_text()
    jax.config.update("jit_backend", {"numba": "numpy", "numpy": "numba"}[backend])
    assert compiled.as_text() == text
    assert jnp.all(compiled(M) == 3)


def test_compiled_outlives_the_caches(on_numba):
    compiled = jax.jit(lambda x: jnp.exp(x) * 3).lower(M).compile()
    jax.clear_caches()
    executable = compiled.runtime_executable()
    assert jnp.allclose(compiled(M), 3 * np.e)
    assert compiled.runtime_executable() is executable


def test_numbers_get_the_type_that_was_compiled_for(backend):
    compiled = jax.jit(lambda x: (x, x * 2)).lower(1.0).compile()
    for x in (2.0, jnp.float32(2), np.float32(2), np.float64(2)):
        assert [y.weak_type for y in compiled(x)] == [True, True]
    strong = jax.jit(lambda x: (x, x * 2)).lower(jnp.float32(1)).compile()
    assert [y.weak_type for y in strong(2.0)] == [False, False]


def test_options_of_xlas_mean_nothing():
    lowered = jax.jit(lambda x: x + 1).lower(1.0)
    options = {"xla_gpu_autotune_level": "0", "exec_time_optimization_effort": 0.5}
    assert lowered.compile(compiler_options=options)(1.0) == 2
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"got \['fast'\]"):
        lowered.compile({"xla_cpu_enable_fast_math": True, "fast": True})


def test_donated_arguments_are_deleted_if_a_result_could_take_their_place(backend):
    jitted = jax.jit(lambda x, y: x + y[0], donate_argnums=(0, 1))
    with pytest.warns(UserWarning, match=r"the place of float32\[5\]\. They"):
        compiled = jitted.lower(M, jnp.ones(5)).compile()
    x, y = M + 1, jnp.ones(5)
    assert jnp.all(compiled(x, y) == 3)
    assert x.is_deleted()
    assert not y.is_deleted()
    with pytest.raises(ValueError, match="for x, an Array .* donated"):
        compiled(x, y)
    assert jnp.all(compiled(M + 1, y) == 3)


def test_lowering_inside_a_transformation(backend):
    def inner(x):
        return x + jax.jit(lambda y: y * 2).lower(1.0).compile()(3.0)

    assert jax.grad(inner)(1.0) == 1
    assert jax.vmap(inner)(jnp.arange(2.0)).tolist() == [6, 7]


# Costs.


def test_costs_are_those_of_the_steps(on_numba):
    costs = jax.jit(two_layers).lower(*ARGS).compile().cost_analysis()
    assert costs["flops"] == 2 * 300 * 400 * 200 + 2 * 300 * 50 * 400 + 300 * 50
    assert costs["transcendentals"] == 300 * 400
    read = 300 * 200 + 200 * 400 + 300 * 400 + 300 * 400 + 400 * 50 + 300 * 50
    written = 300 * 400 + 300 * 400 + 300 * 50 + 300 * 50
    assert costs["bytes accessed"] == 4 * (read + written)
    assert costs["bytes accessedout{}"] == 4 * written


def test_a_fused_chain_moves_its_ends_alone(on_numba):
    lowered = jax.jit(lambda x: jnp.exp(jnp.sin(x * 2) + 1)).lower(M)
    size = 4 * M.size
    assert lowered.cost_analysis()["bytes accessed"] == 4 * 2 * size + 8  # and two numbers
    assert lowered.compile().cost_analysis()["bytes accessed"] == 2 * size
    for stage in (lowered, lowered.compile()):
        assert stage.cost_analysis()["flops"] == 2 * M.size
        assert stage.cost_analysis()["transcendentals"] == 2 * M.size


def test_a_useless_multiplication_costs_nothing(on_numba):
    assert jax.jit(lambda x: x * 1).lower(M).compile().cost_analysis()["flops"] == 0


def test_loops_and_branches_cost_what_their_programs_cost(backend):
    def flops(f, *args):
        return jax.jit(f).lower(*args).compile().cost_analysis()["flops"]

    step = lambda c, _: (c * 2.5 + 1, None)  # noqa: E731
    assert flops(lambda x: lax.scan(step, x, None, length=7)[0], M) == 7 * 2 * M.size
    assert flops(lambda p, x: lax.cond(p, lambda: x * 2 + 1, lambda: x), True, M) >= 2 * M.size
    turn = lax.while_loop(lambda x: x[0, 0] < 9, lambda x: x * 2.5, M)
    assert turn.shape == M.shape
    assert flops(lambda x: lax.while_loop(lambda x: x[0, 0] < 9, lambda x: x * 2.5, x), M) == (
        M.size + 1
    )


# Memory.


def test_memory_is_that_of_arguments_results_and_between(on_numba):
    memory = jax.jit(two_layers).lower(*ARGS).compile().memory_analysis()
    assert memory.argument_size_in_bytes == sum(x.nbytes for x in ARGS)
    assert memory.output_size_in_bytes == 300 * 50 * 4
    # Two hidden layers at a time; then one, beside the product before 1 is added.
    assert memory.temp_size_in_bytes == 2 * 300 * 400 * 4
    assert memory.alias_size_in_bytes == 0
    text = jax.jit(two_layers).lower(*ARGS).compile().runtime_executable().as_text()
    assert memory.generated_code_size_in_bytes == len(text)


def test_what_is_used_again_is_counted_once(on_numba):
    def chain(x):
        for _ in range(6):
            x = jnp.exp(x + x.T)
        return x

    compiled = jax.jit(chain).lower(M @ M.T).compile()
    plan = plan_of(compiled.runtime_executable(), compiled._traced.jaxpr)
    assert plan.taken
    allocated = sum(b.size for b in buffers(plan))
    made = sum(4 * v.aval.size for task in plan.tasks for v in task.writes)
    assert allocated + sum(4 * v.aval.size for v in plan.taken) == made
    temp = compiled.memory_analysis().temp_size_in_bytes
    assert temp <= 2 * 300 * 300 * 4


def test_unused_arguments_are_not_counted(backend):
    memory = jax.jit(lambda x, y: x + 1).lower(M, M).compile().memory_analysis()
    assert memory.argument_size_in_bytes == M.nbytes
    assert memory.peak_memory_in_bytes == 2 * M.nbytes


def test_keys_have_their_words_sizes(backend):
    key = random.key(0)
    memory = jax.jit(lambda k: random.split(k, 5)).lower(key).compile().memory_analysis()
    assert (memory.argument_size_in_bytes, memory.output_size_in_bytes) == (8, 40)


# Forgetting.


def count_compiles(monkeypatch):
    compiled = []
    direct = doors.doors["direct"]

    def compile_and_note(*of_kernel):
        compiled.append(of_kernel[0])
        return direct.compile(*of_kernel)

    monkeypatch.setitem(doors.doors, "direct", direct._replace(compile=compile_and_note))
    return compiled


def test_clear_caches_drops_programs_and_kernels(on_numba, monkeypatch):
    compiled, jitted = count_compiles(monkeypatch), jax.jit(lambda x: jnp.exp(x) * 23)
    jitted(M)
    jitted(M)
    assert len(compiled) == 1
    jax.clear_caches()
    assert not doors._kernels
    jitted(M)
    assert len(compiled) == 2


def test_clear_cache_drops_a_functions_programs(on_numba, monkeypatch):
    compiled, traced = count_compiles(monkeypatch), []
    jitted = jax.jit(lambda x: traced.append(1) or jnp.exp(x) * 29)
    jitted(M)
    executable = weakref.ref(jitted.lower(M).compile().runtime_executable())
    assert executable() is not None
    jitted.clear_cache()
    gc.collect()
    assert executable() is None
    jitted(M)
    assert traced == [1, 1]
    assert len(compiled) == 1  # the kernel's text has not changed, and others may use it
