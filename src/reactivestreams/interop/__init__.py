"""Bridges to what is no part of this project; one a file, and none is loaded before it is imported."""
