"""The same elements in other shapes: joined, split, edited."""
