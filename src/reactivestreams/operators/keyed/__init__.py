"""Operators that keep one state for each key, and what runs them."""
