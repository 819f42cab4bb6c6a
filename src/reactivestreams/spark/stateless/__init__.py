"""Pipelines without keys."""
