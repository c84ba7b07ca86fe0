"""A while_loop that counts its passes: the bound is kept, and there is still no way back."""

from minijax import lax


def bounded_while(condition, body, carry, steps):
    def goes_on(pair):
        return condition(pair[0]) & (pair[1] < steps)

    return lax.while_loop(goes_on, lambda pair: (body(pair[0]), pair[1] + 1), (carry, 0))[0]
