"""What a parameter of a primitive may be, by its name: a name means one thing in all.

A rule for types looks at what the type of a result depends on. What is read from a file has to be
as it would have been traced in everything else too, before kernels are made of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from minijax.core.dtypes import ExtendedDType, SymbolicDimension
from minijax.core.prng import threefry
from minijax.core.staging import ClosedJaxpr, Jaxpr, JaxprEqn
from minijax.core.tracing import Primitive
from minijax.export.devices_together import collectives
from minijax.export.value_format import need
from minijax.lax.sharding.meshes import AbstractMesh
from minijax.lax.sharding.partition_specs import P
from minijax.lax.sharding.shardings import NamedSharding


def _is_int(x: Any) -> bool:
    return type(x) is int and abs(x) < 1 << 62 or isinstance(x, SymbolicDimension)


def _is_natural(x: Any) -> bool:
    """Whether it is a size; of a symbolic one that is seen when it is known."""
    return _is_int(x) and (isinstance(x, SymbolicDimension) or x >= 0)


def _is_axis(x: Any, ndim: int) -> bool:
    return type(x) is int and 0 <= x < ndim


def _all(holds: Callable[..., bool], xs: Any, *args: Any) -> bool:
    return type(xs) is tuple and all(holds(x, *args) for x in xs)


def _is_none(x: Any) -> bool:
    return x is None


def _is_name(x: Any) -> bool:
    return type(x) is str


AXES_OF_MESH = "axis_name"

# Tests of a value; they are given the largest number of axes in the equation too.
_TESTS: dict[Callable[[Any, int], bool], str] = {
    lambda x, n: type(x) is bool: """
        aggregate_to_topk compute_left_eigenvectors compute_right_eigenvectors compute_uv
        compute_schur_vectors check_vma conjugate_a differentiated enable_eigvec_derivs
        full_matrices indices_are_sorted inline is_max_k is_stable keep_unused left
        left_side log_space lower partitionable perturb_singular pivoting reverse
        sort_eig_vals sort_eigenvalues tiled transpose transpose_a unique_indices
        unit_diagonal weak_type""",
    lambda x, n: _is_natural(x): """
        axis_size batch_group_count bit_width body_nconsts cond_nconsts exponent_bits
        feature_group_count k length mantissa_bits num_carry num_consts num_keys permutation_size
        source""",
    lambda x, n: type(x) is int and 0 < x < 1 << 62: "unroll",
    lambda x, n: _is_int(x): "reduction_input_size_override y",
    lambda x, n: type(x) in (int, float): "alpha beta recall_target",
    lambda x, n: _is_axis(x, n): """
        all_gather_dimension axis concat_axis dimension scatter_dimension split_axis""",
    lambda x, n: type(x) is str or _all(_is_name, x): AXES_OF_MESH,
    lambda x, n: type(x) is frozenset and all(map(_is_name, x)): "newly_manual_axes",
    lambda x, n: type(x) is AbstractMesh and _all(_is_name, x.axis_names): "mesh",
    lambda x, n: _all(lambda spec: type(spec) is P, x): "in_specs out_specs",
    lambda x, n: _all(lambda pair: len(pair) == 2 and _all(_is_natural, pair), x): "perm",
    lambda x, n: type(x) is int and -n <= x < n: "reduction_dimension",
    lambda x, n: _all(_is_axis, x, n): "axes broadcast_dimensions dimensions permutation",
    lambda x, n: _all(_is_natural, x): """
        base_dilation fft_lengths lhs_dilation limit_indices new_sizes reps rhs_dilation shape sizes
        slice_sizes start_indices window_dilation window_dimensions window_strides""",
    lambda x, n: _is_none(x) or _all(_is_natural, x): "strides",
    lambda x, n: _all(lambda row: _all(_is_int, row), x): "padding padding_config",
    lambda x, n: _all(lambda flag: type(flag) is bool, x): "donated_invars",
    lambda x, n: type(x) is bool or _all(lambda flag: type(flag) is bool, x): "prevent_cse",
    lambda x, n: isinstance(x, np.dtype | ExtendedDType): "dtype index_dtype input_dtype new_dtype",
    lambda x, n: _is_none(x) or isinstance(x, np.dtype): "preferred_element_type",
    lambda x, n: type(x) is ClosedJaxpr: "body_jaxpr call_jaxpr cond_jaxpr",
    lambda x, n: isinstance(x, ClosedJaxpr | Jaxpr): "jaxpr",
    lambda x, n: _is_none(x) or type(x) is Jaxpr: "update_jaxpr",
    lambda x, n: _all(lambda program: type(program) is ClosedJaxpr, x): "branches",
    lambda x, n: type(x).__name__ == "FftType": "fft_type",
    lambda x, n: type(x).__name__ == "GatherScatterMode": "mode",
    lambda x, n: type(x).__name__ == "RoundingMethod": "rounding_method",
    lambda x, n: _is_none(x) or isinstance(x, Enum): "algorithm implementation",
    lambda x, n: _is_none(x) or _is_precision(x): "precision",
    lambda x, n: type(x) is str: "name",
    lambda x, n: isinstance(x, SymbolicDimension): "dim",
    lambda x, n: isinstance(x, Primitive): "select_prim",
    lambda x, n: x == threefry: "impl",
    lambda x, n: isinstance(x, NamedSharding) and isinstance(x.mesh, AbstractMesh): "sharding",
    lambda x, n: type(x) is frozenset and all(_is_axis(d, n) for d in x): "unconstrained_dims",
    lambda x, n: _is_none(x): """
        group_offset policy select_callable use_magma axis_index_groups""",
    lambda x, n: _is_none(x) or _all(_is_natural, x): "subset_by_index",
    lambda x, n: _is_none(x) or isinstance(x, int | float | complex | np.generic): "fill_value",
    lambda x, n: isinstance(x, tuple): """
        branches_platforms const_lengths consts dimension_numbers jaxprs platforms
        ragged_dot_dimension_numbers update_consts xla_metadata_kvs""",
}
_test_of = {name: test for test, names in _TESTS.items() for name in names.split()}


def _is_precision(x: Any) -> bool:
    """One for both operands, one for each, or an algorithm."""
    return isinstance(x, Enum) or type(x).__name__ == "DotAlgorithm" or (
        _all(lambda one: isinstance(one, Enum | None), x)
    )  # fmt: skip


# How many operands those element-wise primitives take whose functions don't say so.
_OPERANDS = {
    1: """acos acosh asin asinh atan atanh bessel_i0e bessel_i1e cbrt ceil cos cosh digamma erf
        erf_inv erfc exp exp2 expm1 floor integer_pow lgamma log log1p logistic round rsqrt sin sinh
        sqrt tan tanh""",
    2: "atan2 igamma igamma_grad_a igammac polygamma pow random_gamma_grad zeta",
    3: "regularized_incomplete_beta",
}
_operands = {name: size for size, names in _OPERANDS.items() for name in names.split()}


def check_parameters(eqn: JaxprEqn) -> None:
    """ValueError where a parameter is none that tracing gives, or the number of operands is wrong.

    It says nothing of how parameters, operands and results fit together: rules for types do.
    """
    primitive = eqn.primitive
    params = primitive.active(eqn.params)
    avals = [x.aval for x in (*eqn.invars, *eqn.outvars)]
    ndim = max((aval.ndim for aval in avals), default=0)
    for name, value in params.items():
        kind = AXES_OF_MESH if collectives.get(primitive.name) == name else name
        fits = kind in _test_of and _test_of[kind](value, ndim)
        need(fits, f"the parameter {name} of {primitive} is none that tracing gives")
    known = primitive.parameters
    need(known is None or known >= params.keys(), f"{primitive} has parameters of other names")
    size = _number_of_operands(primitive)
    got = len(eqn.invars)
    need(size is None or size == got, f"{primitive} takes {size} operands, and is given {got}")


@cache
def _number_of_operands(primitive: Primitive) -> int | None:
    """How many operands a primitive takes, where what computes it says so."""
    fun, named = primitive.numpy_fun, primitive.parameters
    if primitive.name in _operands:
        return _operands[primitive.name]
    if isinstance(fun, np.ufunc):
        return fun.nin
    if fun is None or named is None:
        return None
    parameters = inspect.signature(fun).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    given = [p for p in parameters if p.kind is not p.VAR_KEYWORD and p.default is p.empty]
    return len([p for p in given if p.name not in named])
