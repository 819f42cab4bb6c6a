"""Operators that wait, or choose elements by the time."""
