"""The program is run on the spot, as in the naive version: no operation is left of the call."""

from minijax.core.pytrees import tree_unflatten
from minijax.core.staging import jaxpr_as_fun, stage


class JitFunction:
    def cache_miss(self, args, kwargs):
        staged, leaves = stage(self._fun, args, kwargs, "jit", self._static, self._cache)
        return tree_unflatten(staged.out_tree, jaxpr_as_fun(staged.closed)(*leaves))
