from reactivestreams.errors import ReactiveStreamsError
from reactivestreams.notifications import Notification, OnComplete, OnError, OnNext
from reactivestreams.operators.folding.collector import Collector
from reactivestreams.operators.keyed.event_windows import TimeWindow
from reactivestreams.operators.recovering.retry_policy import RetryPolicy
from reactivestreams.schedulers import ImmediateScheduler, Scheduler, WorkerScheduler
from reactivestreams.spec import MAX_DEMAND, Processor, Publisher, Subscriber, Subscription
from reactivestreams.stream import GroupedStream, KeyedStream, ParallelStream, Pipeline, Stream, pipeline
from rs_core.authors.base_classes import (
    AsyncBaseSubscriber,
    BaseProcessor,
    BasePublisher,
    BaseSubscriber,
    BaseSubscription,
)
from rs_core.operators.element import HandleSink
from rs_core.queues.overflow_policy import EmitResult, OverflowPolicy
from rs_core.sources.emitter import StreamEmitter
from rs_core.version import __version__

__all__ = [
    "MAX_DEMAND",
    "AsyncBaseSubscriber",
    "BaseProcessor",
    "BasePublisher",
    "BaseSubscriber",
    "BaseSubscription",
    "Collector",
    "EmitResult",
    "GroupedStream",
    "HandleSink",
    "ImmediateScheduler",
    "KeyedStream",
    "Notification",
    "OnComplete",
    "OnError",
    "OnNext",
    "OverflowPolicy",
    "ParallelStream",
    "Pipeline",
    "Processor",
    "Publisher",
    "ReactiveStreamsError",
    "RetryPolicy",
    "Scheduler",
    "Stream",
    "StreamEmitter",
    "Subscriber",
    "Subscription",
    "TimeWindow",
    "WorkerScheduler",
    "__version__",
    "pipeline",
]

def reactivestreams() -> str: ...
