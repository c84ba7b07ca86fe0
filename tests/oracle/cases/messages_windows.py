"""A mistake for each `raise` of windows and convolutions."""

SETUP = """\
F = jnp.array([3.0, 1.0, 2.0, 5.0])
I = jnp.arange(4)
C = F * 1j
x, w = jnp.ones((2, 3, 7, 8)), jnp.ones((4, 3, 2, 3))
strides, none = (1, 1), ((0, 0), (0, 0))
R = lax.reduce_window
conv = lax.conv_general_dilated

def product(a, b):
    return a * b

def uses_another(y):
    return lax.reduce_window(F, 1.0, lambda a, b: a * b * y, (2,))

def gathered(tangents, operand, prim=lax.ge_p, pads=((0, 0),)):
    return lax.select_and_gather_add_p.bind(tangents, operand, select_prim=prim,
        window_dimensions=(2,), window_strides=(1,), padding=pads, base_dilation=(1,),
        window_dilation=(1,))

def scattered(source, operand):
    return lax.select_and_scatter_add_p.bind(source, operand, select_prim=lax.ge_p,
        window_dimensions=(2,), window_strides=(1,), padding=((0, 0),))
"""

# What a case is called by in its message, where that isn't the function that it calls first.
_REDUCE, _CONV = "lax.reduce_window", "lax.conv_general_dilated"

REDUCED = {
    "R(F, 0.0, lax.add, (2, 2))": "of an operand of shape (4,) got window_dimensions (2, 2).\nGive",
    "R(F, 0.0, lax.add, (0,))": "got window_dimensions (0,). Give numbers from 1.",
    "R(F, 0.0, lax.add, (2,), (0,))": "got window_strides (0,). Give numbers from 1.",
    "R(F, 0.0, lax.add, (2,), padding=((1, 1), (1, 1)))": "got padding ((1, 1), (1, 1)).\nGive a",
    "R(F, 0.0, lax.add, (2,), padding='FOO')": "knows no padding 'FOO'.\nGive \"SAME\", \"SAME_LOW",
    "R(F, 0.0, lax.add, (2,), padding=3)": "got the padding 3.\nGive \"SAME\", \"SAME_LOWER\", \"",
    "R(F, 0.0, lax.add, (2,), padding=((1,),))": "got the padding ((1,),).\nGive",
    "R((F, F), 0.0, lax.add, (2,))": "got an operand of the structure PyTreeDef((*, *)), and an",
    "R((), (), lax.add, (2,))": "got no operands. Give at least one array.",
    "R(F, F, lax.add, (2,))": "starts from single numbers, and got init_value float32[4].",
    "R(F, 0, product, (2,))": "got init_value of other dtypes,\n~int32[]. Convert them with x.ast",
    "R((F, F[1:]), (0.0, 0.0), lambda a, b: a, (2,))": "shapes (4,), (3,).\nGive operands of one",
    "R(F, 0.0, lambda a, b: a > b, (2,))": "gives scalars like its init_value,\n~float32[], and it",
    "R(F, 0.0, lambda a, b: (a, b), (2,))": "needs a computation that returns what is like the op",
    "jax.jit(uses_another)(1.0)": "takes a computation that uses no traced values but its",
    "R(F, 0.0, lambda a, b: a + F[0] * b, (2,))": "that uses other arrays.\nGive such values as op",
    "jax.grad(lambda i: R(F, i, product, (2,)).sum())(1.0)": "has no derivative in its init_value",
    "jax.vmap(lambda i: R(F, i, product, (2,)))(F)": "by a function of your own has no init_value",
    "jax.grad(lambda x: R(x, -jnp.inf, lax.max, (2,), (1,), 'VALID', (1,), (2,)).sum())(F)":
        "by lax.max or lax.min has no gradient with the",
    "gathered(F[1:], F)": "of float32[4] got tangents float32[3]. Give what is like t",
    "gathered(F, F, lax.lt_p)": "got select_prim=lt. Give lax.ge_p or lax.le_p.",
    "scattered(I[:3], F)": "of float32[4] got a source int32[3]. Give one of the same",
    "scattered(F, F)": "of float32[4] got a source float32[4]. Give one number for",
    "lax.padtype_to_pads((4,), (2,), (1,), 3)": "takes the name of a padding, and got 3.\nGive",
    "lax.padtype_to_pads((4,), (2,), (0,), 'SAME')": "got window_strides (0,). Give strides from 1",
}  # fmt: skip

CONVOLVED = {
    "conv(x, w, strides, 'SAME', feature_group_count=0)": "got feature_group_count=0. Give a numbe",
    "conv(x, w, strides, 'SAME', batch_group_count=3)": "cannot share the 4 output features of rhs",
    "conv(x, jnp.ones((6, 1, 2, 3)), strides, 'SAME', None, None, None, 3, 2)":
        "has feature groups or batch groups, and got",
    "conv(x[:1], w, strides, 'SAME', batch_group_count=2)": "cannot share a batch of 1 out among",
    "conv(x[:, :2], w, strides, 'SAME')": "got lhs with 2 features in feature_group_count=1, and",
    "conv(x, w, strides, 'SAME', preferred_element_type='float16')":
        "of float32 has no room in the preferred_element_type float16.\nConvert the result",
    "conv(x.astype(int), w, strides, 'SAME')": "needs one dtype, and got int32 and float32. Use",
    "conv(x, w, strides, none, dimension_numbers=lax.ConvDimensionNumbers((0, 1), (0, 1), (0, 1)))":
        "of float32[2,3,7,8] and float32[4,3,2,3] got the",
    "conv(x, w, (1,), none)": "got window_strides (1,). Give one number for each of 2 spa",
    "conv(x, w, (0, 1), none)": "got window_strides (0, 1). Give numbers from 1.",
    "conv(x, w, strides, none, (0, 1))": "got lhs_dilation (0, 1). Give numbers from 1.",
    "conv(x, w, strides, ((0, 0),))": "got the padding ((0, 0),). Give (low, high) for each of 2",
    "conv(x, w, strides, ((0, -9), (0, 0)))": "got the padding ((0, -9), (0, 0)), which cuts more",
    "conv(x, w, strides, 'SAME', (1, 2))": "with lhs_dilation=(1, 2) got padding='SAME'.\nGive",
    "conv(x, w[:, :, :0], strides, none)": "got a kernel rhs of shape (4, 3, 0, 3). Give one with",
    "conv(x, w[0], strides, 'SAME')": "got lhs of shape (2, 3, 7, 8) and rhs of shape (3, 2, 3).\n",
    "conv(x, w, strides, 'SAME', dimension_numbers='NCHW')": "got the dimension_numbers 'NCHW'.\n",
    "conv(x, w, strides, 'SAME', dimension_numbers=('NCHWD', 'OIHWD', 'NCHWD'))":
        "of arrays of 4 axes got the dimension_numbers",
    "lax.conv_shape_tuple((2, 3, 7, 8), (4, 3, 2, 3), (1,), none)": "got strides (1,). Give one nu",
    "conv(x, w, strides, 'SAME', dimension_numbers=('NCHH', 'OIHH', 'NCHH'))":
        "Name the letters N and C once in lhs and in the result, O and I in rhs, and the same",
    "lax.conv_transpose_shape_tuple((2, 7, 3), (2, 3, 4), (2,), 'FOO', ('NHC', 'HIO', 'NHC'))":
        "knows no padding 'FOO'.\nGive \"SAME\", \"VALID\", or (low, high) for each axis.",
    "lax.conv_transpose(x[None, None], w[None, None], (1,) * 4, 'SAME')":
        "of float32[1,1,2,3,7,8] needs dimension_numbers, which hav",
}  # fmt: skip

MESSAGES = {**REDUCED, **CONVOLVED}
NAMES = {
    **dict.fromkeys((case for case in REDUCED if "R(" in case or "uses_another" in case), _REDUCE),
    **{case: "lax.select_and_gather_add_p" for case in REDUCED if case.startswith("gathered")},
    **{case: "lax.select_and_scatter_add_p" for case in REDUCED if case.startswith("scattered")},
    **dict.fromkeys((case for case in CONVOLVED if case.startswith("conv(")), _CONV),
}
CASES = tuple(MESSAGES)
