"""Functions of a number that kernels call, written so that LLVM makes vectors of them."""
