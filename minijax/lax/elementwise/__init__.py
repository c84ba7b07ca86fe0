"""What works element by element."""
