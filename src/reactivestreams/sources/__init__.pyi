from reactivestreams.sources.create import Create
from reactivestreams.sources.empty import Empty
from reactivestreams.sources.error import Error
from reactivestreams.sources.from_async_iterable import FromAsyncIterable
from reactivestreams.sources.from_iterable import FromIterable
from reactivestreams.sources.from_publisher import FromPublisher
from reactivestreams.sources.never import Never
from reactivestreams.sources.range import Range

__all__ = ["Create", "Empty", "Error", "FromAsyncIterable", "FromIterable", "FromPublisher", "Never", "Range"]
