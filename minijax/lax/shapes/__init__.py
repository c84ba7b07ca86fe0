"""New arrays, and the same elements in other shapes."""
