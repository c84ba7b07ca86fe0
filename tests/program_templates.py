"""What random programs in text are made of: expressions with places for what is drawn.

A place in braces is filled by program_texts.py:

- `{x}`, `{x:KINDS}`: an operand. The letters of KINDS bound it: `b` bool, `i` int, `u` uint,
  `f` float, `c` complex, and `1`, `2`, `3`: at least so many axes.
- `{y=x}`: an operand of x's shape and dtype. `{y~x}`: one that broadcasts with x, or a number.
- `{a|b|c}`: one of these. `{axis}`, `{axes}`, `{perm}`, ...: see `PLACES` in program_texts.py; they
  speak of the operand `x`.

A template that only moves numbers, or orders them, starts with `=`: its results are compared bit by
bit.
"""


def each(names: str, template: str) -> list[str]:
    return [template.replace("NAME", name) for name in names.split()]


LAX = [
    *each("abs neg sign", "={m}lax.NAME({x:iufc})".replace("{m}", "")),
    *each("floor ceil", "=lax.NAME({x:f})"),
    *each("sin cos tan tanh sinh cosh asin acos atan asinh acosh atanh exp exp2 expm1 log log1p "
          "logistic sqrt rsqrt cbrt square", "lax.NAME({x:fc})"),
    *each("erf erfc erf_inv lgamma digamma bessel_i0e bessel_i1e", "lax.NAME({x:f})"),
    *each("reciprocal square", "lax.NAME({x:fc})"),
    "=lax.round({x:f}, lax.RoundingMethod.{TO_NEAREST_EVEN|AWAY_FROM_ZERO})",
    "=lax.is_finite({x:f})",
    *each("real imag conj", "=lax.NAME({x:c})"),
    "=lax.complex({x:f}, {y=x})",
    "=lax.bitwise_not({x:biu})",
    *each("population_count clz", "=lax.NAME({x:iu})"),
    *each("add sub mul", "lax.NAME({x:iufc}, {y=x})"),
    *each("add mul sub div max rem", "lax.NAME({x:iuf}, {s})"),
    *each("max min", "=lax.NAME({x}, {y=x})"),
    *each("div pow", "lax.NAME({x:fc}, {y=x})"),
    *each("div rem", "lax.NAME({x:iu}, {y=x})"),
    "lax.pow({x:f}, {y:iu})", "lax.pow({x:fc}, {-1|0|2|3})",
    "lax.rem({x:f}, {y=x})", "lax.atan2({x:f}, {y=x})", "=lax.nextafter({x:f}, {y=x})",
    *each("eq ne lt le gt ge", "=lax.NAME({x:biuf}, {y=x})"),
    *each("eq ne", "=lax.NAME({x:c}, {y=x})"),
    *each("bitwise_and bitwise_or bitwise_xor", "=lax.NAME({x:biu}, {y=x})"),
    *each("shift_left shift_right_arithmetic shift_right_logical mulhi", "=lax.NAME({x:iu}, {y=x})"),
    "lax.integer_pow({x:iufc}, {0|1|2|3|4|-1|-2})",
    *each("igamma igammac random_gamma_grad", "lax.NAME(lax.abs({x:f}) + 0.5, lax.abs({y=x}))"),
    "lax.betainc(lax.abs({x:f}) + 0.5, lax.abs({y=x}) + 0.25, lax.logistic({z=x}))",
    "lax.zeta(lax.abs({x:f}) + 1.5, lax.abs({y=x}) + 0.5)",
    "lax.polygamma(lax.round(lax.abs({x:f})), lax.abs({y=x}) + 0.5)",
    "=lax.clamp({x}, {y=x}, {z=x})", "=lax.clamp({s}, {x:iuf}, {s})",
    "=lax.select({x} > 0, {x}, {y=x})", "=lax.select_n({x} == {y=x}, {x}, {y=x})",
    "=lax.select_n({ids_like}, {x}, {y=x}, {z=x})",
    "lax.convert_element_type({x}, '{dtype}')", "=lax.bitcast_convert_type({x:iuf}, '{dtype}')",
    "lax.reduce_precision({x:f}, {3|5|8}, {2|7|10})",
    "=lax.stop_gradient({x})", "=lax.optimization_barrier({x})",
    "=lax.full_like({x}, {s})", "=lax.full({dims}, {s}, '{dtype}')", "=lax.full({dims}, {s})",
    "=lax.iota('{dtype}', {0|1|3})", "=lax.broadcasted_iota('{dtype}', {dims}, {0|1|-1})",
    "=lax.broadcast({x}, {(2,)|()|(0,)|(1, 2)})",
    "=lax.broadcast_in_dim({x:1}, (2, *{x}.shape), {tail})",
    "=lax.reshape({x}, {same_size})", "=lax.squeeze({x}, {ones})", "=lax.expand_dims({x}, ({axis},))",
    "=lax.transpose({x}, {perm})", "=lax.rev({x}, {some_axes})",
    "=lax.pad({x}, {x}.dtype.type({0|1}), {pads})",
    "=lax.slice({x:1}, {slice_bounds})",
    "=lax.slice_in_dim({x:1}, {0|None|1|-2}, {None|2|-1}, {1|2}, {axis})",
    "=lax.index_in_dim({x:1}, {0|-1|1}, {axis}, {True|False})",
    "=lax.dynamic_slice({x}, {starts}, {inner_shape})",
    "=lax.dynamic_slice_in_dim({x:1}, {at}, 1, {axis})",
    "=lax.dynamic_index_in_dim({x:1}, {at}, {axis}, {True|False})",
    "=lax.dynamic_update_slice({x:1}, {x}[:1], {starts})",
    "=lax.dynamic_update_slice_in_dim({x:1}, {x}[:1], {at}, 0)",
    "=lax.dynamic_update_index_in_dim({x:1}, {x}[0] if {x}.shape[0] else {x}, {at}, 0)",
    "=lax.index_take({x:1}, ({ids},), (0,))",
    "=lax.concatenate([{x:1}, {y=x}], {axis})", "=lax.split({x:1}, {split_sizes}, {axis0})",
    "=lax.tile({x}, {reps})", "=lax.stack([{x}, {y=x}], {axis})", "=lax.unstack({x:1}, axis={axis})",
    *each("reduce_max reduce_min", "=lax.NAME({x:biuf}, {some_axes})"),
    *each("reduce_sum reduce_prod", "lax.NAME({x:iufc}, {some_axes})"),
    *each("reduce_and reduce_or reduce_xor", "=lax.NAME({x:biu}, {some_axes})"),
    *each("argmax argmin", "=lax.NAME({x:biuf1}, {axis}, '{int32|int8|uint16|int64|float32}')"),
    "lax.reduce({x:iuf}, {x}.dtype.type({0), lax.add|1), lax.mul|0), lambda a, b: b + a}, {some_axes})",
    "lax.reduce(({x:f}, {y=x}), ({x}.dtype.type(0), {x}.dtype.type(1)), lambda a, b: "
    "(a[0] + b[0], a[1] * b[1]), {some_axes})",
    *each("cumsum cumprod cumlogsumexp", "lax.NAME({x:iuf1}, {axis0}, {True|False})"),
    *each("cummax cummin", "=lax.NAME({x:biuf1}, {axis0}, reverse={True|False})"),
    "=lax.sort({x:1}, dimension={axis}, is_stable={True|False})",
    "=lax.sort(({x:1}, {y=x}), dimension={axis}, num_keys={1|2})",
    "=lax.sort_key_val({x:biuf1}, {y=x}, dimension={axis})",
    "=lax.top_k({x:biuf1}, {0|1|2})", "=lax.top_k({x:f1}, 1, axis={axis})",
    "lax.dot_general({x:iufc}, {y=x}, (({same_axes}, {same_axes}), ((), ())))",
    "lax.dot_general({x:iufc2}, {y=x}, (((0,), (0,)), ((1,), (1,))))",
    "lax.dot_general({x:iufc2}, {y=x}, (((-1,), (-1,)), ((), ())), "
    "preferred_element_type={None|'float32'|'int32'|'float64'})",
    "lax.dot_general({x:iuf2}, {y:iuf2}, (((1,), (0,)), ((), ())))",
    "lax.dot({x:iufc1}, {y:iufc1})", "lax.batch_matmul({x:f3}, {y=x}.transpose(0, 2, 1))",
    # (Around what isn't finite, XLA multiplies zeros by it in some convolutions, in others not.)
    "lax.conv(jnp.where(abs({x:f3}) < 9, {x}, 1), jnp.where(abs({y:f3}) < 9, {y}, 1), (1,), 'SAME')",
    "lax.conv_general_dilated(jnp.where(abs({x:f3}) < 9, {x}, 1), jnp.where(abs({y=x}) < 9, {y}, 1), "
    "({1|2},) * ({x}.ndim - 2), '{SAME|SAME_LOWER|VALID}')",
    "lax.reduce_window({x:iuf1}, {x}.dtype.type(0), lax.add, ({1|2|3},) * {x}.ndim, "
    "({1|2},) * {x}.ndim, '{SAME|VALID}')",
    "=lax.reduce_window({x:f1}, {-np.inf, lax.max|np.inf, lax.min}, ({1|2|3},) * {x}.ndim, "
    "({1|2},) * {x}.ndim, '{SAME|VALID}')",
    "lax.map(lambda r: r {*|+|-} r, {x:iufc1})",
    "lax.fori_loop({0|2|-1|5}, {3|0|2}, lambda i, c: c {*|+|-} {y~x} {+|*} i, {x:if})",
    "lax.while_loop(lambda c: (c[0] < 3) & jnp.any(c[1] == c[1]), "
    "lambda c: (c[0] + 1, c[1] * {x}), (0, {x:iufc}))",
    "lax.scan(lambda c, r: (c + r, c * r), {x:iufc1}[0], {x}, reverse={True|False}, unroll={1|2})",
    "lax.scan(lambda c, r: (c, (r, c)), {y}, {x:1})",
    "lax.scan(lambda c, _: (jnp.{fun}(c), None), {x:f}, length={0|1|3})",
    "lax.cond({truth}, lambda a, b: a {+|-|*} b, lambda a, b: b, {x:iufc}, {y=x})",
    "lax.cond({truth}, lambda: {x}, lambda: {y=x})", "lax.cond({truth}, lax.{neg|abs}, lambda a: a, {x:ifc})",
    "lax.switch({at}, [lambda a: a, lambda a: a + a, jnp.zeros_like], {x:iufc})",
    "lax.associative_scan(jnp.{add|multiply|maximum|minimum}, {x:iuf1}, reverse={True|False}, axis={axis0})",
    "lax.custom_root(lambda z: z * z * z - {x:f}, {x}, lambda f, z: z - f(z) / (1 + 3 * z * z), "
    "lambda g, y: y / g(jnp.ones_like(y)))",
    "lax.custom_linear_solve(lambda v: 2 * v, {x:f}, lambda mv, b: b / 2, lambda mv, b: b / 2)",
    "lax.platform_dependent({x:iuf}, cpu=lambda a: a + a, default=lambda a: a)",
    "=lax.gather({x:biuf1}, {ids}[:, None], lax.GatherDimensionNumbers({gather_row}), "
    "{row_sizes}, mode='{clip|fill|promise_in_bounds}')",
    "lax.scatter_{add|mul|min|max}({x:iuf1}, {ids}[:, None], {rows_for_ids}, "
    "lax.ScatterDimensionNumbers({scatter_row}), mode='{clip|drop}')",
]  # fmt: skip

# Operators and methods are the same functions by another door.
DOORS = [
    *each("+ - * / // % **", "{x} NAME {y~x}"), *each("+ - * / // % **", "{s} NAME {x}"),
    *each("== != < <= > >=", "={x} NAME {y~x}"), *each("& | ^ << >>", "={x:biu} NAME {y~x}"),
    "=-{x:iufc}", "=abs({x})", "=~{x:biu}", "{x} @ {y}", "divmod({x:iuf}, {y~x})", "round({x:if})",
    *each("sum prod mean std var", "{x}.NAME({axes}, keepdims={True|False})"),
    *each("max min any all argmax argmin", "={x:biuf}.NAME({axis})"),
    *each("T mT real imag", "={x}.NAME"),
    *each("cumsum cumprod", "{x:1}.NAME({axis})"),
    "={x}.ravel()", "={x}.reshape(-1)", "={x}.astype('{dtype}')", "={x}.view('{dtype}')", "={x:1}[{at}]",
    "={x:1}.repeat({0|2}, axis={axis})", "={x:1}.sort(axis={axis})", "={x:1}.argsort(axis={axis})",
    "{x}.round({0|1|-1})", "={x}.clip({s}, {s})", "={x}.flatten()", "={x}.conj()", "{x}.dot({y})",
    "={x:1}.take({ids})", "={x}.squeeze()", "={x:2}.swapaxes(0, -1)", "={x:2}.diagonal({0|1|-1})",
    "{x:2}.trace()", "{x:1}.ptp({axis})", "={x}.nonzero()", "={x:1}.searchsorted({y})",
    "={x}.item() if {x}.size == 1 else {x}", "={x}.transpose()", "={x:1}.compress({mask}, axis={axis})",
    "={x:1}[::{-1|2|-2}]", "={x:1}[1:]", "={x:1}[..., None]", "={x:1}[{ids}]", "={x:1}[{mask}]",
    "={x:2}[{ids}, {ids}]", "={x:2}[:, {at}]", "={x:2}[{ids}[:, None], 0]", "={x}[None]",
    "={x:1}.at[{at}].{set|max|min}({y=x}[0])", "{x:1}.at[{at}].{add|multiply|mul|divide|power}({s})",
    "={x:1}.at[{ids}].set({s}, mode='{drop|clip|promise_in_bounds|fill}')",
    "{x:1}.at[{ids}].{add|multiply|subtract}({s})", "={x:1}.at[{ids}].get(mode='{fill|clip}', fill_value={s})",
    "={x:1}.at[{-1|0}:].set({y~x})", "{x:1}.at[{mask}].set({s})", "={x:1}.at[::2].{max|min}({s})",
    "{x:f1}.at[{at}].apply(jnp.{fun})", "jax.device_put({x})",
]  # fmt: skip

NUMPY = [
    *each("abs absolute fabs positive negative sign signbit isnan isinf isfinite ceil floor trunc "
          "rint fix", "=jnp.NAME({x})"),
    *each("isneginf isposinf iscomplexobj isrealobj isreal iscomplex", "=jnp.NAME({x})"),
    *each("sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 "
          "log log2 log10 log1p sqrt cbrt square reciprocal deg2rad rad2deg degrees radians sinc i0 "
          "angle nan_to_num", "jnp.NAME({x})"),
    "jnp.sin({x:biuc})", "jnp.exp({x:biu})", "jnp.log({x:biu})", "jnp.angle({x:c}, deg={True|False})",
    *each("conj conjugate real imag logical_not", "=jnp.NAME({x})"),
    *each("bitwise_not invert bitwise_count", "=jnp.NAME({x:biu})"),
    *each("add subtract multiply divide true_divide floor_divide remainder mod fmod power pow "
          "float_power arctan2 logaddexp logaddexp2 hypot", "jnp.NAME({x}, {y~x})"),
    *each("maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal "
          "logical_and logical_or logical_xor copysign heaviside", "=jnp.NAME({x}, {y~x})"),
    *each("bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm", "=jnp.NAME({x:iu}, {y=x})"),
    "=jnp.nextafter({x:f}, {y~x})", "jnp.divmod({x}, {y~x})", "jnp.modf({x:f})", "jnp.ldexp({x:f}, {y:i})",
    "jnp.frexp({x:f})", "jnp.isclose({x}, {y~x}, equal_nan={True|False})", "jnp.allclose({x}, {y~x})",
    "=jnp.array_equal({x}, {y~x}, equal_nan={True|False})", "=jnp.array_equiv({x}, {y~x})",
    *each("sum prod mean nansum nanprod nanmean", "jnp.NAME({x}, axis={axes}, keepdims={True|False})"),
    *each("sum prod", "jnp.NAME({x}, initial={s})"), *each("sum prod mean", "jnp.NAME({x}, {axis}, dtype='{dtype}')"),
    *each("sum mean prod", "jnp.NAME({x}, {axis}, where={x} == {x})"),
    *each("max min", "=jnp.NAME({x}, {axis}, initial={s}, where={x} == {x})"),
    *each("std var nanstd nanvar", "jnp.NAME({x}, axis={axes}, ddof={0|1}, keepdims={True|False})"),
    *each("max min amax amin nanmax nanmin ptp any all count_nonzero", "=jnp.NAME({x}, axis={axes})"),
    *each("argmax argmin nanargmax nanargmin", "=jnp.NAME({x}, axis={axis}, keepdims={True|False})"),
    "=jnp.argmax({x})", "=jnp.argmin({x})",
    *each("median nanmedian", "jnp.NAME({x}, axis={axis}, keepdims={True|False})"),
    *each("quantile nanquantile", "jnp.NAME({x:biuf}, {0.5|0.3|jnp.array([0.25, 1.0])}, axis={axis}, "
          "method='{linear|lower|higher|nearest|midpoint}')"),
    *each("percentile nanpercentile", "jnp.NAME({x:iuf}, {50|30.0|jnp.array([10, 90])}, axis={axis})"),
    "jnp.average({x}, axis={axis}, weights={y=x})", "jnp.average({x}, axis={axis}, returned=True)",
    *each("cumsum cumprod nancumsum nancumprod", "jnp.NAME({x}, axis={axis})"),
    *each("cumsum cumprod nancumsum nancumprod", "jnp.NAME({x})"), "jnp.cumsum({x}, dtype='{dtype}')",
    *each("cumulative_sum cumulative_prod", "jnp.NAME({x:1}, axis={axis}, include_initial={True|False})"),
    "jnp.diff({x:1}, {0|1|2}, axis={axis})", "jnp.ediff1d({x})", "jnp.gradient({x:f1})",
    "jnp.trapezoid({x:1}, axis={axis}, dx={0.5|2})", "jnp.convolve({x:1}, {y:1})", "jnp.cross({x:1}, {y=x})",
    *each("sort argsort", "=jnp.NAME({x}, axis={axis}, stable={True|False}, descending={True|False})"),
    "=jnp.sort({x}, axis=None)", "=jnp.sort_complex({x})", "=jnp.lexsort(({x:1}, {y=x}), axis={axis})",
    *each("partition argpartition", "=jnp.NAME({x:1}, {0|1|-1}, axis={axis})"),
    "=jnp.searchsorted({x:1}, {y}, side='{left|right}', method='{scan|scan_unrolled|sort|compare_all}')",
    "=jnp.digitize({x:iuf}, jnp.array({[0, 1, 2]|[2.0, 0.5]|[]}), right={True|False})",
    "jnp.histogram({x:biuf}, bins={3|jnp.array([0.0, 1.0, 2.0])})", "jnp.histogram_bin_edges({x:iuf}, {2|4})",
    "jnp.histogram({x:iuf}, {2|4}, range=({-1|0}, {3|2}), density={True|False})",
    "=jnp.bincount({x:iu1}, length=4)", "jnp.bincount({x:iu1}, weights={y:f1}, minlength={0|3})",
    "=jnp.unique({x})", "=jnp.unique({x}, return_index=True, return_inverse=True, return_counts=True, size=4)",
    "=jnp.unique({x:2}, axis={axis})", *each("unique_values unique_all unique_counts unique_inverse", "=jnp.NAME({x})"),
    *each("union1d intersect1d setdiff1d setxor1d", "=jnp.NAME({x}, {y})"),
    *each("union1d setdiff1d", "=jnp.NAME({x}, {y}, size=3, fill_value={s})"),
    "=jnp.isin({x}, {y}, invert={True|False})", "=jnp.nonzero({x}, size={0|2|5}, fill_value={None|-1|7})",
    "=jnp.nonzero({x:1})", "=jnp.flatnonzero({x}, size=3)", "=jnp.argwhere({x}, size=2)", "=jnp.argwhere({x})",
    "=jnp.where({x}, {x}, {y~x})", "=jnp.where({x} > 0, {y~x}, {s})", "=jnp.where({x}, size=2)",
    "=jnp.select([{x} > 0, {x} == {x}], [{x}, {y~x}], {s})", "=jnp.choose({ids} % 2, [{x:1}[0], {s}], mode='{clip|wrap}')",
    "=jnp.clip({x:biuf}, {s}, {y~x})", "=jnp.clip({x:iuf}, min={s})", "=jnp.extract({x} > 0, {x})",
    "=jnp.compress({mask}, {x:1}, axis={axis}, size=2)", "=jnp.piecewise({x:f}, [{x} > 0], [1, jnp.{fun}])",
    "=jnp.take({x}, {ids}, axis={axis}, mode='{clip|wrap|fill}')", "=jnp.take({x}, {ids})", "=jnp.take({x}, {at}, axis={axis})",
    "=jnp.take_along_axis({x:1}, {ids_like}, axis={axis}, mode='{clip|fill}')",
    "=jnp.put_along_axis({x:1}, {ids_like}, {s}, axis={axis}, inplace=False)",
    "=jnp.put({x}, {ids}, {s}, mode='{clip|wrap}', inplace=False)", "=jnp.place({x}, {x} > 0, {y:1}, inplace=False)",
    "=jnp.fill_diagonal({x:2}, {s}, wrap={True|False}, inplace=False)", "=jnp.diag({x:1}, {0|1|-1})", "=jnp.diagflat({x}, {0|-1})",
    "=jnp.diagonal({x:2}, {0|1|-2})", *each("tril triu", "=jnp.NAME({x:2}, {0|1|-1})"), "jnp.trace({x:2}, {0|1}, dtype='{dtype}')",
    "=jnp.tri({2|3}, {2|0}, {0|-1}, '{dtype}')", *each("tril_indices triu_indices", "=jnp.NAME(3, {0|1|-1})"),
    "=jnp.diag_indices({2|3})", "=jnp.indices({dims})", "=jnp.ix_({ids}, {mask})", "jnp.vander({x:1})",
    "=jnp.unravel_index({ids}, (2, 3))", "=jnp.ravel_multi_index(({ids}, {ids}), (3, 3), mode='{clip|wrap}')",
    *each("matmul dot inner outer vdot kron tensordot", "jnp.NAME({x}, {y})"), "jnp.matmul({x:2}, {x}.mT)",
    "jnp.tensordot({x:1}, {y=x}, {0|1|([0], [0])})", "jnp.einsum('...i,...i', {x:1}, {y=x})", "jnp.vecdot({x:1}, {y=x})",
    "jnp.matvec({x:2}, {x}[0])", "jnp.dot({x:iuf2}, {x}.T, preferred_element_type='{float32|int32|float64}')",
    *each("concatenate hstack vstack stack dstack column_stack", "=jnp.NAME([{x}, {y}])"), "=jnp.concatenate([{x:1}, {y=x}], {axis})",
    "=jnp.concatenate([{x:1}, {y=x}], dtype='{dtype}')", "=jnp.append({x}, {y})", "=jnp.insert({x:1}, {0|1|-1}, {s}, axis={axis})",
    "=jnp.delete({x:1}, {0|-1}, axis={axis})", "=jnp.split({x:1}, {1|2|3|[1]}, axis={axis})", "=jnp.array_split({x:1}, 2)",
    "=jnp.reshape({x}, {same_size}, order='{C|F}')", "=jnp.ravel({x}, order='{C|F}')", "=jnp.transpose({x}, {perm})",
    "=jnp.moveaxis({x:2}, {0|-1}, {1|0|-1})", "=jnp.swapaxes({x:2}, 0, -1)", "=jnp.rollaxis({x:2}, 1)", "=jnp.matrix_transpose({x:2})",
    "=jnp.squeeze({x})", "=jnp.squeeze({x}, {axis})", "=jnp.expand_dims({x}, {0|-1|(0, 1)})",
    "=jnp.broadcast_to({x}, (2, *{x}.shape))", "=jnp.broadcast_arrays({x}, {y~x})",
    *each("atleast_1d atleast_2d atleast_3d fliplr flipud", "=jnp.NAME({x})"), "=jnp.flip({x}, {axes})",
    "=jnp.roll({x}, {0|1|-2|5}, {axes})", "=jnp.rot90({x:2})", "=jnp.tile({x}, {2|(1, 2)|0|()})",
    "=jnp.repeat({x}, {2|0}, axis={axis})", "=jnp.repeat({x:1}, {ids} % 3, axis=0, total_repeat_length=4)", "=jnp.resize({x}, (2, 2))",
    "=jnp.pad({x}, {1|0}, mode='{constant|edge|reflect|wrap|symmetric}')",
    "=jnp.arange({0|1|3|2.5})", "=jnp.arange({0|-2}, {3|2.5|0}, {1|2|0.5|-1})", "=jnp.arange(3, dtype='{dtype}')",
    "jnp.linspace({s}, {s}, {0|1|3}, endpoint={True|False})", "jnp.linspace(0, {x:biuf}, 3, axis={0|-1}, dtype='{dtype}')",
    "jnp.geomspace(1.0, 8.0, 3)", "jnp.logspace(0, 1, 3)", *each("zeros_like ones_like empty_like", "=jnp.NAME({x})"),
    *each("zeros ones", "=jnp.NAME({dims}, '{dtype}')"), "=jnp.full({dims}, {s})", "=jnp.full_like({x}, {s})",
    "=jnp.full_like({x}, {s}, dtype='{dtype}')", "=jnp.eye({0|2|3}, k={0|1|-1}, dtype='{dtype}')", "=jnp.identity(2)",
    "=jnp.array({s})", "=jnp.asarray({s}, '{dtype}')", "=jnp.array([{x}, {y=x}])", "=jnp.array({x}, '{dtype}')",
    "=jnp.asarray({x})", "=jnp.copy({x})", "=jnp.astype({x}, '{dtype}')", "=jnp.{dtype_class}({s})",
    "jnp.apply_along_axis(lambda r: r {*|+} r, {axis}, {x:1})", "jnp.round({x}, {0|1|-1})", "jnp.around({x})",
    "=str(jnp.result_type({x}, {y~x}))", "=str(jnp.promote_types('{dtype}', '{dtype}'))", "=(jnp.ndim({x}), jnp.shape({x}), jnp.size({x}))",
    "=jnp.meshgrid({x:1}, {y:1})", "jnp.vectorize(lambda a: a + a)({x})", "jnp.cov({x:f2})", "=jnp.packbits({x:b})", "jnp.polyval({x:f1}, {y})",
    "=jnp.max({x:c}, {axis})", "=jnp.maximum({x:c}, {y=x})", "=jnp.argmax({x:c}, {axis})",
    *each("sum max mean", "jnp.NAME({s})"), *each("add maximum multiply", "jnp.NAME({s}, {s})"),
]  # fmt: skip

NN = [
    *each("relu relu6 sigmoid hard_sigmoid softplus log_sigmoid silu swish soft_sign hard_tanh hard_silu "
          "hard_swish elu selu celu leaky_relu gelu mish squareplus sparse_plus sparse_sigmoid tanh identity "
          "log1mexp", "jax.nn.NAME({x:biuf})"),
    "jax.nn.gelu({x:f}, approximate=False)", "jax.nn.celu({x:f}, {0.5|2.0})", "jax.nn.leaky_relu({x:f}, 0.3)",
    *each("softmax log_softmax logsumexp logmeanexp standardize", "jax.nn.NAME({x:iuf1}, axis={axis})"),
    "jax.nn.softmax({x:f1}, where={x} == {x}, axis={axis})", "jax.nn.logsumexp({x:f1}, {axis}, b={y=x}, return_sign={True|False})",
    "jax.nn.logsumexp({x:c1})", "jax.nn.glu({x:f1}, {axis})", "jax.nn.one_hot({x:iu}, {0|3}, axis={0|-1}, dtype='{dtype}')",
    "jax.nn.initializers.{he_normal|glorot_uniform|lecun_normal|orthogonal}()(random.key(3), (2, 3), '{fdtype}')",
]  # fmt: skip

RANDOM = [
    "random.normal({key}, {dims}, '{fdtype}')", "random.uniform({key}, {dims}, '{fdtype}', {x:f}.sum(), 2.5)",
    "random.uniform({key}, {dims})", "=random.bits({key}, {dims}, '{udtype}')", "=random.randint({key}, {dims}, {-3|0|5}, {4|9|0}, '{idtype}')",
    "=random.randint({key}, {x:iu}.shape, {x}, 10)", "=random.bernoulli({key}, {0.3|0.0|1.0}, {dims})", "=random.bernoulli({key}, {x:f})",
    "=random.permutation({key}, {x:1}, axis={axis}, independent={True|False})", "=random.permutation({key}, {0|5})",
    "=random.choice({key}, {x:1}, (2,), replace={True|False})", "=random.choice({key}, 4, (3,), p=jnp.array([0.1, 0.2, 0.3, 0.4]))",
    "random.categorical({key}, {x:f1}, axis={axis})", "random.categorical({key}, {x:f1}, shape=(2,), replace=False)",
    *each("exponential laplace logistic gumbel cauchy rayleigh maxwell", "random.NAME({key}, {dims})".replace("rayleigh(", "rayleigh(")),
    "random.truncated_normal({key}, -1.0, {x:f}, {x}.shape)", "random.gamma({key}, jnp.abs({x:f}) + 0.5)", "random.beta({key}, 0.5, jnp.abs({x:f}) + 0.5)",
    "random.dirichlet({key}, jnp.abs({x:f1}) + 0.5)", "random.poisson({key}, 3.0, {dims})", "=random.rademacher({key}, {dims}, '{idtype}')",
    "random.t({key}, 3.0, {dims})", "=random.key_data(random.split({key}, {0|1|3}))", "=random.key_data(random.fold_in({key}, {0|7|-1}))",
    "random.multivariate_normal({key}, jnp.zeros(2), jnp.eye(2))", "random.ball({key}, 2)", "random.binomial({key}, 5, 0.5, (2,))",
]  # fmt: skip

SPECIAL = [
    *each("gammaln gamma digamma erf erfc erfinv expit logit ndtr log_ndtr i0 i0e i1 i1e entr loggamma factorial",
          "jax.scipy.special.NAME({x:f})"),
    *each("xlogy xlog1py logsumexp rel_entr kl_div betaln", "jax.scipy.special.NAME({x:f}, {y=x})".replace("logsumexp({x:f}, {y=x}", "logsumexp({x:f}")),
]  # fmt: skip

# A transformation inside of the program.
INSIDE = [
    "jax.jit(lambda a: a {+|*} {y~x})({x})", "jax.vmap(lambda a: a {+|*} a)({x:1})", "jax.vmap(lambda a, b: jnp.dot(a, b), (0, None))({x:1}, {y})",
    "jax.grad(lambda a: jnp.sum(jnp.{fun}(a) * {y~x}))({x:f})", "jax.jvp(jnp.{fun}, ({x:f},), ({y=x},))",
    "jax.checkpoint(lambda a: jnp.{fun}(jnp.{fun}(a)))({x:f})", "jax.linearize(jnp.{fun}, {x:f})[1]({y=x})",
    "jax.vjp(jnp.{fun}, {x:f})[1]({y=x})[0]", "jax.hessian(lambda a: jnp.sum(jnp.{fun}(a)))({x:f})",
    "jax.jacfwd(lambda a: jnp.{fun}(a))({x:f})", "jax.jacrev(lambda a: jnp.{fun}(a))({x:f})",
    "jax.value_and_grad(lambda a: jnp.sum(a * {x:f}))({y=x})",
    "cube({x:f})", "sine({x:f})", "doubled({x})", "jax.vmap(doubled)({x:1})", "jax.custom_gradient(lambda a: (a * a, lambda ct: (3 * ct * a,)))({x:f})",
    "jax.linear_transpose(lambda a: 3 * a, {x:f})({y=x})[0]", "jax.closure_convert(lambda a: a * {y=x}, {x:f})[0]({x}, {y=x})",
    "jax.vmap(lambda a: lax.psum(a, 'i'), axis_name='i')({x:f1})", "jax.vmap(lambda a: lax.{pmax|pmin|pmean}(a, 'i'), axis_name='i')({x:f1})",
    "jax.vmap(lambda a: a * lax.axis_index('i'), axis_name='i')({x:if1})",
    "jax.vmap(lambda a: lax.all_gather(a, 'i', tiled=False), axis_name='i')({x:1})",
    "jax.vmap(lambda a: lax.ppermute(a, 'i', [(0, 0)]), axis_name='i')({x:1})",
    "jax.vmap(lambda i: lax.dynamic_index_in_dim({x:1}, i, 0, False))({ids})", "jax.vmap(lambda i: {x:1}[i])({ids})",
    "jax.vmap(lambda i: {x:1}.at[i].set({s}))({ids})", "jax.vmap(lambda i: lax.switch(i, [lambda: {x}, lambda: {y=x}]))({ids})",
    "jax.vmap(lambda n: lax.fori_loop(0, n, lambda i, c: c + {x:if}, {x}))({ids} % 3)",
    "jax.vmap(lambda p: lax.cond(p, lambda: {x}, lambda: {y=x}))({mask})",
    "jax.vmap(lambda n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] + {x:iuf}), (n * 0, {x})))({ids} % 3)",
    "jax.named_call(lambda a: a * 2, name='twice')({x:iufc})",
    "jax.tree.map(lambda a: a + a, ({x}, [{y}]))[0]",
]  # fmt: skip

TEMPLATES = {
    "lax": LAX, "doors": DOORS, "numpy": NUMPY, "nn": NN, "random": RANDOM, "special": SPECIAL, "inside": INSIDE,
}  # fmt: skip
