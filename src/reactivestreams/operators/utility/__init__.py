"""Operators that pass on all elements as they are, and do something besides."""
