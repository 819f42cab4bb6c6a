"""Giving Spark the same elements again: the bridge to a live publisher, held elements, the write-ahead log, locks."""
