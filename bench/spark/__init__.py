"""Benchmarks of reactivestreams.spark beside hand-written PySpark: python -m bench.spark."""
