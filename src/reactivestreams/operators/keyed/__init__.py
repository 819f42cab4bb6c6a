"""Operators with one state per key."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.operators.keyed.aggregate": ("KeyedAggregate",),
        "reactivestreams.operators.keyed.buffer": ("KeyedBuffer",),
        "reactivestreams.operators.keyed.count": ("KeyedCount",),
        "reactivestreams.operators.keyed.distinct": ("KeyedDistinct",),
        "reactivestreams.operators.keyed.reduce": ("KeyedReduce",),
        "reactivestreams.operators.keyed.scan": ("KeyedScan",),
        "reactivestreams.operators.keyed.take": ("KeyedTake",),
        "reactivestreams.operators.keyed.through": ("KeyedThrough",),
    },
)
