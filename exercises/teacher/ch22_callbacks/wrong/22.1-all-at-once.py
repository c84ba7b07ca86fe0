"""One call for all examples: whoever looks gets the whole batch."""

from minijax.compiler.special_cases.python_calls import run_by_python
from minijax.core.extend import Primitive, primitive_batchers, primitive_jvps
from minijax.lax.custom.recomputation import split_rules
from minijax.lax.outside.debugging import split_looking


def _looking_primitive(name):
    primitive = Primitive(name, inert={"partitioned": False})
    primitive.multiple_results = True

    def jvp(primals, tangents, **params):
        return primitive.bind(*primals, **params), []

    def batcher(args, dims, **params):
        primitive.bind(*args, **params)
        return [], []

    primitive_jvps[primitive] = jvp
    primitive_batchers[primitive] = batcher
    split_rules[primitive] = split_looking
    run_by_python.add(primitive)
    return primitive
