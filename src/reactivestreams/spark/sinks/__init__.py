"""Streams as DataFrames, and sinks that write each batch of a streaming query once."""
