"""x[...] and x.at[...]; functions that take elements, or put them."""
