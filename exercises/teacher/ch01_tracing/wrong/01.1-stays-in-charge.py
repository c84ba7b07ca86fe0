"""The trace stays in charge while it works: what it binds is asked of itself, without end."""

from minijax.core.tracing import trace_ctx, unknown_parameters


class Primitive:
    def bind(self, *args, **params):
        if params and self.parameters is not None and not self.parameters.issuperset(params):
            raise unknown_parameters(self, params)
        trace_ctx.trace.primitive = self
        return trace_ctx.trace.process_primitive(self, args, params)
