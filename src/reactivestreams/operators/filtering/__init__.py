"""Operators that pass on some of the elements, as they are."""
