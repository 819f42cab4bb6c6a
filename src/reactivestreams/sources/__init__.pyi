from reactivestreams.sources.amb import Amb
from reactivestreams.sources.create import Create
from reactivestreams.sources.defer import Defer
from reactivestreams.sources.empty import Empty
from reactivestreams.sources.error import Error
from reactivestreams.sources.from_async_iterable import FromAsyncIterable
from reactivestreams.sources.from_callable import FromCallable
from reactivestreams.sources.from_future import FromFuture
from reactivestreams.sources.from_iterable import FromIterable
from reactivestreams.sources.from_publisher import FromPublisher
from reactivestreams.sources.from_queue import FromQueue
from reactivestreams.sources.generate import Generate
from reactivestreams.sources.interval import Interval
from reactivestreams.sources.never import Never
from reactivestreams.sources.range import Range
from reactivestreams.sources.repeat_value import RepeatValue
from reactivestreams.sources.timer import Timer
from reactivestreams.sources.using import Using
from reactivestreams.sources.when_all import WhenAll

__all__ = [
    "Amb",
    "Create",
    "Defer",
    "Empty",
    "Error",
    "FromAsyncIterable",
    "FromCallable",
    "FromFuture",
    "FromIterable",
    "FromPublisher",
    "FromQueue",
    "Generate",
    "Interval",
    "Never",
    "Range",
    "RepeatValue",
    "Timer",
    "Using",
    "WhenAll",
]
