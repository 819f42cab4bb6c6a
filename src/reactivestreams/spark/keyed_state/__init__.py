"""Keyed pipelines: the bucket of a key, and what moves its elements there."""
