"""Rows: Arrow batches as elements, and elements as Arrow batches."""
