"""Minima by the method of Broyden, Fletcher, Goldfarb and Shanno: downhill, with what the gradients
on the way say of the curvature. (Nocedal and Wright, Numerical optimization, 6.1.)"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from minijax import lax, numpy
from minijax.core.dtypes import issubdtype
from minijax.core.reverse import value_and_grad
from minijax.lax.elementwise.arithmetic import shown
from minijax.numpy.arguments import check_arraylike
from minijax.scipy.optimize.line_search import line_search


class OptimizeResults(NamedTuple):
    """Where a minimum was found, and how.

    `status` is 0 for success, 1 where `maxiter` was reached, 3 where no step led further down.
    """

    x: Any
    success: Any
    status: Any
    fun: Any
    jac: Any
    hess_inv: Any
    nfev: Any
    njev: Any
    nit: Any


def minimize(
    fun: Callable, x0: Any, args: tuple = (), *, method: str, tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:  # fmt: skip
    """Where fun(x, *args), a number, is smallest, looked for from the vector `x0` on.

    `method` is "BFGS", the only one. `options` may have `gtol`, the largest size of the gradient
    that counts as 0 (`tol`, or 1e-5), by the norm `norm` (the largest number); `maxiter`; and
    `line_search_maxiter`. It can be jitted and mapped. TypeError and ValueError for what doesn't
    fit.

    >>> result = minimize(lambda x: numpy.sum((x - 3) ** 2), np.zeros(2), method="BFGS")
    >>> numpy.round(result.x, 4)
    Array([3., 3.], dtype=float32)
    """
    name = "scipy.optimize.minimize"
    if not isinstance(args, tuple):
        raise TypeError(f"{name} takes a tuple as args, and got {shown(args)}. Put it into one.")
    if not isinstance(method, str) or method.lower() != "bfgs":
        raise ValueError(f"{name} knows no method {shown(method)}. Give 'BFGS'.")
    given = dict(options or {})
    unknown = given.keys() - {"gtol", "maxiter", "norm", "line_search_maxiter"}
    if unknown:
        raise TypeError(f"{name} has no option {shown(min(unknown))}. Leave it out.")
    check_arraylike(name, x0)
    x0 = numpy.asarray(x0)
    if x0.ndim != 1 or not issubdtype(x0.dtype, np.floating):
        raise TypeError(f"{name} takes a vector of floats as x0, and got {x0.aval}. Give one.")
    given.setdefault("gtol", 1e-5 if tol is None else tol)
    return _bfgs(lambda x: fun(x, *args), lax.convert_element_type(x0, x0.dtype), **given)


class _State(NamedTuple):
    x: Any
    fun: Any
    jac: Any
    hess_inv: Any
    calls: Any
    steps: Any
    converged: Any
    failed: Any
    before: Any  # the function's value a step ago


def _size(x: Any, norm: float) -> Any:
    if norm == np.inf:
        return numpy.max(numpy.abs(x))
    return numpy.sum(numpy.abs(x) ** norm) ** (1 / norm)


def _bfgs(
    fun: Callable, x0: Any, gtol: Any = 1e-5, maxiter: int | None = None, norm: float = np.inf,
    line_search_maxiter: int = 10,
) -> OptimizeResults:  # fmt: skip
    maxiter = 200 * x0.size if maxiter is None else maxiter
    both = value_and_grad(fun)

    def goes_on(state: _State) -> Any:
        return ~state.converged & ~state.failed & (state.steps < maxiter)

    def step(state: _State) -> _State:
        direction = -numpy.matmul(state.hess_inv, state.jac)
        found = line_search(
            both, state.x, direction, state.fun, state.jac, state.before, line_search_maxiter
        )
        moved, bent = found.x - state.x, found.jac - state.jac
        failed = found.failed | ~numpy.isfinite(found.fun) | numpy.any(~numpy.isfinite(found.jac))
        return _State(
            x=numpy.where(failed, state.x, found.x),
            fun=numpy.where(failed, state.fun, found.fun),
            jac=numpy.where(failed, state.jac, found.jac),
            hess_inv=numpy.where(failed, state.hess_inv, _updated(state.hess_inv, moved, bent)),
            calls=state.calls + found.calls,
            steps=state.steps + 1,
            converged=~failed & (_size(found.jac, norm) < gtol),
            failed=failed,
            before=state.fun,
        )

    value, slope = both(x0)
    start = _State(
        x=x0, fun=value, jac=slope, hess_inv=numpy.eye(x0.size, dtype=x0.dtype),
        calls=1, steps=0, converged=_size(slope, norm) < gtol,
        failed=~numpy.isfinite(value), before=value + _size(slope, 2) / 2,
    )  # fmt: skip
    end = lax.while_loop(goes_on, step, start)
    status = numpy.where(end.converged, 0, numpy.where(end.failed, 3, 1))
    return OptimizeResults(
        end.x, end.converged, status, end.fun, end.jac, end.hess_inv, end.calls, end.calls,
        end.steps,
    )  # fmt: skip


def _updated(inverse: Any, moved: Any, bent: Any) -> Any:
    """The inverse Hessian with which `bent`, the change of the gradient, has led to `moved`."""
    product = numpy.sum(moved * bent)
    is_convex = product > 0
    rho = 1 / numpy.where(is_convex, product, 1)
    turn = numpy.eye(moved.size, dtype=moved.dtype) - rho * numpy.outer(moved, bent)
    new = numpy.matmul(numpy.matmul(turn, inverse), turn.T) + rho * numpy.outer(moved, moved)
    return numpy.where(is_convex, new, inverse)
