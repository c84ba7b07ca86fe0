"""Routines that a GPU has in another form than LAPACK's: cuSOLVER's, and ROCm's of the same names.

Eigenvalues of a matrix that isn't symmetric, and factors with pivots, are LAPACK's on a GPU too:
the matrix goes to the CPU and back ("hybrid").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minijax.compiler.stablehlo.elementwise_operations import Outs, is_complex, pair, part
from minijax.compiler.stablehlo.matrix_routines import (
    HYBRID, Attribute, called, info_of, nan_unless_found, on_gpu, real, refuse_subset, triangle,
    whole,
)
from minijax.compiler.stablehlo.operation_rules import rule, rules
from minijax.compiler.stablehlo.tensor_types import TensorType
from minijax.compiler.stablehlo.text_builder import Builder, Value


def solved(
    b: Builder, name: str, x: Value, outs: Sequence[TensorType], **attributes: Attribute
) -> list[Value]:
    """What a routine makes of each matrix of a stack, and a number that is 0 where it has."""
    return called(b, on_gpu(b, name, name), [x], [*outs, info_of(x)], x.ndim - 2, **attributes)


@rule("cholesky", on_gpus=True)
def _cholesky(b: Builder, outs: Outs, x: Value) -> Value:
    if 0 in x.shape:
        return x
    factor, info = solved(b, "solver_potrf_ffi", x, outs, lower=True)
    return triangle(b, nan_unless_found(b, info, factor)[0], "GE")


@rule("eigh", on_gpus=True)
def _eigh(
    b: Builder, outs: Outs, x: Value, *, lower: bool, sort_eigenvalues: bool, subset_by_index: Any,
    algorithm: Any,
) -> list[Value]:  # fmt: skip
    refuse_subset("lax.linalg.eigh", subset_by_index, (0, x.shape[-1]), "eigenvalues")
    if 0 in x.shape:
        return [x, b.full(outs[1], 0)]
    *found, info = solved(b, "solver_syevd_ffi", x, outs, algorithm="\0", lower=lower)
    return nan_unless_found(b, info, *found)


@rule("svd", on_gpus=True)
def _svd(
    b: Builder, outs: Outs, x: Value, *, full_matrices: bool, compute_uv: bool,
    subset_by_index: Any, algorithm: Any,
) -> list[Value]:  # fmt: skip
    """The routine takes no matrix with more columns than rows: that one's adjoint is factored."""
    rows, columns = x.shape[-2:]
    how = {"full_matrices": full_matrices, "compute_uv": compute_uv}
    if 0 in x.shape:
        return rules["svd"](b, outs, x, subset_by_index=None, algorithm=algorithm, **how)
    subset = (0, min(rows, columns))
    refuse_subset("lax.linalg.svd", subset_by_index, subset, "singular values")
    if rows < columns:
        x, outs = adjoint(b, x), [outs[0], *map(turned, outs[:0:-1])]
    types = [x.type, outs[0], *(outs[1:] or [x.type.shaped(())] * 2)]
    found = solved(b, "solver_gesvd_ffi", x, types, transposed=False, **how)
    values, *vectors = nan_unless_found(b, found[-1], *found[1 : 1 + len(outs)])
    if rows < columns:
        vectors = [adjoint(b, v) for v in vectors[::-1]]
    return [values, *vectors]


def turned(x: TensorType) -> TensorType:
    """The type of the transposed matrix."""
    return x.shaped((*x.shape[:-2], *x.shape[:-3:-1]))


def adjoint(b: Builder, x: Value) -> Value:
    *stack, rows, columns = range(x.ndim)
    x = b.transpose(x, [*stack, columns, rows])
    return pair(b, part(b, "real", x), b.op("negate", part(b, "imag", x))) if is_complex(x) else x


@rule("eig", on_gpus=True)
def _eig(
    b: Builder, outs: Outs, x: Value, *, compute_left_eigenvectors: bool,
    compute_right_eigenvectors: bool, enable_eigvec_derivs: bool, implementation: Any,
) -> list[Value]:  # fmt: skip
    if 0 in x.shape:
        return [b.full(out, 0) for out in outs]
    vectors, flags = whole(x.type), (compute_left_eigenvectors, compute_right_eigenvectors)
    name, parts = ("comp", outs[:1]) if is_complex(x) else ("real", [real(outs[0])] * 2)
    *found, left, right, info = solved(
        b, f"hybrid_eig_{name}", x, [*parts, vectors, vectors], left=flags[0], right=flags[1],
        **HYBRID,
    )  # fmt: skip
    found = found if is_complex(x) else [pair(b, *found)]
    both = zip((left, right), flags, strict=True)
    return nan_unless_found(b, info, *found, *(v for v, is_wanted in both if is_wanted))


@rule("tridiagonal", on_gpus=True)
def _tridiagonal(b: Builder, outs: Outs, x: Value, *, lower: bool) -> list[Value]:
    if 0 in x.shape:
        return [x, *(b.full(out, 0) for out in outs[1:])]
    *found, info = solved(b, "solver_sytrd_ffi", x, outs, lower=lower)
    return nan_unless_found(b, info, *found)


@rule("tridiagonal_solve", on_gpus=True)
def _tridiagonal_solve(
    b: Builder, outs: Outs, low: Value, diagonal: Value, up: Value, c: Value, *,
    perturb_singular: bool,
) -> Value:  # fmt: skip
    if 0 in c.shape:
        return c
    name = None if perturb_singular else "sparse_gtsv2_ffi"
    target = on_gpu(b, name, "lax.linalg.tridiagonal_solve with perturb_singular")
    return called(b, target, [low, diagonal, up, c], outs, c.ndim - 2)[0]
