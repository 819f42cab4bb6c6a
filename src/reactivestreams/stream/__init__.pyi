from reactivestreams.stream.connectable import ConnectableStream
from reactivestreams.stream.grouped import GroupedStream
from reactivestreams.stream.keyed import KeyedPipeline, KeyedStream
from reactivestreams.stream.parallel import ParallelPipeline, ParallelStream
from reactivestreams.stream.pipelines import Operator, Pipeline, pipeline
from reactivestreams.stream.stream import Stream
from reactivestreams.stream.windowed import (
    TimedKeyedPipeline,
    TimedKeyedStream,
    TimedPipeline,
    TimedStream,
    WindowedPipeline,
    WindowedStream,
)

__all__ = [
    "ConnectableStream",
    "GroupedStream",
    "KeyedPipeline",
    "KeyedStream",
    "Operator",
    "ParallelPipeline",
    "ParallelStream",
    "Pipeline",
    "Stream",
    "TimedKeyedPipeline",
    "TimedKeyedStream",
    "TimedPipeline",
    "TimedStream",
    "WindowedPipeline",
    "WindowedStream",
    "pipeline",
]
