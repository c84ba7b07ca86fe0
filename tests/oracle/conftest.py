"""The oracle runs where JAX is installed (`make oracle`), and is left out where it is not.

Asked for by name without JAX, pytest then finds no test, which it reports as a failure.
"""

import importlib.util

collect_ignore_glob = ["test_*.py"] if importlib.util.find_spec("jax") is None else []
