"""From the equations of a program to the text of kernels, with their loops written out."""
