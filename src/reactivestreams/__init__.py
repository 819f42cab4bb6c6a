"""Reactive Streams for Python."""
