"""Derivatives, checked against what a small step does."""
