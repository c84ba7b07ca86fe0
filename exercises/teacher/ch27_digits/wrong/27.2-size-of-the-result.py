"""Goes by how many numbers the result has."""

import math


def costly(least):
    def policy(prim, *avals, **params):
        if prim.name != "dot_general":
            return False
        left, right = (aval.shape for aval in avals)
        return math.prod(left[:-1]) * math.prod(right[1:]) >= least

    return policy
