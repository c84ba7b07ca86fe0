"""Notes all that is bound, as the chapter's CountTrace counts it: constants and waste included."""

from minijax.core.tracing import Trace, new_trace, trace_ctx


class LogTrace(Trace):
    def __init__(self, parent):
        self.parent, self.names = parent, []

    def process_primitive(self, primitive, args, params):
        self.names.append(str(primitive))
        return primitive.bind(*args, **params)


def slice_of(fun, *args):
    with new_trace(LogTrace(trace_ctx.trace)) as trace:
        value = fun(*args)
    return value, trace.names
