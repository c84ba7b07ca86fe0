"""Merges of bits in kernels: right on every processor, whatever LLVM makes of them."""

import numpy as np
import pytest

import minijax as jax
import minijax.numpy as jnp
from minijax.compiler.native.wrong_merges import is_compiled_wrongly

MODULE = """define void @f(ptr %x, ptr %y, ptr %o) {{
  %a = load <4 x i32>, ptr %x
  %b = load <4 x i32>, ptr %y
  %t = icmp ne <4 x i32> %a, zeroinitializer
{merge}
  %v = select <4 x i1> %t, <4 x i32> {chosen}
  store <4 x i32> %v, ptr %o
  ret void
}}"""
BY_MASKS = """  %s = and <4 x i32> %a, splat (i32 -2147483648)
  %r = and <4 x i32> %b, splat (i32 2147483647)
  %q = or disjoint <4 x i32> %s, %r"""
BY_FABS = """  %s = and <4 x i32> %a, splat (i32 -2147483648)
  %g = bitcast <4 x i32> %b to <4 x float>
  %h = tail call <4 x float> @llvm.fabs.v4f32(<4 x float> %g)
  %r = bitcast <4 x float> %h to <4 x i32>
  %q = or disjoint <4 x i32> %s, %r"""
OVERLAPPING = BY_MASKS.replace("2147483647", "-1")


@pytest.mark.parametrize(("merge", "chosen", "is_wrong"), [
    (BY_MASKS, "%q, <4 x i32> %a", True),
    (BY_MASKS, "%b, <4 x i32> %q", True),
    (BY_FABS, "%q, <4 x i32> %b", True),
    (BY_MASKS, "%q, <4 x i32> zeroinitializer", False),
    (BY_MASKS, "%q, <4 x i32> %s", False),
    (OVERLAPPING, "%q, <4 x i32> %a", False),
])  # fmt: skip
def test_which_programs_meet_the_fault(merge, chosen, is_wrong):
    assert is_compiled_wrongly(MODULE.format(merge=merge, chosen=chosen)) == is_wrong


@pytest.mark.parametrize("kept", [0, 1])
def test_merged_or_as_it_was(kept):
    """On a processor with AVX-512, LLVM 22 gives wrong numbers for one of the two."""
    x, y = np.random.default_rng(0).integers(0, 2**32, (2, 64), dtype=np.uint32)
    mask = 0x7FFF0000

    def merge(x, y):
        parts = 3 * x, y + 1
        merged = (parts[0] & jnp.uint32(mask)) | (parts[1] & ~jnp.uint32(mask))
        return jnp.where(jnp.arange(64) % 2, merged, parts[kept])

    parts = np.uint32(3) * x, y + np.uint32(1)
    want = (parts[0] & np.uint32(mask)) | (parts[1] & ~np.uint32(mask))
    want = np.where(np.arange(64) % 2, want, parts[kept])
    np.testing.assert_array_equal(jax.jit(merge)(x, y), want)


@pytest.mark.parametrize("name", ["sinh", "cbrt", "arctan", "tanh"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_signs_put_to_sizes(name, dtype):
    """Of what a kernel has computed, in whole vectors."""
    x, fun = jnp.linspace(-2.0, 2.0, 64).astype(dtype), getattr(jnp, name)
    got, want = jax.jit(lambda x: fun(x * 0.5))(x), fun(x * 0.5)
    np.testing.assert_allclose(got.astype("float32"), want.astype("float32"), rtol=0.02, atol=0.01)
