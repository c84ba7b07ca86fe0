"""The program as it was traced is bound: nobody who looks at operands sees a tracer in it."""

from minijax.core.arguments import donated_leaves
from minijax.core.config import config
from minijax.core.jitting import jit_p
from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import stage
from minijax.core.tracing import typeof


class JitFunction:
    def cache_miss(self, args, kwargs):
        if config.jax_disable_jit:
            return self._fun(*args, **kwargs)
        staged, leaves = stage(self._fun, args, kwargs, "jit", self._static, self._cache, typeof)
        marks = donated_leaves(self._donate, args, kwargs, self._static, leaves)
        params = {"jaxpr": staged.closed, "donated_invars": marks, **self._params}
        out = jit_p.bind(*leaves, name=self.__name__, **params)
        return tree_unflatten(staged.out_tree, out)
