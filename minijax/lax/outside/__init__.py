"""What programs call that is not made of primitives."""
