"""Elements and windows of arrays, read and written."""
