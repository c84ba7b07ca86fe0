"""Every test runs with the machine's own checks on: what each rule gives, and each jaxpr.

Messages keep their sentences on one line: tests match parts of these.
"""

import sys

import minijax
from minijax.core import errors

minijax.config.update("jax_enable_checks", True)
errors.WIDTH = sys.maxsize
