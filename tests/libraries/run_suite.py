"""`python -m minijax run_suite.py ARGUMENTS`: pytest, where `import jax` finds minijax."""

import sys

import pytest

sys.exit(pytest.main(sys.argv[1:]))
