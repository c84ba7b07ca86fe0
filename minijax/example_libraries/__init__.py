"""Two small libraries in which much of what is written for JAX is written, under its names:
`optimizers` for steps downhill, `stax` for networks as pairs of functions."""
