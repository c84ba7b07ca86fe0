"""What the examples of a mapped axis tell one another."""
