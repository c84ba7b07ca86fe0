"""Checks within programs, under the names of `jax.experimental.checkify`."""

import sys

from minijax.face.boundaries import guard
from minijax.face.planned import missing_names, shown_names
from minijax.lax.outside.checked_programs import (
    ErrorCategory,
    all_checks,
    automatic_checks,
    checkify,
    div_checks,
    float_checks,
    index_checks,
    nan_checks,
    user_checks,
)
from minijax.lax.outside.checks import check, check_error, debug_check
from minijax.lax.outside.error_values import Error, init_error
from minijax.lax.outside.findings import JaxRuntimeError

__all__ = [
    "Error", "ErrorCategory", "JaxRuntimeError", "all_checks", "automatic_checks", "check",
    "check_error", "checkify", "debug_check", "div_checks", "float_checks", "index_checks",
    "init_error", "nan_checks", "user_checks",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)

guard(sys.modules[__name__], Error)
