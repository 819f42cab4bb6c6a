"""The flights demo: one pipeline value over real data, on Spark, in the caller's thread and across a thread boundary.

Needs the extra `demo`. Start it with `python -m reactivestreams demo`; importing this package imports nothing of the
extra.
"""

__all__: list[str] = []
