"""NumPy's functions of single numbers."""
