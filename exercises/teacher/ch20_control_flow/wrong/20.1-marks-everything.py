"""All carries are marked at once: right derivatives, and a loop that carries zeros."""


def fixed_point(derive, marks, num_consts, num_carry):
    carry = (any(marks),) * num_carry
    marks = (*marks[:num_consts], *carry, *marks[num_consts + num_carry :])
    return marks, derive(marks, carry)
