"""The condition is asked after a pass, so that one pass is made in any case."""

from minijax import lax


def bounded_while(condition, body, carry, steps):
    def step(state, _):
        carry, done = state
        carry = lax.cond(done, lambda carry: carry, body, carry)
        return (carry, ~condition(carry)), None

    return lax.scan(step, (carry, False), None, length=steps)[0][0]
