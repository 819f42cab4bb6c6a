"""Streams as DataFrames, and sinks of streaming queries that write each batch once."""
