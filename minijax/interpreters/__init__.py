"""The tables of rules, by the interpreter that reads them, under JAX's names."""

from minijax.interpreters import ad, batching, partial_eval
from minijax.planned import missing_names

__all__ = ["ad", "batching", "partial_eval"]
__getattr__ = missing_names(__name__)
