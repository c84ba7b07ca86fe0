"""`python -m minijax SCRIPT.py`: runs a script that was written for JAX, as it is."""

import sys

from minijax.runtime_as_jax import main

sys.exit(main(sys.argv[1:]))
