"""The compiler: from a program to native code."""
