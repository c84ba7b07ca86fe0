"""Whether results of jax.numpy's further functions are weak: of weak arguments, and of these mixed
with strong ones."""

SETUP = """\
W, N, S = lax.broadcast(0.5, (3,)), lax.broadcast(2, (3,)), jnp.ones(3)
ARGUMENTS = (
    (W,), (0.5,), (N,), (2,), (W, -1), (W, W), (N, 2), (N, N), (N, W), (W, S), (S, N),
    (lax.broadcast(1, (3, 3)), N), (W, N, W), (N, N, N),
)

def weak_types(f):
    # None where it refuses them.
    found = []
    for args in ARGUMENTS:
        try:
            leaves = jax.tree.leaves(f(*args))
            found.append([x.weak_type for x in leaves if hasattr(x, "weak_type")])
        except Exception:
            found.append(None)
    return found
"""

NAMES = """
    around array_equiv array_split atleast_3d bitwise_invert bitwise_left_shift bitwise_right_shift
    block column_stack concat convolve corrcoef correlate cov cross dsplit dstack fliplr flipud
    float_power frexp gcd geomspace gradient heaviside histogram2d histogramdd hsplit hypot i0
    interp iscomplex isneginf isposinf isreal kaiser kron lcm ldexp logspace matvec meshgrid modf
    nan_to_num packbits pad permute_dims poly polyadd polyder polydiv polyint polymul polysub
    polyval resize rollaxis rot90 sinc spacing trim_zeros unpackbits unstack unwrap vander vecdot
    vecmat vsplit
""".split()

CASES = (
    *(f"{NAMES[i : i + 10]}, [weak_types(getattr(jnp, name)) for name in {NAMES[i : i + 10]}]"
      for i in range(0, len(NAMES), 10)),
    "weak_types(lambda x, y: jnp.einsum('i,i', x, y)), weak_types(lambda x: jnp.einsum('i', x))",
    "[weak_types(getattr(jnp.add, m)) for m in ('reduce', 'accumulate')]",
    "[weak_types(getattr(jnp.maximum, m)) for m in ('reduce', 'accumulate', 'outer')]",
    "weak_types(jnp.add.outer), weak_types(jnp.logaddexp.reduce), weak_types(jnp.subtract.reduce)",
    "weak_types(jnp.vectorize(lambda x: x * 2)), weak_types(jnp.frompyfunc(lax.add, 2, 1))",
    "weak_types(lambda *xs: jnp.r_[xs]), weak_types(lambda *xs: jnp.c_[xs])",
    "weak_types(lambda x, *_: jnp.apply_over_axes(jnp.sum, x, 0))",
    "[weak_types(lambda x: jnp.pad(x, 1, mode)) for mode in ('edge', 'mean', 'linear_ramp', "
    "'wrap', 'reflect', 'median', 'maximum', 'empty')]",
    "weak_types(lambda x, y: jnp.piecewise(x, [x > y], [x, 1]))",
    "weak_types(lambda x: jax.ops.segment_sum(x, jnp.array([0, 1, 1])))",
)  # fmt: skip
