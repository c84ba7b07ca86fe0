"""The engine room's way from a call in Python to NumPy or to an executable."""
