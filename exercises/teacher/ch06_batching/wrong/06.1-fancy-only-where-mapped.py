"""What is mapped is asked for first: a fancy rule never hears of a constant. And no checks."""

from minijax.core.batching import fancy_primitive_batchers, primitive_batchers
from minijax.core.forward import find_rule
from minijax.core.tracing import unzip2


class BatchTrace:
    def process_primitive(self, primitive, args, params):
        vals, dims = unzip2(map(self.to_batch_info, args))
        if all(dim is None for dim in dims):
            return primitive.bind(*vals, **params)
        active = primitive.active(params)
        if primitive in fancy_primitive_batchers:
            rule = fancy_primitive_batchers[primitive]
            out, out_dims = rule(self.axis_data, vals, dims, **active)
        else:
            rule = find_rule(primitive_batchers, primitive, "batching", "primitive_batchers")
            out, out_dims = rule(vals, dims, **active)
        if primitive.multiple_results:
            return list(map(self.box, out, out_dims))
        return self.box(out, out_dims)
