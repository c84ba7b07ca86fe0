"""LAPACK's routines, as calls of the functions that jaxlib has for them: on CPUs, or by these names
on GPUs, too. (What differs more there is in gpu_routines.py.)

StableHLO itself has Cholesky's factor and triangular systems. A routine's matrices lie column by
column: the layouts of operands and results say so, and XLA turns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minijax.compiler.stablehlo.elementwise_operations import (
    Outs, in_float32, is_complex, pair, part,
)
from minijax.compiler.stablehlo.operation_rules import rule
from minijax.compiler.stablehlo.tensor_types import INT32, TensorType, integers, quoted
from minijax.compiler.stablehlo.text_builder import Builder, Value, signature

LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
# How a GPU's libraries begin their names; and how such names go on.
OF_GPUS = {"cuda": "cu", "rocm": "hip"}
ON_GPUS = {
    "getrf": "solver_getrf_ffi", "geqrf": "solver_geqrf_ffi", "orgqr": "solver_orgqr_ffi",
    "ungqr": "solver_orgqr_ffi", "ormqr": "solver_ormqr_ffi", "unmqr": "solver_ormqr_ffi",
    "geqp3": "hybrid_geqp3",
}  # fmt: skip
HYBRID = {"magma": "auto"}  # what is told to those that LAPACK computes for a GPU

Attribute = bool | int | str


def layout(rank: int, is_matrix: bool) -> str:
    """Which axis lies closest together, and so on."""
    order = list(range(rank))[::-1]
    if is_matrix:
        order[:2] = [rank - 2, rank - 1]
    return f"dense<{integers(order)}> : tensor<{rank}xindex>"


def routine(
    b: Builder, name: str, operands: Sequence[Value], outs: Sequence[TensorType], stack: int,
    **attributes: Attribute,
) -> list[Value]:  # fmt: skip
    """A call for each matrix of a stack with so many axes."""
    if b.module.platform != "cpu":
        target = on_gpu(b, ON_GPUS.get(name), name)
        attributes |= HYBRID if "hybrid" in target else {}
    else:
        target = f"lapack_{LETTERS[operands[0].dtype.name]}{name}_ffi"
    return called(b, target, operands, outs, stack, **attributes)


def on_gpu(b: Builder, name: str | None, what: str) -> str:
    """The whole name of a function of a GPU's libraries."""
    platform = b.module.platform
    if name is None or platform not in OF_GPUS:
        raise NotImplementedError(
            f"XLA on {platform} has nothing that computes {what}.\nChoose jit's backend 'numba', "
            f"or XLA on the CPU, for the function that needs it."
        )
    return OF_GPUS[platform] + name


def called(
    b: Builder, target: str, operands: Sequence[Value], outs: Sequence[TensorType], stack: int,
    **attributes: Attribute,
) -> list[Value]:  # fmt: skip
    """A call of a function that is registered with XLA: attributes are numbers, flags, words, and
    letters, which are numbers of 8 bits."""
    config = ", ".join(f"{key} = {attribute(x)}" for key, x in attributes.items())
    layouts = [
        ", ".join(layout(len(x.shape), len(x.shape) == stack + 2) for x in group)
        for group in (operands, outs)
    ]
    names = ", ".join(x.name for x in operands)
    found = b.put(
        f"stablehlo.custom_call @{target}({names}) {{api_version = 4 : i32, backend_config = "
        f"{{{config}}}, operand_layouts = [{layouts[0]}], result_layouts = [{layouts[1]}]}} : "
        f"{signature(operands, outs)}", *outs,
    )  # fmt: skip
    return [found] if len(outs) == 1 else found


def attribute(x: Attribute) -> str:
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str) and len(x) > 1:
        return quoted(x)
    return f"{ord(x)} : ui8" if isinstance(x, str) else f"{x} : i32"


def nan_unless_found(b: Builder, info: Value, *xs: Value) -> list[Value]:
    """NaN in place of what LAPACK has not found."""
    found = b.compare("EQ", info, b.full_like(info, 0))
    return [
        b.select(b.broadcast(found, x.shape, range(found.ndim)), x, b.full_like(x, np.nan))
        for x in xs
    ]


def info_of(x: Value) -> TensorType:
    return TensorType(x.shape[:-2], INT32)


def real(x: TensorType) -> TensorType:
    """The type of the parts of complex numbers."""
    return x.of(f"float{4 * x.dtype.itemsize}") if x.dtype.kind == "c" else x


def whole(x: TensorType) -> TensorType:
    """The type of complex numbers with such parts."""
    return x if x.dtype.kind == "c" else x.of(f"complex{16 * x.dtype.itemsize}")


def triangle(b: Builder, x: Value, how: str) -> Value:
    """x, with zeros where a row's number is not `how` (LE, GE) a column's."""
    rows, columns = (b.iota(x.type.of(INT32), x.ndim - d) for d in (2, 1))
    return b.select(b.compare(how, rows, columns), x, b.full_like(x, 0))


def _eye(b: Builder, out: TensorType) -> Value:
    rows, columns = (b.iota(out.of(INT32), out.ndim - d) for d in (2, 1))
    return b.convert(b.compare("EQ", rows, columns), out.dtype)


# Factors.


@rule("cholesky")
def _cholesky(b: Builder, outs: Outs, x: Value) -> Value:
    return b.op("cholesky", x, attributes=", lower = true") if 0 not in x.shape else x


@rule("triangular_solve")
def _triangular_solve(
    b: Builder, outs: Outs, a: Value, c: Value, *, left_side: bool, lower: bool, transpose_a: bool,
    conjugate_a: bool, unit_diagonal: bool,
) -> Value:  # fmt: skip
    if 0 in c.shape:
        return c
    if conjugate_a and not transpose_a and is_complex(a):
        a = pair(b, part(b, "real", a), b.op("negate", part(b, "imag", a)))
    way = ("ADJOINT" if conjugate_a else "TRANSPOSE") if transpose_a else "NO_TRANSPOSE"
    flags = {"left_side": left_side, "lower": lower, "unit_diagonal": unit_diagonal}
    properties = [f"{name} = {'true' if flag else 'false'}" for name, flag in flags.items()]
    properties.append(f"transpose_a = #stablehlo<transpose {way}>")

    def solve(a: Value, c: Value) -> Value:
        [x] = b.generic("triangular_solve", [a, c], [c.type], properties)
        return x

    return in_float32(b, [a, c], solve)


@rule("lu")
def _lu(b: Builder, outs: Outs, x: Value) -> list[Value]:
    """LAPACK counts from 1."""
    if 0 in x.shape:
        return [x, b.full(outs[1], 0), b.iota(outs[2], x.ndim - 2)]
    factors, pivots, _ = routine(b, "getrf", [x], [*outs[:2], info_of(x)], x.ndim - 2)
    pivots = b.op("subtract", pivots, b.full_like(pivots, 1))
    return [factors, pivots, order_of_rows(b, pivots, outs[2])]


@rule("lu_pivots_to_permutation")
def _permutation(b: Builder, outs: Outs, pivots: Value, *, permutation_size: int) -> Value:
    return order_of_rows(b, pivots, outs[0])


def order_of_rows(b: Builder, pivots: Value, out: TensorType) -> Value:
    """The order of rows after exchanges, one after the other. One with a row that is not there
    reads the last one, and writes nothing."""
    axis = out.ndim - 1
    lead, size = out.shape[:-1], out.shape[-1]
    index = b.iota(out, axis)
    if 0 in out.shape:
        return index
    zero = b.constant(0, INT32)

    def exchange(i: Value, order: Value) -> list[Value]:
        there = b.dynamic_slice(pivots, [*[zero] * axis, i], (*lead, 1))
        place = [*[zero] * axis, i]
        here = b.dynamic_slice(order, place, (*lead, 1))
        dims = range(out.ndim)
        is_read = b.compare(
            "EQ", index, b.broadcast(b.op("minimum", there, b.full_like(there, size - 1)),
                                     out.shape, dims))  # fmt: skip
        read = b.reduce("add", b.select(is_read, order, b.full(out, 0)), 0, [axis])
        is_written = b.compare("EQ", index, b.broadcast(there, out.shape, dims))
        order = b.select(is_written, b.broadcast(here, out.shape, dims), order)
        return [b.dynamic_update_slice(order, b.reshape(read, (*lead, 1)), place)]

    return b.counted_loop(pivots.shape[-1], [index], exchange)[0]


@rule("geqrf")
def _geqrf(b: Builder, outs: Outs, x: Value) -> list[Value]:
    if 0 in x.shape:
        return [x, b.full(outs[1], 0)]
    return routine(b, "geqrf", [x], outs, x.ndim - 2)


@rule("householder_product")
def _householder_product(b: Builder, outs: Outs, a: Value, taus: Value) -> Value:
    if 0 in a.shape:
        return a
    name = "ungqr" if is_complex(a) else "orgqr"
    return routine(b, name, [a, taus], outs, a.ndim - 2)[0]


@rule("qr")
def _qr(
    b: Builder, outs: Outs, x: Value, *, pivoting: bool, full_matrices: bool, use_magma: Any
) -> list[Value]:
    q_type, r_type = outs[:2]
    stack, (rows, columns) = x.ndim - 2, x.shape[-2:]
    order: list[Value] = []
    if 0 in x.shape:
        order = [b.iota(out, stack) for out in outs[2:]]
        return [_eye(b, q_type), b.full(r_type, 0), *order]
    taus_type = x.type.shaped((*x.shape[:-2], min(rows, columns)))
    if pivoting:
        free = b.full(outs[2], 0)
        vectors, places, taus = routine(
            b, "geqp3", [x, free], [x.type, outs[2], taus_type], stack
        )
        order = [b.op("subtract", places, b.full_like(places, 1))]
    else:
        vectors, taus = routine(b, "geqrf", [x], [x.type, taus_type], stack)
    k = q_type.shape[-1]
    reflections = b.index(vectors, stack + 1, 0, min(k, columns))
    if k > columns:
        edges = [(0, 0, 0)] * (stack + 1) + [(0, k - columns, 0)]
        reflections = b.pad(reflections, b.constant(0, x.dtype), edges)
    q = _householder_product(b, [q_type], reflections, taus)
    r = triangle(b, b.index(vectors, stack, 0, r_type.shape[-2]), "LE")
    return [q, r, *order]


@rule("ormqr")
def _ormqr(
    b: Builder, outs: Outs, a: Value, taus: Value, c: Value, *, left: bool, transpose: bool
) -> Value:
    k = min(taus.shape[-1], *a.shape[-2:])
    if not k or 0 in c.shape:
        return c
    stack, name = a.ndim - 2, "unmqr" if is_complex(a) else "ormqr"
    operands = [b.index(a, stack + 1, 0, k), b.index(taus, stack, 0, k), c]
    return routine(b, name, operands, outs, stack, left=left, transpose=transpose)[0]


# Eigenvalues and singular values.


@rule("eigh")
def _eigh(
    b: Builder, outs: Outs, x: Value, *, lower: bool, sort_eigenvalues: bool, subset_by_index: Any,
    algorithm: Any,
) -> list[Value]:  # fmt: skip
    refuse_subset("lax.linalg.eigh", subset_by_index, (0, x.shape[-1]), "eigenvalues")
    if 0 in x.shape:
        return [x, b.full(outs[1], 0)]
    name = "heevd" if is_complex(x) else "syevd"
    uplo = "L" if lower else "U"
    *found, info = routine(b, name, [x], [*outs, info_of(x)], x.ndim - 2, mode="V", uplo=uplo)
    return nan_unless_found(b, info, *found)


@rule("svd")
def _svd(
    b: Builder, outs: Outs, x: Value, *, full_matrices: bool, compute_uv: bool,
    subset_by_index: Any, algorithm: Any,
) -> list[Value]:  # fmt: skip
    stack, (rows, columns) = x.ndim - 2, x.shape[-2:]
    refuse_subset("lax.linalg.svd", subset_by_index, (0, min(rows, columns)), "singular values")
    if 0 in x.shape:
        return [b.full(outs[0], 0), *(_eye(b, out) for out in outs[1:])]
    lead, k = x.shape[:-2], min(rows, columns)
    u = x.type.shaped((*lead, rows, rows if full_matrices else k))
    vh = x.type.shaped((*lead, columns if full_matrices else k, columns))
    name = "gesvd" if getattr(algorithm, "name", "") == "QR" else "gesdd"
    mode = ("A" if full_matrices else "S") if compute_uv else "N"
    types = [x.type, outs[0], u, vh, info_of(x)]
    _, *found, info = routine(b, name, [x], types, stack, mode=mode)
    return nan_unless_found(b, info, *found[: len(outs)])


def refuse_subset(name: str, subset: Any, whole: tuple, what: str) -> None:
    if subset not in (None, whole):
        raise NotImplementedError(
            f"{name} finds all {what} where StableHLO says it. Leave subset_by_index out."
        )


@rule("eig")
def _eig(
    b: Builder, outs: Outs, x: Value, *, compute_left_eigenvectors: bool,
    compute_right_eigenvectors: bool, enable_eigvec_derivs: bool, implementation: Any,
) -> list[Value]:  # fmt: skip
    if 0 in x.shape:
        return [b.full(out, 0) for out in outs]
    vectors, values = whole(x.type), outs[0]
    parts = [values] if is_complex(x) else [real(values)] * 2
    flags = compute_left_eigenvectors, compute_right_eigenvectors
    left, right = ("V" if flag else "N" for flag in flags)
    *found, left_vectors, right_vectors, info = routine(
        b, "geev", [x], [*parts, vectors, vectors, info_of(x)], x.ndim - 2, compute_left=left,
        compute_right=right,
    )  # fmt: skip
    found = found if is_complex(x) else [pair(b, *found)]
    both = zip((left_vectors, right_vectors), flags, strict=True)
    return nan_unless_found(b, info, *found, *(v for v, is_wanted in both if is_wanted))


@rule("schur")
def _schur(
    b: Builder, outs: Outs, x: Value, *, compute_schur_vectors: bool, sort_eig_vals: bool,
    select_callable: Any,
) -> list[Value]:  # fmt: skip
    if sort_eig_vals:
        raise NotImplementedError(
            "lax.linalg.schur does not sort eigenvalues. Leave sort_eig_vals out."
        )
    if 0 in x.shape:
        return [x] * len(outs)
    values = x.type.shaped(x.shape[:-1])
    parts = [values] if is_complex(x) else [values] * 2
    mode = "V" if compute_schur_vectors else "N"
    form, vectors, *_, info = routine(
        b, "gees", [x], [x.type, x.type, *parts, info_of(x), info_of(x)], x.ndim - 2, mode=mode,
        sort="N",
    )  # fmt: skip
    return nan_unless_found(b, info, form, vectors)[: len(outs)]


@rule("hessenberg")
def _hessenberg(b: Builder, outs: Outs, x: Value) -> list[Value]:
    n = x.shape[-1]
    if 0 in x.shape:
        return [x, b.full(outs[1], 0)]
    *found, info = routine(b, "gehrd", [x], [*outs, info_of(x)], x.ndim - 2, low=1, high=n)
    return nan_unless_found(b, info, *found)


@rule("tridiagonal")
def _tridiagonal(b: Builder, outs: Outs, x: Value, *, lower: bool) -> list[Value]:
    if 0 in x.shape:
        return [x, *(b.full(out, 0) for out in outs[1:])]
    name = "hetrd" if is_complex(x) else "sytrd"
    uplo = "L" if lower else "U"
    *found, info = routine(b, name, [x], [*outs, info_of(x)], x.ndim - 2, uplo=uplo)
    return nan_unless_found(b, info, *found)


@rule("tridiagonal_solve")
def _tridiagonal_solve(
    b: Builder, outs: Outs, low: Value, diagonal: Value, up: Value, c: Value, *,
    perturb_singular: bool,
) -> Value:  # fmt: skip
    if 0 in c.shape:
        return c
    stack, operands = c.ndim - 2, [low, diagonal, up, c]
    if perturb_singular:
        return called(b, "tridiagonal_solve_perturbed_ffi", operands, [c.type], stack)[0]
    types = [*(y.type for y in operands), info_of(c)]
    *_, x, info = routine(b, "gtsv", operands, types, stack)
    return nan_unless_found(b, info, x)[0]
