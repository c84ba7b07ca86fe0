"""The arguments are copied; what the function holds anyway is written."""

import minijax as jax
from minijax.ref import Ref


def dry_run(fun):
    def run(*args):
        copies = [jax.new_ref(x[...]) if isinstance(x, Ref) else x for x in args]
        result = fun(*copies)
        return result, [x[...] for x in copies if isinstance(x, Ref)]

    return run
