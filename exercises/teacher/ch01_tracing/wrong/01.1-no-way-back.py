"""The trace is put back in charge only where all went well: after an error its parent still is."""

from minijax.core.tracing import eval_trace, trace_ctx, unknown_parameters, user_source


class Primitive:
    def bind(self, *args, **params):
        if params and self.parameters is not None and not self.parameters.issuperset(params):
            raise unknown_parameters(self, params)
        trace, source = trace_ctx.trace, trace_ctx.source
        if trace is eval_trace:
            return trace.process_primitive(self, args, params)
        trace.primitive = self
        trace_ctx.trace, trace_ctx.source = trace.parent or eval_trace, source or user_source()
        out = trace.process_primitive(self, args, params)
        trace_ctx.trace, trace_ctx.source = trace, source
        return out
