"""Operators that go on where a stream failed or ended."""
