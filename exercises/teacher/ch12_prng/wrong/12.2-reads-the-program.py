"""Counts how often a variable of the staged program is used: another variable, another key."""

from collections import Counter

from minijax.core.staging import make_jaxpr


def watch_keys(fun):
    def watched(*args):
        uses, faults = Counter(), []

        def read(jaxpr, names):
            for eqn in jaxpr.eqns:
                if eqn.primitive.name == "jit":
                    inner = eqn.params["jaxpr"]
                    given = [names.get(v, v) for v in eqn.invars]
                    read(inner, dict(zip(inner.invars, given, strict=True)))
                elif eqn.primitive.name in ("random_bits", "random_split"):
                    key = names.get(eqn.invars[0], eqn.invars[0])
                    faults.extend([eqn.primitive.name] * (uses[key] > 0))
                    uses[key] += 1

        read(make_jaxpr(fun)(*args), {})
        return fun(*args), faults

    return watched
