"""Operations that combine or exchange the examples of a mapped axis."""
