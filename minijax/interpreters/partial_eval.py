"""Programs: the trace that writes them, what is left out of one where nobody uses it, and what of a
function is computed now where only some of its arguments are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

from minijax.core.extend import (
    AbstractValue,
    Jaxpr,
    JaxprTrace,
    Primitive,
    Tracer,
    eval_jaxpr,
    jit_p,
    new_trace,
    set_current_trace,
    trace_ctx,
    typeof,
)  # fmt: skip
from minijax.core.linearization import SplitTrace
from minijax.core.staging import DynamicJaxprTracer, dce_jaxpr, dce_rules
from minijax.face.planned import missing_names, shown_names

__all__ = [
    "DynamicJaxprTracer", "PartialVal", "dce_jaxpr", "dce_rules", "trace_to_jaxpr_nounits",
]  # fmt: skip
__getattr__, __dir__ = missing_names(__name__), shown_names(__name__)


class PartialVal(tuple):
    """(None, x) for a value x that is known, and (its type, None) for one that isn't.

    >>> PartialVal.known(2.0).get_known(), PartialVal.unknown(typeof(2.0)).is_known()
    (2.0, False)
    """

    @classmethod
    def known(cls, const: Any) -> PartialVal:
        return cls((None, const))

    @classmethod
    def unknown(cls, aval: AbstractValue) -> PartialVal:
        return cls((aval, None))

    def is_known(self) -> bool:
        return self[0] is None

    def get_known(self) -> Any:
        """The value; None for one that is not known."""
        return self[1]

    def get_aval(self) -> AbstractValue:
        """The type."""
        return typeof(self[1]) if self.is_known() else self[0]


class _PartialEvalTrace(SplitTrace):
    """Records what depends on something unknown, inside of compiled functions too."""

    def process_primitive(self, primitive: Primitive, args: Sequence[Any], params: dict) -> Any:
        if primitive is jit_p:
            closed = params["jaxpr"]
            with set_current_trace(self):
                return eval_jaxpr(closed.jaxpr, closed.consts, *args)
        return super().process_primitive(primitive, args, params)


def trace_to_jaxpr_nounits(
    fun: Callable, pvals: Sequence[PartialVal], instantiate: bool = False
) -> tuple[Jaxpr, list[PartialVal], list[Any]]:
    """Runs a function of flat lists, of arguments that are known or not, as far as these allow.

    (jaxpr, results, consts): a result is a `PartialVal`; those that are not known are what the
    program computes of the unknown arguments. With `instantiate` none counts as known.

    >>> pvals = [PartialVal.known(2.0), PartialVal.unknown(typeof(1.0))]
    >>> jaxpr, out, consts = trace_to_jaxpr_nounits(lambda x, y: [x + 1, x * y], pvals)
    >>> out[0], out[1].is_known(), jaxpr
    ((None, 3.0), False, { lambda ; a:f32[]. let b:f32[] = mul 2.0:f32[] a in (b,) })
    """
    recording = JaxprTrace(getattr(fun, "debug_info", None))
    try:
        args = [const if aval is None else recording.new_arg(aval) for aval, const in pvals]
        with new_trace(_PartialEvalTrace(trace_ctx.trace, recording)):
            outs = list(fun(*args))
        later = [instantiate or isinstance(x, Tracer) and x._trace is recording for x in outs]
        closed = recording.to_jaxpr(list(compress(outs, later)))
    finally:
        recording.end()
    results = [
        PartialVal.unknown(typeof(x)) if is_later else PartialVal.known(x)
        for x, is_later in zip(outs, later, strict=True)
    ]
    return closed.jaxpr, results, closed.consts
