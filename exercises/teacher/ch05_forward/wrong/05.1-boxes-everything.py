"""Every result is boxed, and its tangent made an array: what does not move costs as much."""

from minijax.core.forward import instantiate_zeros
from minijax.core.tracing import unzip2


class JVPTrace:
    def process_primitive(self, primitive, args, params):
        primals, tangents = unzip2(map(self.to_primal_tangent_pair, args))
        out, out_dot = self.apply_rule(primitive, primals, tangents, primitive.active(params))
        if not primitive.multiple_results:
            return self.tracer_class(self, out, instantiate_zeros(out_dot))
        pairs = zip(out, out_dot, strict=True)
        return [self.tracer_class(self, x, instantiate_zeros(t)) for x, t in pairs]
