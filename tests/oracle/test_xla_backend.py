"""jit's programs on XLA: through grad, vmap and scan, and what the backend refuses."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax import lax, random
from minijax.compiler import stablehlo
from oracle.xla_programs_table import F, K, M, P, S, layer
from oracle.xla_runs import assert_alike, be_quick

W = M.T[:, :2]


@pytest.fixture(autouse=True, scope="module")
def quick():
    be_quick()


@pytest.fixture
def on_xla():
    before = jax.config.jit_backend
    jax.config.update("jit_backend", "xla")
    yield
    jax.config.update("jit_backend", before)


@pytest.fixture
def compiled_by_xla(monkeypatch):
    """The names of the programs that XLA has compiled."""
    names, original = [], stablehlo.XlaProgram.__init__

    def init(self, closed, name, *platform):
        names.append(name)
        original(self, closed, name, *platform)

    monkeypatch.setattr(stablehlo.XlaProgram, "__init__", init)
    return names


def loss(w, x):
    return jnp.mean(layer(w, x) ** 2)


def rnn(w, xs):
    return lax.scan(lambda h, x: (jnp.tanh(w @ h + x), h.sum()), jnp.zeros(3), xs)


def sampled(key, x):
    return random.normal(key, x.shape) * x


RNN = (S / 4, np.stack([F[:3], P[:3], F[1:4]]))
CASES = {
    "elementwise": (lambda x: jnp.sin(x) * 2 + 1, F),
    "product": (lambda a, b: a @ b, M, W),
    "loss": (loss, W, M),
    "grad": (jax.grad(loss), W, M),
    "value_and_grad": (jax.value_and_grad(loss, argnums=(0, 1)), W, M),
    "grad of grad": (jax.grad(jax.grad(lambda x: jnp.sin(x) * x)), P[0]),
    "jacobian": (jax.jacrev(lambda x: jnp.tanh(x) * x.sum()), F),
    "hessian": (jax.hessian(lambda x: (jnp.sin(x) * x).sum()), F),
    "jvp": (lambda x: jax.jvp(jnp.tanh, (x,), (x,)), F),
    "vmap": (jax.vmap(lambda x: x * x.sum()), M),
    "vmap of grad": (jax.vmap(jax.grad(lambda x: jnp.prod(jnp.cos(x)))), M),
    "grad of vmap": (jax.grad(lambda x: jax.vmap(jnp.tanh)(x).sum()), M),
    "scan": (rnn, *RNN),
    "grad of scan": (jax.grad(lambda w, xs: rnn(w, xs)[0].sum()), *RNN),
    "vmap of scan": (jax.vmap(rnn, (None, 0)), RNN[0], np.stack([RNN[1], -RNN[1]])),
    "vmap of grad of scan": (jax.vmap(jax.grad(lambda w, xs: rnn(w, xs)[1].sum()), (None, 0)),
                             RNN[0], np.stack([RNN[1], -RNN[1]])),
    "scan of grad": (lambda xs: lax.scan(lambda c, x: (c + jax.grad(jnp.sin)(x), c), 0.0, xs), F),
    "fori": (lambda x: lax.fori_loop(0, 5, lambda i, c: c * 0.5 + i, x), F),
    "while": (lambda x: lax.while_loop(lambda c: c < 50, lambda c: c * 2, x), P[0]),
    "vmap of while": (jax.vmap(lambda x: lax.while_loop(lambda c: c < 9, lambda c: c * 2, x)), P),
    "cond": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), True, F),
    "vmap of cond": (jax.vmap(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x)), F),
    "grad of cond": (jax.grad(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x)), F[0]),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), F),
    "random": (sampled, K, F),
    "grad through random": (jax.grad(lambda x, k: sampled(k, x).sum()), F, K),
    "vmap of random": (jax.vmap(sampled), random.split(K, 3), M),
    "keys": (lambda k: random.split(k, 2), K),
    "indexing": (lambda x, i: x.at[i].add(1.0)[::-1], F, np.array([0, 0, 3])),
    "Cholesky": (jax.grad(lambda s: jnp.linalg.cholesky(s).sum()), S),
    "solve": (jax.vmap(jnp.linalg.solve, (None, 1)), S, M),
    "bfloat16": (lambda x: x.astype("bfloat16") * 3, F),
    "nothing": (lambda x: (x[:0], x.shape[0]), F),
    "a weak number": (lambda x: x * 2, 1.5),
    "static shapes": (lambda x: jnp.arange(x.shape[0]) + x, F),
    "trees": (lambda t: {"out": t["a"] @ t["b"][0], "n": None}, {"a": M, "b": [W]}),
}


@pytest.mark.parametrize("name", CASES)
def test_programs_on_xla_give_what_numpy_gives(name, on_xla, compiled_by_xla):
    f, *args = CASES[name]
    got = jax.tree.leaves(jax.jit(f)(*args))
    assert compiled_by_xla == [f.__name__]
    jax.config.update("jit_backend", "numpy")
    want = jax.tree.leaves(jax.jit(f)(*args))
    assert [x.weak_type for x in got] == [x.weak_type for x in want]
    assert_alike(got, want)


def test_a_second_call_compiles_nothing(on_xla, compiled_by_xla):
    jitted = jax.jit(lambda x: x * 3)
    for k in range(6):
        np.testing.assert_array_equal(jitted(F + k), (F + k) * 3)
    assert len(compiled_by_xla) == 1
    jitted(M)
    assert len(compiled_by_xla) == 2


def test_derivatives_of_a_jitted_function(on_xla, compiled_by_xla):
    jitted = jax.jit(loss)
    got = jax.grad(jitted)(W, M)
    assert len(compiled_by_xla) == 2  # forward and backward
    np.testing.assert_allclose(got, jax.grad(loss)(W, M), rtol=1e-4)


@pytest.mark.parametrize("transformed", [
    jax.grad, jax.value_and_grad, lambda f: jax.vmap(jax.grad(f), (None, 0)),
    lambda f: lambda w, x: jax.vjp(f, w, x)[1](1.0), lambda f: jax.grad(jax.checkpoint(f)),
    lambda f: lambda w, x: jax.linearize(f, w, x)[1](w, x), jax.jacrev,
])  # fmt: skip
def test_the_backward_pass_is_run_where_the_function_is(transformed, compiled_by_xla):
    jitted = jax.jit(lambda w, x: loss(w, x), backend="xla")
    got = jax.tree.leaves(transformed(jitted)(W, M))
    assert len(compiled_by_xla) >= 2  # (a checkpoint runs the forward pass twice)
    assert_alike(got, jax.tree.leaves(transformed(loss)(W, M)))


def test_one_function_on_xla_and_the_rest_elsewhere(compiled_by_xla):
    def f(x):
        return jnp.sin(x) * 2

    there, here = jax.jit(f, backend="xla"), jax.jit(f)
    for x in (F, F, F, M):
        np.testing.assert_allclose(there(x), here(x), rtol=1e-6)
    assert compiled_by_xla == ["f", "f"]
    np.testing.assert_allclose(jax.vmap(there)(M), jnp.sin(M) * 2, rtol=1e-6)
    assert compiled_by_xla == ["f"] * 3


def test_stages_on_xla():
    lowered = jax.jit(lambda x: jnp.sin(x) * 2, backend="xla").lower(F)
    compiled = lowered.compile()
    assert compiled.as_text().startswith("HloModule jit__lambda") and "sine" in compiled.as_text()
    np.testing.assert_allclose(compiled(F), np.sin(F) * 2, rtol=1e-6)
    assert lowered.as_text("hlo").startswith("HloModule jit__lambda")
    assert "sine" in str(lowered.compiler_ir()) and "stablehlo.sine" in str(lowered.compiler_ir())
    assert "sine(" in lowered.compiler_ir("hlo").as_hlo_text()


def test_lines_of_the_users_code_are_read_by_mlir():
    lowered = jax.jit(lambda x: jnp.sin(x)).lower(F)
    module = stablehlo.parsed(lowered.as_text(debug_info=True))
    text = module.operation.get_asm(enable_debug_info=True)
    assert f'"{__file__}":' in text and stablehlo.parsed(text)


def test_donated_arguments_are_deleted(on_xla):
    x = jnp.asarray(F)
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert x.is_deleted()


def test_callbacks_are_refused(on_xla):
    with pytest.raises(NotImplementedError, match="no text for the primitive pure_callback"):
        jax.jit(lambda x: jax.pure_callback(np.sin, x, x))(F)


def test_results_do_not_lie_in_memory_that_xla_uses_again(on_xla):
    jitted = jax.jit(lambda x: x * 2)
    results = [jitted(np.full(1000, k, np.float32)) for k in range(20)]
    assert [float(x[0]) for x in results] == [2.0 * k for k in range(20)]


def test_it_runs_where_jax_is_not_installed():
    root = Path(__file__).resolve().parents[2]
    program = (
        "import sys; sys.modules['jax'] = None\n"
        "import minijax, minijax.numpy as jnp\n"
        "f = minijax.jit(lambda x: jnp.linalg.det(x) + jnp.bfloat16(1), backend='xla')\n"
        "assert 'jaxlib' not in sys.modules\n"
        "print(float(f(jnp.eye(3) * 2)))"
    )
    out = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True)
    assert out.stdout.strip() == "9.0", out.stderr


def test_a_script_of_jax_has_xla_too(tmp_path):
    (tmp_path / "script.py").write_text(
        "import jax\n"
        "print(jax.jit(lambda x: x + 1, backend='xla')(1.0))\n"
        "print('add(' in jax.jit(lambda x: x + 1).lower(1.0).as_text('hlo'))\n"
    )
    run = [sys.executable, "-m", "minijax", str(tmp_path / "script.py")]
    out = subprocess.run(run, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert out.stdout.split() == ["2.0", "True"], out.stderr
