"""Whether anything is being traced, as JAX's `core` says it."""

from minijax.core.tracing import eval_trace, trace_ctx


def trace_state_clean() -> bool:
    """Whether operations are run at once, outside of every transformation."""
    return trace_ctx.trace is eval_trace and not trace_ctx.axis_sizes
