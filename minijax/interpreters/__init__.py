"""The tables of rules, by the interpreter that reads them, under JAX's names."""

from minijax.face.lazily import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, {
    "minijax.interpreters.ad": "", "minijax.interpreters.batching": "",
    "minijax.interpreters.partial_eval": "",
})  # fmt: skip
