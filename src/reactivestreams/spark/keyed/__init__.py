"""Keyed pipelines: the bucket of a key, what moves its elements there, and the state it keeps."""
