"""NumPy's functions for arrays and tracers, under `jax.numpy`'s names; the thin part so far."""

import math

import minijax.numpy.array_methods  # it gives arrays theirs
from minijax.core.arrays import Array
from minijax.face.lazily import lazy_names

ndarray = Array
pi, e, euler_gamma = math.pi, math.e, 0.5772156649015329
inf, nan, newaxis = math.inf, math.nan, None

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.numpy.creation": """
        arange array asarray astype copy empty empty_like eye full full_like identity linspace
        ones ones_like zeros zeros_like""",
    "minijax.numpy.dtypes": """
        bfloat16 bool_ complex128 complex64 complex_ complexfloating dtype finfo float16 float32
        float64 float_ floating generic iinfo inexact int16 int32 int64 int8 int_ integer
        issubdtype number promote_types result_type signedinteger uint uint16 uint32 uint64
        uint8 unsignedinteger""",
    "minijax.numpy.elementwise.angles": """
        acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
        atanh cos cosh deg2rad degrees rad2deg radians sin sinh tan tanh""",
    "minijax.numpy.elementwise.bitwise": """
        bitwise_and bitwise_not bitwise_or bitwise_xor invert left_shift right_shift""",
    "minijax.numpy.elementwise.comparisons": """
        allclose array_equal equal greater greater_equal isclose isfinite isinf isnan less
        less_equal logical_and logical_not logical_or logical_xor not_equal""",
    "minijax.numpy.elementwise.exponentials": "expm1 log1p logaddexp logaddexp2",
    "minijax.numpy.elementwise.number_parts": """
        angle bitwise_count cbrt conj conjugate copysign exp2 fabs fmax fmin fmod imag
        iscomplexobj isrealobj nextafter real rint signbit trunc""",
    "minijax.numpy.elementwise.ufuncs": """
        abs absolute add ceil clip divide divmod exp floor floor_divide log log10 log2 maximum
        minimum mod multiply negative positive pow power reciprocal remainder round sign sqrt
        square subtract true_divide""",
    "minijax.numpy.indexing.positions": """
        argwhere diag_indices diag_indices_from flatnonzero index_exp indices ix_ nonzero
        ravel_multi_index s_ tril_indices tril_indices_from triu_indices triu_indices_from
        unravel_index where""",
    "minijax.numpy.indexing.putting": "fill_diagonal place put put_along_axis",
    "minijax.numpy.indexing.selecting": "choose compress extract select take take_along_axis",
    "minijax.numpy.linalg": "",
    "minijax.numpy.products": "dot inner matmul outer tensordot vdot",
    "minijax.numpy.reductions.counting": "bincount count_nonzero histogram histogram_bin_edges",
    "minijax.numpy.reductions.differences": "diff ediff1d trapezoid",
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
    "minijax.numpy.shapes.editing": "append apply_along_axis delete insert repeat roll",
    "minijax.numpy.shapes.joining": "concatenate hstack split stack tile vstack",
    "minijax.numpy.shapes.reshaping": """
        atleast_1d atleast_2d broadcast_arrays broadcast_shapes broadcast_to expand_dims flip
        matrix_transpose moveaxis ndim ravel reshape shape size squeeze swapaxes transpose""",
    "minijax.numpy.shapes.triangles": "diag diagflat diagonal trace tri tril triu",
    "minijax.numpy.sorting": "argpartition argsort lexsort partition sort sort_complex",
    "minijax.numpy.sets": "unique unique_all unique_counts unique_inverse unique_values",
})  # fmt: skip
__all__ += ["Array", "e", "euler_gamma", "inf", "nan", "ndarray", "newaxis", "pi"]
