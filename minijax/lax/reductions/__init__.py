"""Many elements become one, and running totals."""
