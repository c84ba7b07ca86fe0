"""Functions that are defined by integrals and series."""
