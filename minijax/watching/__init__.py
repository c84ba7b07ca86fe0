"""Watching: a function is run, and every operation on the way is recorded, with who was asked."""
