"""All axes that the operands share are counted, those of a batch among them."""

import math


def costly(least):
    def policy(prim, *avals, **params):
        if prim.name != "dot_general":
            return False
        (contracted, _), (batch, _) = params["dimension_numbers"]
        return math.prod(avals[0].shape[d] for d in (*contracted, *batch)) >= least

    return policy
