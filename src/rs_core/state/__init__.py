"""Saved state: values as bytes, records, and limits."""
