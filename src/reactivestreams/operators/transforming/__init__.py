"""Operators that pass on something made of the elements."""
