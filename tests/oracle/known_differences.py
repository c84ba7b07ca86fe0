"""Cases in which minijax knowingly differs from JAX, each with the reason.

A case listed here must differ: one that has come to agree fails, and is to be taken off the list.
"""

KNOWN_DIFFERENCES: dict[str, str] = {}
