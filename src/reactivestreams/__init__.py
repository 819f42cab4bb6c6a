"""Reactive Streams for Python: describe a stream once, run it anywhere, with backpressure.

Start with `Stream`; `reactivestreams.spec` has the four interfaces and the rules. The names below are loaded when first
used: importing the package loads nothing else, starts no thread and opens no file.
"""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.errors": ("ReactiveStreamsError",),
        "reactivestreams.notifications": ("Notification", "OnComplete", "OnError", "OnNext"),
        "reactivestreams.operators.folding.collector": ("Collector",),
        "rs_core.operators.element": ("HandleSink",),
        "reactivestreams.operators.keyed.event_windows": ("TimeWindow",),
        "reactivestreams.operators.recovering.retry_policy": ("RetryPolicy",),
        "reactivestreams.schedulers": ("ImmediateScheduler", "Scheduler", "WorkerScheduler"),
        "reactivestreams.spec": ("MAX_DEMAND", "Processor", "Publisher", "Subscriber", "Subscription"),
        "reactivestreams.stream": ("GroupedStream", "KeyedStream", "ParallelStream", "Pipeline", "Stream", "pipeline"),
        "rs_core.authors.base_classes": (
            "AsyncBaseSubscriber",
            "BaseProcessor",
            "BasePublisher",
            "BaseSubscriber",
            "BaseSubscription",
        ),
        "rs_core.queues.overflow_policy": ("EmitResult", "OverflowPolicy"),
        "rs_core.sources.emitter": ("StreamEmitter",),
        "rs_core.version": ("__version__",),
    },
)


def reactivestreams() -> str:
    """Return the name and version of the package with the same name in the distribution `rsocket`.

    It exists for users of that package, so it is not in `__all__`. The version of this package is `__version__`.

    Returns:
        The text that the same function of `rsocket` returns.
    """
    return "reactivestreams-0.1"
