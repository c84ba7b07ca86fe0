"""Heavy loops call their functions: the bits are those of the functions inlined."""

import re

import numpy as np
import pytest

from minijax.compiler import kernel_functions
from minijax.compiler.native import called_functions, machine_code, translate

FLAGS = frozenset({"contract"})
SIGNATURE = ("float32[::1]", "float32[::1]", "int64")
# With a product before each, and a product and a sum behind it, which may be one instruction.
ONE = "exp log log1p expm1 tanh logistic erf erfc erf_inv sin cos tan asin acos atan sinh cosh " \
      "asinh acosh atanh cbrt exp2 lgamma".split()  # fmt: skip
TWO = "pow atan2".split()
JUMPING = "random_gamma_grad"  # of two numbers


def heavy_loop(functions):
    """A kernel whose loop calls these, and sin until it is heavy; each for numbers of its own."""
    names = [*functions, *["sin"] * 5]
    lines = [f"v{k} = {name}_f32(x * float32({0.7 + k / 64}){', x' * (name in [*TWO, JUMPING])}) "
             "* float32(1.1) + x" for k, name in enumerate(names)]  # fmt: skip
    lines += [f"y{k}[i] = v{k}" for k in range(len(names))]
    body = "".join(f"        {line}\n" for line in ["x = x0[i]", *lines])
    args = ", ".join(["x0", *(f"y{k}" for k in range(len(names))), "n0"])
    return f"def kernel({args}):\n    for i in range(n0):\n{body}", len(names)


def run(source, count, x):
    ys = [np.zeros(x.size, np.float32) for _ in range(count)]
    signature = ("float32[::1]",) * (count + 1) + ("int64",)
    kernel = machine_code.native_code(source, "kernel", signature, FLAGS)
    machine_code.load("kernel", *kernel)(x, *ys, x.size)
    return ys, kernel


@pytest.mark.parametrize("masks", [True, False])
def test_the_bits_are_those_of_functions_inlined(masks, monkeypatch):
    if not masks:
        monkeypatch.setattr(machine_code, "has_masks", lambda: False)
    x = np.concatenate([np.linspace(-2, 2, 60), [1e-40, 1e30, np.inf, 0.0]]).astype("f")
    source, count = heavy_loop([*ONE, *TWO])
    called, kernel = run(source, count, x)
    assert len(list(machine_code.parts(kernel[1]))) > 1
    monkeypatch.setattr(machine_code, "HEAVY", 1e9)
    inlined, kernel = run(source, count, x)
    assert len(list(machine_code.parts(kernel[1]))) == 1
    for name, a, b in zip([*ONE, *TWO], called, inlined, strict=False):
        a, b = np.where(np.isnan(a), 0, a), np.where(np.isnan(b), 0, b)
        np.testing.assert_array_equal(a.view("i4"), b.view("i4"), name)


def test_each_is_compiled_once(monkeypatch):
    texts, original = [], machine_code._object_file
    monkeypatch.setattr(machine_code, "_object_file", lambda t: texts.append(t) or original(t))
    monkeypatch.setattr(called_functions, "_objects", {})
    for functions in (["sin"], ["sin", "cos"], ["cos"]):
        run(*heavy_loop(functions), np.ones(20, np.float32))
    for function in ("sin", "cos"):
        heads = [line for text in texts for line in text.splitlines()
                 if line.startswith("define") and f"@minijax.{function}." in line]  # fmt: skip
        assert 0 < len(heads) == len(set(heads))


def test_what_ends_the_compiler_is_tried_again(monkeypatch):
    monkeypatch.setattr(called_functions, "_objects", {})

    def interrupted(text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(machine_code, "_object_file", interrupted)
        run(*heavy_loop(["sin"]), np.ones(20, np.float32))
    [y, *_], _ = run(*heavy_loop(["sin"]), np.ones(20, np.float32))
    np.testing.assert_allclose(y, np.sin(np.float32(0.7)) * 1.1 + 1, 1e-6)


def functions_called(source, count):
    signature = ("float32[::1]",) * (count + 1) + ("int64",)
    text = translate.translate(source, "kernel", signature, FLAGS, kernel_functions.kernel_names())
    return set(re.findall(r"@minijax\.(\w+)\.", text))


def test_which_are_called():
    """In a long loop log too, whose last choice the loop repeats. What has jumps is inlined."""
    assert functions_called(*heavy_loop(["log", "exp"])) == {"exp", "sin"}
    assert functions_called(*heavy_loop(["log", "exp"] * 5)) == {"exp", "log", "sin"}
    assert functions_called(*heavy_loop(["pow", "log1p", JUMPING])) == {
        "log1p", "pow", "sin"
    }  # fmt: skip


@pytest.mark.parametrize("loop", [
    "        y0[0] = sin_f32(y0[0] + x0[i])\n" * 6,  # each turn waits for the one before
    "        y0[i] = tanh_f32(x0[i])\n" * 20,  # no function narrows its vectors
    "        y0[i] = sin_f32(x0[i])\n",  # light
    "        y0[i] = sin_f32(x0[i]) + cos_f32(x0[i])\n" * 5,  # of one angle
])  # fmt: skip
def test_other_loops_inline(loop):
    source = f"def kernel(x0, y0, n0):\n    for i in range(n0):\n{loop}"
    text = translate.translate(
        source, "kernel", SIGNATURE, FLAGS, kernel_functions.kernel_names()
    )  # fmt: skip
    assert "@minijax." not in text
