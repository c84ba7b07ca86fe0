"""Tracing: from a Python function to a jaxpr, anew each time."""


def trace_a_chain(lib, size=1000):
    """A function of `size` equations, one after the other."""
    def trace():
        def f(x):
            for _ in range(size // 2):
                x = lib.numpy.sin(x) * 2.0
            return x

        return lib.make_jaxpr(f)(1.0)

    assert len(trace().eqns) == size
    return lambda: len(trace().eqns), ()


def trace_a_gradient(lib, size=300):
    """The gradient of a function of `size` equations, as a jaxpr."""
    def trace():
        def f(x):
            for _ in range(size // 2):
                x = lib.numpy.sin(x) * 2.0
            return x

        return lib.make_jaxpr(lib.grad(f))(1.0)

    assert len(trace().eqns) > size
    return lambda: len(trace().eqns) > size, ()


WORKLOADS = (trace_a_chain, trace_a_gradient)
