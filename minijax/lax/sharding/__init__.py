"""Arrays on many devices: where each part lies, and how a program runs on all of them."""
