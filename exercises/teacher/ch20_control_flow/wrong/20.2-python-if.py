"""A Python `if` on the condition: no transformation that makes a program takes it."""


def bounded_while(condition, body, carry, steps):
    for _ in range(steps):
        if not condition(carry):
            return carry
        carry = body(carry)
    return carry
