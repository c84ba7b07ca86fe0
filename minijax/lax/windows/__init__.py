"""Windows that move over an array: what is in them is reduced, or multiplied by a kernel."""
