"""The fluent API: `Stream`, a description with a source, and `Pipeline`, one without."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.stream.connectable": ("ConnectableStream",),
        "reactivestreams.stream.grouped": ("GroupedStream",),
        "reactivestreams.stream.keyed": ("KeyedPipeline", "KeyedStream"),
        "reactivestreams.stream.parallel": ("ParallelPipeline", "ParallelStream"),
        "reactivestreams.stream.pipelines": ("Operator", "Pipeline", "pipeline"),
        "reactivestreams.stream.stream": ("Stream",),
        "reactivestreams.stream.windowed": (
            "TimedKeyedPipeline",
            "TimedKeyedStream",
            "TimedPipeline",
            "TimedStream",
            "WindowedPipeline",
            "WindowedStream",
        ),
    },
)
