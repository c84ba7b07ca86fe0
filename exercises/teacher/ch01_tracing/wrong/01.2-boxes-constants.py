"""What is made of constants is boxed too, with no operations: so it passes for an argument."""

from minijax.core.tracing import Trace, Tracer, new_trace, trace_ctx, typeof, unzip2


class SliceTracer(Tracer):
    def __init__(self, trace, value, names):
        super().__init__(trace)
        self.value, self.names = value, names

    aval = property(lambda self: typeof(self.value))


class SliceTrace(Trace):
    def __init__(self, parent):
        self.parent, self.count = parent, 0

    def unbox(self, x):
        mine = isinstance(x, Tracer) and x._trace is self
        return (x.value, x.names) if mine else (x, frozenset())

    def process_primitive(self, primitive, args, params):
        values, names = unzip2(map(self.unbox, args))
        out = primitive.bind(*values, **params)
        self.count += 1
        names = frozenset([(self.count, str(primitive))]).union(*names)
        if primitive.multiple_results:
            return [SliceTracer(self, x, names) for x in out]
        return SliceTracer(self, out, names)


def slice_of(fun, *args):
    with new_trace(SliceTrace(trace_ctx.trace)) as trace:
        value, names = trace.unbox(fun(*[SliceTracer(trace, x, frozenset()) for x in args]))
    return value, [name for _, name in sorted(names)]
