"""Takes the last axis of the first operand for the contracted one."""


def costly(least):
    def policy(prim, *avals, **params):
        return prim.name == "dot_general" and avals[0].shape[-1] >= least

    return policy
