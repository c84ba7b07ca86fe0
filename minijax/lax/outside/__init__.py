"""Functions from outside that programs call."""
