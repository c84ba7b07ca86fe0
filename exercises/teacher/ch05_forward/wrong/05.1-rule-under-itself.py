"""The trace puts itself in charge of its rules: every operation of a rule comes by twice."""

from minijax.core.config import config
from minijax.core.forward import check_jvp, is_nonzero
from minijax.core.tracing import set_current_trace, unzip2


class JVPTrace:
    def process_primitive(self, primitive, args, params):
        primals, tangents = unzip2(map(self.to_primal_tangent_pair, args))
        if not any(map(is_nonzero, tangents)):
            return primitive.bind(*primals, **params)
        with set_current_trace(self):
            out, out_dot = self.apply_rule(primitive, primals, tangents, primitive.active(params))
        if not primitive.multiple_results:
            out, out_dot = [out], [out_dot]
        if config.jax_enable_checks:
            check_jvp(primitive, primals, params, out, out_dot)
        boxed = list(map(self.box, out, out_dot))
        return boxed if primitive.multiple_results else boxed[0]
