"""From a program to a program that computes the same: what is not needed goes."""
