"""Saved state: bytes, values, records and their limits."""
