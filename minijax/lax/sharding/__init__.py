"""Arrays of many devices, and programs that run on them."""
