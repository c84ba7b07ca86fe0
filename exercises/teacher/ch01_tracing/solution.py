"""The teacher's solutions of chapter 01."""

from minijax.core.tracing import Trace, Tracer, new_trace, trace_ctx, typeof


class SliceTracer(Tracer):
    """A value that owes something to the input, and the operations that lie between."""

    def __init__(self, trace, value, operations):
        super().__init__(trace)
        self.value, self.operations = value, operations

    aval = property(lambda self: typeof(self.value))


class SliceTrace(Trace):
    def __init__(self, parent):
        self.parent, self.count = parent, 0

    def is_mine(self, x):
        return isinstance(x, Tracer) and x._trace is self

    def process_primitive(self, primitive, args, params):
        mine = [x for x in args if self.is_mine(x)]
        out = primitive.bind(*[x.value if self.is_mine(x) else x for x in args], **params)
        if not mine:
            return out
        self.count += 1
        operations = frozenset([(self.count, str(primitive))]).union(*[x.operations for x in mine])
        if primitive.multiple_results:
            return [SliceTracer(self, x, operations) for x in out]
        return SliceTracer(self, out, operations)


def slice_of(fun, *args):
    """fun(*args), and the names of the operations that lie between args and it."""
    with new_trace(SliceTrace(trace_ctx.trace)) as trace:
        out, operations = fun(*[SliceTracer(trace, x, frozenset()) for x in args]), ()
        if trace.is_mine(out):
            out, operations = out.value, out.operations
    return out, [name for _, name in sorted(operations)]
