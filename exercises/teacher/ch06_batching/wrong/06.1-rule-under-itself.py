"""The trace puts itself in charge of its rules: all that a rule binds is asked of it again."""

from minijax.core.batching import example_aval, fancy_primitive_batchers, primitive_batchers
from minijax.core.config import config
from minijax.core.errors import check_types
from minijax.core.forward import find_rule
from minijax.core.tracing import set_current_trace, typeof, unzip2


class BatchTrace:
    def process_primitive(self, primitive, args, params):
        vals, dims = unzip2(map(self.to_batch_info, args))
        active = primitive.active(params)
        with set_current_trace(self):
            if primitive in fancy_primitive_batchers:
                rule = fancy_primitive_batchers[primitive]
                out, out_dims = rule(self.axis_data, vals, dims, **active)
            elif all(dim is None for dim in dims):
                with set_current_trace(self.parent):
                    return primitive.bind(*vals, **params)
            else:
                rule = find_rule(primitive_batchers, primitive, "batching", "primitive_batchers")
                out, out_dims = rule(vals, dims, **active)
        if not primitive.multiple_results:
            out, out_dims = [out], [out_dims]
        if config.jax_enable_checks:
            got = [example_aval(typeof(x), d) for x, d in zip(out, out_dims, strict=True)]
            expected = primitive.out_avals(list(map(typeof, args)), params)
            check_types(primitive, "batching rule", got, expected)
        boxed = list(map(self.box, out, out_dims))
        return boxed if primitive.multiple_results else boxed[0]
