"""What came out takes the place of what went in, and isn't added to it."""


def fixed_point(derive, marks, num_consts, num_carry):
    end = num_consts + num_carry
    consts, carry, xs = tuple(marks[:num_consts]), tuple(marks[num_consts:end]), tuple(marks[end:])
    while True:
        result = derive((*consts, *carry, *xs), carry)
        found = tuple(result[-1][:num_carry])
        if found == carry:
            return (*consts, *carry, *xs), result
        carry = found
