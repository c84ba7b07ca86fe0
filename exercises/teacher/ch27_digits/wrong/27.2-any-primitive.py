"""Goes by the operand's size, whatever the primitive is."""


def costly(least):
    def policy(prim, *avals, **params):
        return bool(avals) and bool(avals[0].shape) and avals[0].shape[-1] >= least

    return policy
