from reactivestreams.errors import ReactiveStreamsError
from reactivestreams.schedulers import ImmediateScheduler, Scheduler, WorkerScheduler
from reactivestreams.spec import MAX_DEMAND, Processor, Publisher, Subscriber, Subscription
from reactivestreams.stream import KeyedStream, Pipeline, Stream, pipeline
from rs_core.base_classes import AsyncBaseSubscriber, BaseProcessor, BasePublisher, BaseSubscriber, BaseSubscription

__all__ = [
    "MAX_DEMAND",
    "AsyncBaseSubscriber",
    "BaseProcessor",
    "BasePublisher",
    "BaseSubscriber",
    "BaseSubscription",
    "ImmediateScheduler",
    "KeyedStream",
    "Pipeline",
    "Processor",
    "Publisher",
    "ReactiveStreamsError",
    "Scheduler",
    "Stream",
    "Subscriber",
    "Subscription",
    "WorkerScheduler",
    "__version__",
    "pipeline",
]

__version__: str
