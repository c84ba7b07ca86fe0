"""What a package shows and how it answers: names that are imported when asked for, names that are
missing and what to use instead, JAX's options, errors without our frames, and scripts for JAX."""
