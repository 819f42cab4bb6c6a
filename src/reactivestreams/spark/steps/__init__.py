"""A step of a pipeline on an executor: its rows, their numbers, and its errors."""
