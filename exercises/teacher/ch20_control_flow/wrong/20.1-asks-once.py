"""One round: a mark that needs two steps to get to a carry is missed."""


def fixed_point(derive, marks, num_consts, num_carry):
    end = num_consts + num_carry
    carry = tuple(marks[num_consts:end])
    result = derive(tuple(marks), carry)
    carry = tuple(a or b for a, b in zip(carry, result[-1][:num_carry], strict=True))
    marks = (*marks[:num_consts], *carry, *marks[end:])
    return marks, derive(marks, carry)
