"""NumPy's functions for arrays and tracers, under `jax.numpy`'s names."""

import math

import minijax.numpy.array_methods  # it gives arrays theirs
from minijax.core.arrays import Array
from minijax.face.lazily import call_lazily, lazy_names

ndarray = Array
pi, e, euler_gamma = math.pi, math.e, 0.5772156649015329
inf, nan, newaxis = math.inf, math.nan, None
__array_api_version__ = "2024.12"
__array_namespace_info__ = call_lazily("minijax.numpy.array_api.ArrayNamespaceInfo")

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.numpy.bit_packing": "packbits unpackbits",
    "minijax.numpy.convolutions": "convolve correlate",
    "minijax.numpy.creation": """
        arange array asarray astype copy empty empty_like eye full full_like identity linspace
        ones ones_like zeros zeros_like""",
    "minijax.numpy.dtypes": """
        bfloat16 bool bool_ can_cast cdouble character complex128 complex64 complex_
        complexfloating ComplexWarning csingle double dtype finfo flexible float16 float32
        float4_e2m1fn float64 float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3
        float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
        float8_e8m0fnu float_ floating generic iinfo inexact int1 int16 int2 int32 int4 int64
        int8 int_ integer isdtype isscalar issubdtype iterable number object_ promote_types
        result_type signedinteger single uint uint1 uint16 uint2 uint32 uint4 uint64 uint8
        unsignedinteger""",
    "minijax.numpy.einstein_sums": "einsum einsum_path",
    "minijax.numpy.elementwise.angles": """
        acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
        atanh cos cosh deg2rad degrees hypot rad2deg radians sin sinh tan tanh unwrap""",
    "minijax.numpy.elementwise.bitwise": """
        bitwise_and bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
        bitwise_xor invert left_shift right_shift""",
    "minijax.numpy.elementwise.comparisons": """
        allclose array_equal array_equiv equal greater greater_equal isclose isfinite isinf
        isnan isneginf isposinf less less_equal logical_and logical_not logical_or logical_xor
        not_equal""",
    "minijax.numpy.elementwise.exponentials": "expm1 float_power log1p logaddexp logaddexp2",
    "minijax.numpy.elementwise.float_parts": "frexp ldexp modf nan_to_num spacing",
    "minijax.numpy.elementwise.number_parts": """
        angle bitwise_count cbrt conj conjugate copysign exp2 fabs fmax fmin fmod imag iscomplex
        iscomplexobj isreal isrealobj nextafter real rint signbit trunc""",
    "minijax.numpy.elementwise.signals": "heaviside i0 sinc",
    "minijax.numpy.elementwise.ufuncs": """
        abs absolute add around ceil clip divide divmod exp floor floor_divide log log10 log2
        maximum minimum mod multiply negative positive pow power reciprocal remainder round sign
        sqrt square subtract true_divide""",
    "minijax.numpy.elementwise.whole_numbers": "gcd lcm",
    "minijax.numpy.fft": "",
    "minijax.numpy.files": "from_dlpack frombuffer fromfile fromiter fromstring load save savez",
    "minijax.numpy.indexing.grids": "c_ meshgrid mgrid ogrid r_",
    "minijax.numpy.indexing.positions": """
        argwhere diag_indices diag_indices_from flatnonzero index_exp indices ix_ mask_indices
        nonzero ravel_multi_index s_ tril_indices tril_indices_from triu_indices
        triu_indices_from unravel_index where""",
    "minijax.numpy.indexing.putting": "fill_diagonal place put put_along_axis",
    "minijax.numpy.indexing.selecting": """
        choose compress extract piecewise select take take_along_axis""",
    "minijax.numpy.interpolation": "interp",
    "minijax.numpy.linalg": "",
    "minijax.numpy.padding": "pad",
    "minijax.numpy.polynomials": """
        poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots vander""",
    "minijax.numpy.printing": "array_repr array_str get_printoptions printoptions set_printoptions",
    "minijax.numpy.products": """
        cross dot inner kron matmul matvec outer tensordot vdot vecdot vecmat""",
    "minijax.numpy.ranges": "geomspace logspace",
    "minijax.numpy.reductions.counting": """
        bincount count_nonzero histogram histogram2d histogram_bin_edges histogramdd""",
    "minijax.numpy.reductions.covariances": "corrcoef cov",
    "minijax.numpy.reductions.differences": "diff ediff1d gradient trapezoid",
    "minijax.numpy.reductions.extremes": "amax amin argmax argmin max min ptp",
    "minijax.numpy.reductions.ignoring_nan": """
        nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar""",
    "minijax.numpy.reductions.quantiles": """
        median nanmedian nanpercentile nanquantile percentile quantile""",
    "minijax.numpy.reductions.running_totals": """
        cumprod cumsum cumulative_prod cumulative_sum nancumprod nancumsum""",
    "minijax.numpy.reductions.totals": "all any average mean prod std sum var",
    "minijax.numpy.searching": "digitize searchsorted",
    "minijax.numpy.set_operations": "intersect1d isin setdiff1d setxor1d union1d",
    "minijax.numpy.sets": "unique unique_all unique_counts unique_inverse unique_values",
    "minijax.numpy.shapes.editing": """
        append apply_along_axis apply_over_axes delete insert repeat resize roll trim_zeros""",
    "minijax.numpy.shapes.joining": """
        array_split block column_stack concat concatenate dsplit dstack hsplit hstack split
        stack tile unstack vsplit vstack""",
    "minijax.numpy.shapes.reshaping": """
        atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to
        expand_dims flip fliplr flipud matrix_transpose moveaxis ndim permute_dims ravel reshape
        rollaxis rot90 shape size squeeze swapaxes transpose""",
    "minijax.numpy.shapes.triangles": "diag diagflat diagonal trace tri tril triu",
    "minijax.numpy.sorting": "argpartition argsort lexsort partition sort sort_complex",
    "minijax.numpy.ufunc_objects": "frompyfunc ufunc",
    "minijax.numpy.vectorizing": "fromfunction vectorize",
    "minijax.numpy.windows": "bartlett blackman hamming hanning kaiser",
})  # fmt: skip
__all__ += ["Array", "e", "euler_gamma", "inf", "nan", "ndarray", "newaxis", "pi"]
