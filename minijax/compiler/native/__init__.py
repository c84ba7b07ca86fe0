"""The engine room's way from a kernel's text to machine code, and what is kept of it."""
