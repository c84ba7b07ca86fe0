"""Functions with rules of the user's: for derivatives, for vmap, and for what checkpoint keeps."""
