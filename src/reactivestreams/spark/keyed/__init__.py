"""Keyed pipelines: the buckets of keys, the shuffle of elements to their bucket, and the state."""
