"""Programs: the trace that writes them, and what is left out of one where nobody uses it."""

from minijax.core.staging import DynamicJaxprTracer, dce_jaxpr, dce_rules
from minijax.face.planned import missing_names, shown_names

__all__ = ["DynamicJaxprTracer", "dce_jaxpr", "dce_rules"]
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)
