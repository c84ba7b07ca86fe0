"""A Python loop: right, but the program has one cond for each step."""

from minijax import lax


def bounded_while(condition, body, carry, steps):
    for _ in range(steps):
        carry = lax.cond(condition(carry), body, lambda carry: carry, carry)
    return carry
