"""Pipelines on executors: how one is cut, what travels, and how its errors come back."""
