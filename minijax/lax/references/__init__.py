"""References: places whose content a program changes; and how it becomes a program of values."""
