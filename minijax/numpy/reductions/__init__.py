"""Many numbers become one, or running totals; order statistics and counts."""
