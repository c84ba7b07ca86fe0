"""Functions with rules of the user's: derivatives, vmap, what a backward pass keeps."""
