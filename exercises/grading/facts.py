"""Facts: what an expression comes to, as data that JSON holds and that two sides can compare.

A *case* is source text: statements, then an expression. A *fact* is its value as data, or the names
of the classes of the exception that it raised. The oracle compares minijax with JAX by facts, the
exercises a student's code with the reference.
"""

import ast
import math
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Fact = dict[str, Any]

# For floats that two implementations may round differently: |a - b| <= absolute + relative * |b|.
# Everything that is not a float is compared exactly.
TOLERANCES = {
    "bfloat16": (2e-2, 1e-2),
    "float16": (3e-3, 2e-3),
    "float32": (5e-6, 1e-6),
    "float64": (1e-12, 1e-13),
    "complex64": (1e-5, 2e-6),
    "complex128": (1e-12, 1e-13),
}


def evaluate(source: str, names: dict[str, Any]) -> Any:
    """Runs a case's text in the given namespace and return its last expression's value."""
    body = ast.parse(source).body
    last = body.pop()
    if not isinstance(last, ast.Expr):
        raise ValueError(f"a case must end in an expression: {source!r}")
    exec(compile(ast.Module(body, type_ignores=[]), "<case>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<case>", "eval"), names)


def evaluated(
    source: str, names: dict[str, Any], error_facts: Callable = lambda error: {},
    warning_facts: Callable = lambda caught: {},
) -> Fact:  # fmt: skip
    """The fact that a case comes to. `error_facts` adds to what is kept of an exception, and
    `warning_facts` to what is kept of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fact = describe(evaluate(source, names), names["jax"])
        except Exception as error:
            # The message is for people: not compared, and not recorded.
            message = "".join(traceback.format_exception_only(error)).strip()
            fact = {"raises": lineage(type(error)), "message": message, **error_facts(error)}
    categories = sorted({warning.category.__name__ for warning in caught})
    return {**fact, "warns": categories, **warning_facts(caught)} if categories else fact


def raised(function: Any, *args: Any, **kwargs: Any) -> list[str]:
    """For a case that tries several calls: the exception of one of them, as `lineage` has it."""
    try:
        function(*args, **kwargs)
    except Exception as error:
        return lineage(type(error))
    return []


def lineage(error: type[BaseException]) -> list[str]:
    """The names of an exception's class and its public bases, down to the first built-in one."""
    names = []
    for base in error.__mro__:
        if not base.__name__.startswith("_"):
            names.append(base.__name__)
        if base.__module__ == "builtins":
            break
    return names


def describe(value: Any, jax: Any) -> Fact:
    """A value as a fact: its kind, and whatever of it must be the same under both libraries."""
    if isinstance(value, jax.core.Tracer):
        return {"kind": "tracer", "repr": repr(value)}
    if isinstance(value, jax.Array) and jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        return {**describe(jax.random.key_data(value), jax), "kind": "keys", "repr": repr(value)}
    if isinstance(value, jax.Array):
        described = describe_numpy(np.asarray(value))
        return {**described, "kind": "array", "weak": bool(value.weak_type), "repr": repr(value)}
    # JAX has subclasses of its own of NumPy's array and of Python's numbers; what counts is that
    # it gives such a thing, and not an array of JAX's.
    if isinstance(value, np.generic):
        return {**describe_numpy(np.asarray(value)), "kind": type(value).__name__}
    if isinstance(value, np.ndarray):
        return {**describe_numpy(value), "kind": "ndarray"}
    if value is None or isinstance(value, (bool, str)):
        return {"kind": type(value).__name__, "value": value}
    if isinstance(value, int):
        return {"kind": "int", "value": int(value)}
    if isinstance(value, (float, complex)):
        kind = "float" if isinstance(value, float) else "complex"
        return {"kind": kind, "values": [number(value)]}
    if isinstance(value, (tuple, list)):
        return {"kind": type(value).__name__, "items": [describe(item, jax) for item in value]}
    if isinstance(value, dict):
        items = {repr(key): describe(item, jax) for key, item in value.items()}
        return {"kind": type(value).__name__, "items": items}
    if hasattr(value, "eqns"):
        use_python_integers(value)
        return {"kind": "jaxpr", "text": str(value)}
    return {"kind": type(value).__name__, "repr": repr(value)}


def use_python_integers(jaxpr: Any) -> None:
    """Turn the NumPy integers among a jaxpr's parameters into Python's, in place.

    Some of JAX's batching rules leave them there, and `axes=(np.int64(1),)` is what then prints.
    The number is a fact of JAX's; which library counted it is none.
    """

    def converted(value: Any) -> Any:
        if isinstance(value, np.integer):
            return int(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(converted, value))
        if type(value) in (tuple, list):
            return type(value)(map(converted, value))
        if hasattr(value, "_fields"):
            return type(value)(*map(converted, value))
        if hasattr(value, "eqns"):
            use_python_integers(value)
        return value

    for eqn in jaxpr.eqns:
        for name, value in list(eqn.params.items()):
            eqn.params[name] = converted(value)


def describe_numpy(array: np.ndarray) -> Fact:
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "values": [number(item) for item in array.reshape(-1)],
    }


def number(value: Any) -> int | float | str | list:
    """A number as JSON holds it without loss: a complex one as a pair, nan and infinity as text."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (complex, np.complexfloating)):
        return [number(float(value.real)), number(float(value.imag))]
    if isinstance(value, (int, np.integer)):
        return int(value)
    if np.dtype(type(value)).kind == "V" and np.dtype(type(value)).itemsize == 0:
        return str(value)  # float0
    real = float(value)
    return real if math.isfinite(real) else str(real)


def difference(got: Fact, expected: Fact, place: str = "result") -> str | None:
    """Where two facts differ, in words, or None. Floats compare with their dtype's tolerance."""
    if not isinstance(expected, dict):
        return None if got == expected else f"{place}: {got!r}, expected {expected!r}"
    compared = got.keys() - {"message"}
    if compared != expected.keys() - {"message"}:
        return f"{place}: {summary(got)}, expected {summary(expected)}"
    found = []
    for key in sorted(compared):
        if key == "items":
            found.append(items_difference(got[key], expected[key], place))
        elif key == "values":
            found.append(values_difference(got, expected, place))
        elif key == "repr" and got.get("values") != expected.get("values"):
            continue  # the same values print the same; others were compared by their tolerance
        elif got[key] != expected[key]:
            found.append(f"{place}.{key}: {shown(got[key])}, expected {shown(expected[key])}")
    return "\n".join(filter(None, found)) or None


def summary(fact: Fact) -> str:
    if "raises" in fact:
        return f"an exception {fact['raises']} ({fact.get('message', 'message not kept')})"
    about = (f"{key} {fact[key]}" for key in ("kind", "dtype", "shape", "warns") if key in fact)
    return f"{', '.join(about)}: {shortly(fact)}"


def shown(value: Any) -> str:
    return f"\n{value}\n" if isinstance(value, str) and "\n" in value else repr(value)


def items_difference(got: Any, expected: Any, place: str) -> str | None:
    if isinstance(expected, dict):
        if list(got) != list(expected):
            return f"{place}: keys {list(got)}, expected {list(expected)}"
        pairs = [(key, got[key], expected[key]) for key in expected]
    else:
        if len(got) != len(expected):
            return f"{place}: {len(got)} items, expected {len(expected)}"
        pairs = [(i, a, b) for i, (a, b) in enumerate(zip(got, expected, strict=True))]
    found = [difference(a, b, f"{place}[{key}]") for key, a, b in pairs]
    return "\n".join(filter(None, found)) or None


def values_difference(got: Fact, expected: Fact, place: str) -> str | None:
    if got["values"] == expected["values"]:
        return None
    same_layout = all(got.get(key) == expected.get(key) for key in ("kind", "dtype", "shape"))
    dtype = expected.get("dtype", "float32")
    if same_layout and dtype in TOLERANCES:
        with np.errstate(all="ignore"):
            if close(got["values"], expected["values"], *TOLERANCES[dtype]):
                return None
    return f"{place}.values: {got['values']}, expected {expected['values']}"


def close(got: list, expected: list, relative: float, absolute: float) -> bool:
    a, b = (np.array(values, "float64") for values in (got, expected))
    return a.shape == b.shape and np.allclose(a, b, rtol=relative, atol=absolute, equal_nan=True)


def shortly(fact: Fact) -> str:
    """A fact in a line or so, as Python would print the value."""
    if "raises" in fact:
        return fact["raises"][0]
    if "repr" in fact:
        return fact["repr"]
    if "text" in fact:
        return fact["text"]
    if "items" in fact and isinstance(fact["items"], dict):
        return "{" + ", ".join(f"{k}: {shortly(x)}" for k, x in fact["items"].items()) + "}"
    if "items" in fact:
        inside = ", ".join(map(shortly, fact["items"]))
        if fact["kind"] == "list":
            return f"[{inside}]"
        return f"({inside},)" if len(fact["items"]) == 1 else f"({inside})"
    if "shape" in fact:
        return str(np.array(fact["values"]).reshape(fact["shape"]).tolist())
    return repr(fact["values"][0] if "values" in fact else fact.get("value"))
