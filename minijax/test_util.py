"""Derivatives, checked against the difference that a small step makes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minijax.core.dtypes import bfloat16, float0
from minijax.core.forward import jvp
from minijax.core.linearization import linearize
from minijax.core.pytrees import tree_flatten, tree_leaves, tree_map
from minijax.core.reverse import vjp
from minijax.core.tracing import typeof
from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names

__all__ = ["check_grads", "check_jvp", "check_vjp"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

EPS = 1e-4
_TOLERANCES = {
    np.dtype(dtype): tolerance
    for dtype, tolerance in [
        (bfloat16, 1e-1), (np.float16, 1e-2), (np.float32, 2e-3), (np.float64, 1e-5),
        (np.complex64, 1e-3), (np.complex128, 1e-5),
    ]
}  # fmt: skip


def _tolerance(given: Any, dtypes: Sequence[Any]) -> float:
    """What is given, as a number or by dtype, or else the default; integers must be equal."""
    if given is not None and not isinstance(given, dict):
        return given
    table = {**_TOLERANCES, **{np.dtype(key): value for key, value in (given or {}).items()}}
    return max(table.get(dtype, 0) for dtype in dtypes)


def _check_close(
    xs: Any, ys: Any, atol: Any = None, rtol: Any = None, err_msg: str = ""
) -> None:  # fmt: skip
    leaves, tree = tree_flatten(xs)
    others, other_tree = tree_flatten(ys)
    if tree != other_tree:
        raise ValueError(
            f"check_grads got {tree} and {other_tree} as {err_msg}. Compare results of one "
            f"structure."
        )
    for x, y in zip(map(np.asarray, leaves), map(np.asarray, others), strict=True):
        if x.shape != y.shape:
            raise AssertionError(
                f"check_grads got the shapes {x.shape} and {y.shape} as {err_msg}. Compare results "
                f"of one shape."
            )
        dtypes = [x.dtype, y.dtype]
        if float0 not in dtypes:
            x, y = (a.astype(np.float32) if a.dtype == bfloat16 else a for a in (x, y))
            limits = {
                name: _tolerance(given, dtypes) * x.size
                for name, given in (("atol", atol), ("rtol", rtol))
            }
            np.testing.assert_allclose(x, y, err_msg=err_msg, **limits)


def _random_like(rng: Any, x: Any) -> Any:
    aval = typeof(x)
    numbers = np.asarray(rng.randn(*aval.shape))
    if np.issubdtype(aval.dtype, np.complexfloating):
        numbers = numbers + 1j * rng.randn(*aval.shape)
    if aval.to_tangent_aval().dtype == float0:
        return np.zeros(aval.shape, float0)
    return numbers.astype(aval.dtype)


def _step(x: Any, t: Any, size: float) -> Any:
    x = np.asarray(x, typeof(x).dtype)
    return x if t.dtype == float0 else (x + t * size).astype(x.dtype)


def _difference(f: Callable, args: tuple, tangents: tuple, eps: float) -> Any:
    """The derivative in a direction, from one step forwards and one backwards."""
    ahead, behind = (f(*tree_map(partial(_step, size=s), args, tangents)) for s in (eps, -eps))

    def quotient(x: Any, y: Any) -> Any:
        x, y = np.asarray(x), np.asarray(y)
        if typeof(x).to_tangent_aval().dtype == float0:
            return np.zeros(x.shape, float0)
        gap = np.where(x == y, 0, x - y)  # infinity stays where it is
        return (gap * (0.5 / eps)).astype(x.dtype)

    return tree_map(quotient, ahead, behind)


def check_jvp(
    f: Callable, f_jvp: Callable, args: tuple, atol: Any = None, rtol: Any = None,
    eps: float = EPS, err_msg: str = "",
) -> None:  # fmt: skip
    """AssertionError unless f_jvp(args, tangents) is the derivative of f, in a random direction.

    `f_jvp` is partial(jax.jvp, f). Tolerances are numbers, or dicts by dtype; `eps` is the step.

    >>> check_jvp(np.sin, lambda x, t: (np.sin(*x), np.cos(*x) * t[0]), (np.float64(1.0),))
    """
    args = tuple(args)
    tangents = tree_map(partial(_random_like, np.random.RandomState(0)), args)
    out, out_dot = f_jvp(args, tangents)
    what = f"{err_msg} " if err_msg else ""
    _check_close(out, f(*args), atol, rtol, f"{what}primal")
    expected = _difference(f, args, tangents, eps)
    _check_close(out_dot, expected, atol, rtol, f"{what}tangent")


def _inner(xs: Any, ys: Any) -> Any:
    pairs = [
        (np.asarray(x), np.asarray(y))
        for x, y in zip(tree_leaves(xs), tree_leaves(ys), strict=True)
    ]
    return sum(
        np.real(np.vdot(x, y)) for x, y in pairs if float0 not in (x.dtype, y.dtype)
    )


def check_vjp(
    f: Callable, f_vjp: Callable, args: tuple, atol: Any = None, rtol: Any = None,
    eps: float = EPS, err_msg: str = "",
) -> None:  # fmt: skip
    """AssertionError unless f_vjp(*args) gives f's value, and the way back of f's derivative.

    `f_vjp` is partial(jax.vjp, f). For a random direction t and cotangent c, the product of c with
    the derivative along t must be that of t with what c comes to. The rest is as in `check_jvp`.
    """
    args, rng = tuple(args), np.random.RandomState(0)
    draw, what = partial(_random_like, rng), f"{err_msg} " if err_msg else ""
    out, pull = f_vjp(*args)
    _check_close(out, f(*args), atol, rtol, f"{what}primal")
    tangents = tree_map(draw, args)
    expected = _difference(f, args, tangents, eps)
    ct = tree_map(draw, out)
    conjugate = partial(tree_map, lambda x: x if x.dtype == float0 else np.conj(np.asarray(x)))
    ct_in = conjugate(tree_map(np.asarray, pull(conjugate(ct))))
    _check_close(
        _inner(tangents, ct_in), _inner(expected, ct), atol, rtol, f"{what}cotangent projection"
    )


def check_grads(
    f: Callable, args: Sequence[Any], order: int, modes: Sequence[str] = ("fwd", "rev"),
    atol: Any = None, rtol: Any = None, eps: float | None = None,
) -> None:  # fmt: skip
    """AssertionError unless f's derivatives up to `order` are what small steps say.

    `modes` are "fwd" (jvp), "rev" (vjp) and "lin" (linearize), each checked at every order in one
    random direction. The step is `eps`: with float32, 1e-2 is often needed.

    >>> from minijax import numpy as jnp
    >>> check_grads(jnp.sin, (1.0,), order=2, eps=1e-2)
    """
    compare = {"atol": atol, "rtol": rtol, "eps": eps or EPS}
    _check_orders(f, tuple(args), order, modes, compare, "")


def _check_orders(
    f: Callable, args: tuple, order: int, modes: Sequence[str], compare: dict, before: str
) -> None:
    for mode in ("fwd", "rev", "lin"):
        if mode not in modes:
            continue
        message = {"fwd": "JVP", "rev": "VJP", "lin": "LIN"}[mode]
        message = f"{message} of {before}" if before else message
        if mode == "rev":
            check_vjp(f, partial(vjp, f), args, err_msg=message, **compare)
            further, further_args = partial(_pulled_back, f), args
        else:
            f_jvp = partial(jvp if mode == "fwd" else _linearized, f)
            check_jvp(f, f_jvp, args, err_msg=message, **compare)
            further, further_args = f_jvp, (args, args)
        if order > 1:
            _check_orders(further, further_args, order - 1, modes, compare, message)


def _pulled_back(f: Callable, *args: Any) -> Any:
    out, pull = vjp(f, *args)
    return pull(out)


def _linearized(f: Callable, primals: tuple, tangents: tuple) -> tuple:
    out, f_linear = linearize(f, *primals)
    return out, f_linear(*tangents)


guard(sys.modules[__name__])
