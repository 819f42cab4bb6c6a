"""Operators that say what becomes of elements which nobody has requested, and how many are requested."""
