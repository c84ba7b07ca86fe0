"""`jax.ad`: what a vjp function is told of each gradient, and what stands where no value is."""

from minijax.lax.references.gradients import DidntWant, DontWant, GradRef, GradValue

__all__ = ["DidntWant", "DontWant", "GradRef", "GradValue"]
