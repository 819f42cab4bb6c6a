from reactivestreams.operators.keyed.aggregate import KeyedAggregate
from reactivestreams.operators.keyed.buffer import KeyedBuffer
from reactivestreams.operators.keyed.count import KeyedCount
from reactivestreams.operators.keyed.distinct import KeyedDistinct
from reactivestreams.operators.keyed.reduce import KeyedReduce
from reactivestreams.operators.keyed.scan import KeyedScan
from reactivestreams.operators.keyed.take import KeyedTake
from reactivestreams.operators.keyed.through import KeyedThrough

__all__ = [
    "KeyedAggregate",
    "KeyedBuffer",
    "KeyedCount",
    "KeyedDistinct",
    "KeyedReduce",
    "KeyedScan",
    "KeyedTake",
    "KeyedThrough",
]
