"""Run a case under JAX or minijax and write down what came out, as JSON can hold it.

A case (exercises/grading/facts.py) runs in a namespace that holds one of the two libraries under
JAX's names (`jax`, `jnp`, `lax`, ...), and so reads the same under both.
"""

import collections
import copy
import dataclasses
import functools
import importlib
import math
import operator
import types
import typing
import warnings
from typing import Any

import ml_dtypes
import numpy as np

from exercises.grading.facts import Fact, describe, difference, evaluate, evaluated, lineage, raised

from .cases import TOPICS

__all__ = ["describe", "difference", "evaluate", "lineage", "namespace", "raised", "run"]

DEVICES = 8  # on which the facts of either library are found


DEVICES = 8  # on which the facts of either library are found


def namespace(package: str) -> dict[str, Any]:
    """The names that a case may use, from the package `jax` or `minijax`."""

    def module(name: str) -> Any:
        return importlib.import_module(f"{package}.{name}")

    return {
        "__name__": "case",
        "jax": importlib.import_module(package),
        "jnp": module("numpy"),
        "lax": module("lax"),
        "random": module("random"),
        "tree_util": module("tree_util"),
        "np": np,
        "collections": collections,
        "dataclasses": dataclasses,
        "copy": copy,
        "functools": functools,
        "math": math,
        "ml_dtypes": ml_dtypes,
        "operator": operator,
        "typing": typing,
        "warnings": warnings,
        "raised": raised,
    }


def run(topic: str, case: str, package: str) -> Fact:
    """The fact that a topic's case comes to under the package `jax` or `minijax`."""
    names = namespace(package)
    exec(compiled(TOPICS[topic].setup), names)
    return evaluated(case, names)


@functools.cache
def compiled(setup: str) -> types.CodeType:
    return compile(setup, "<case>", "exec")
