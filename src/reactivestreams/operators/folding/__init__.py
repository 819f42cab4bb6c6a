"""Operators that give one result for a whole stream."""
