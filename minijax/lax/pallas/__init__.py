"""Pallas: a kernel by hand, a function of references that runs once for each point of a grid."""
