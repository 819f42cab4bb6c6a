"""Rows that fail: the error policy, the operators that continue after them, and their results."""
