"""Rules are given all params, those that mean nothing too; and nobody checks what they return."""

from minijax.core.forward import is_nonzero
from minijax.core.tracing import unzip2


class JVPTrace:
    def process_primitive(self, primitive, args, params):
        primals, tangents = unzip2(map(self.to_primal_tangent_pair, args))
        if not any(map(is_nonzero, tangents)):
            return primitive.bind(*primals, **params)
        out, out_dot = self.apply_rule(primitive, primals, tangents, params)
        if primitive.multiple_results:
            return list(map(self.box, out, out_dot))
        return self.box(out, out_dot)
