"""minijax beside JAX: what each takes for the same program, as a ratio.

A workload is a function of a library, `jax` or `minijax`, and of a size; it returns a function and
its arguments. So each program is written once, and both libraries run it.
"""
