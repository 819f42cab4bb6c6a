"""Reactive Streams for Python: describe a stream once, run it anywhere, with demand from end to end.

`Stream` is where to begin; `reactivestreams.spec` has the four interfaces and the rules. The names below are loaded
when first used: importing the package loads nothing else, starts no thread and opens no file.
"""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.errors": ("ReactiveStreamsError",),
        "reactivestreams.operators.folding.collector": ("Collector",),
        "rs_core.operators.element": ("HandleSink",),
        "reactivestreams.schedulers": ("ImmediateScheduler", "Scheduler", "WorkerScheduler"),
        "reactivestreams.spec": ("MAX_DEMAND", "Processor", "Publisher", "Subscriber", "Subscription"),
        "reactivestreams.stream": ("KeyedStream", "Pipeline", "Stream", "pipeline"),
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
    """Return the name and version that the package of `rsocket`, of the same name as this one, gives its users.

    Only for them, so it is no name of `__all__`: `__version__` is the version of this package.

    Returns:
        The text that the function of this name in the package of `rsocket` returns.
    """
    return "reactivestreams-0.1"
