"""Boxes hold lists, which are added: an operation to which two ways lead is named twice."""

from minijax.core.tracing import Trace, Tracer, new_trace, trace_ctx, typeof, unzip2


class SliceTracer(Tracer):
    def __init__(self, trace, value, names):
        super().__init__(trace)
        self.value, self.names = value, names

    aval = property(lambda self: typeof(self.value))


class SliceTrace(Trace):
    def __init__(self, parent):
        self.parent = parent

    def unbox(self, x):
        mine = isinstance(x, Tracer) and x._trace is self
        return (x.value, x.names) if mine else (x, None)

    def process_primitive(self, primitive, args, params):
        values, names = unzip2(map(self.unbox, args))
        out = primitive.bind(*values, **params)
        mine = [each for each in names if each is not None]
        if not mine:
            return out
        names = [*sum(mine, []), str(primitive)]
        if primitive.multiple_results:
            return [SliceTracer(self, x, names) for x in out]
        return SliceTracer(self, out, names)


def slice_of(fun, *args):
    with new_trace(SliceTrace(trace_ctx.trace)) as trace:
        value, names = trace.unbox(fun(*[SliceTracer(trace, x, []) for x in args]))
    return value, names or []
