"""Operators that join the elements of several streams."""
