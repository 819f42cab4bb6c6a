"""Operators of which each element is an Arrow batch."""
