"""Reactive Streams for Python: describe a stream once, run it anywhere, with demand from end to end.

`Stream` is where to begin; `reactivestreams.spec` has the four interfaces and the rules. The names below are loaded
when first asked for: importing the package loads nothing else, starts no thread and opens no file.
"""

from importlib import import_module

from rs_core.version import __version__

__all__ = [
    "MAX_DEMAND",
    "AsyncBaseSubscriber",
    "BaseProcessor",
    "BasePublisher",
    "BaseSubscriber",
    "BaseSubscription",
    "EmitResult",
    "ImmediateScheduler",
    "KeyedStream",
    "OverflowPolicy",
    "Pipeline",
    "Processor",
    "Publisher",
    "ReactiveStreamsError",
    "Scheduler",
    "Stream",
    "StreamEmitter",
    "Subscriber",
    "Subscription",
    "WorkerScheduler",
    "__version__",
    "pipeline",
]

_MODULES = {
    "MAX_DEMAND": "reactivestreams.spec",
    "AsyncBaseSubscriber": "rs_core.authors.base_classes",
    "BaseProcessor": "rs_core.authors.base_classes",
    "BasePublisher": "rs_core.authors.base_classes",
    "BaseSubscriber": "rs_core.authors.base_classes",
    "BaseSubscription": "rs_core.authors.base_classes",
    "EmitResult": "rs_core.queues.overflow_policy",
    "ImmediateScheduler": "reactivestreams.schedulers",
    "KeyedStream": "reactivestreams.stream",
    "OverflowPolicy": "rs_core.queues.overflow_policy",
    "Pipeline": "reactivestreams.stream",
    "Processor": "reactivestreams.spec",
    "Publisher": "reactivestreams.spec",
    "ReactiveStreamsError": "reactivestreams.errors",
    "Scheduler": "reactivestreams.schedulers",
    "Stream": "reactivestreams.stream",
    "StreamEmitter": "rs_core.sources.emitter",
    "Subscriber": "reactivestreams.spec",
    "Subscription": "reactivestreams.spec",
    "WorkerScheduler": "reactivestreams.schedulers",
    "pipeline": "reactivestreams.stream",
}


def reactivestreams() -> str:
    """Return the name and version that the package of `rsocket`, of the same name as this one, gives its users.

    Only for them, so it is no name of `__all__`: `__version__` is the version of this package.

    Returns:
        The text that the function of this name in the package of `rsocket` returns.
    """
    return "reactivestreams-0.1"


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
