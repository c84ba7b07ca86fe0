"""Runs the implementation instead of binding: traces below see nothing, and their boxes break it."""

from minijax.core.tracing import Trace, Tracer, trace_ctx, typeof


class SliceTracer(Tracer):
    def __init__(self, trace, value, names):
        super().__init__(trace)
        self.value, self.names = value, names

    aval = property(lambda self: typeof(self.value))


class SliceTrace(Trace):
    def __init__(self, parent):
        self.parent, self.count = parent, 0

    def process_primitive(self, primitive, args, params):
        mine = [x for x in args if isinstance(x, Tracer) and x._trace is self]
        out = primitive.impl(*[x.value if x in mine else x for x in args], **params)
        if not mine:
            return out
        self.count += 1
        return SliceTracer(self, out, {(self.count, str(primitive))}.union(*[x.names for x in mine]))


def slice_of(fun, *args):
    before = trace_ctx.trace
    trace = trace_ctx.trace = SliceTrace(before)
    out = fun(*[SliceTracer(trace, x, set()) for x in args])
    trace_ctx.trace = before
    if not isinstance(out, SliceTracer):
        return out, []
    return out.value, [name for _, name in sorted(out.names)]
