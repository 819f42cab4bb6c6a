"""Bridges to other implementations, one per file; each is loaded only when it is imported."""
