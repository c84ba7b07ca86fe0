"""Programs with loops and branches: a primitive carries the bodies, and runs them."""
