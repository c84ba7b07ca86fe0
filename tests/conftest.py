"""Every test runs with the machine's own checks on: what each rule gives, and each jaxpr."""

import minijax

minijax.config.update("jax_enable_checks", True)
