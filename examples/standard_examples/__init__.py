"""The standard's six example implementations, written anew on the interfaces alone; README.md tells what each shows."""

from examples.standard_examples.async_iterable_publisher import AsyncIterablePublisher
from examples.standard_examples.async_subscriber import AsyncSubscriber
from examples.standard_examples.infinite_increment_number_publisher import InfiniteIncrementNumberPublisher
from examples.standard_examples.number_iterable_publisher import NumberIterablePublisher
from examples.standard_examples.range_publisher import RangePublisher
from examples.standard_examples.sync_subscriber import SyncSubscriber

__all__ = [
    "AsyncIterablePublisher",
    "AsyncSubscriber",
    "InfiniteIncrementNumberPublisher",
    "NumberIterablePublisher",
    "RangePublisher",
    "SyncSubscriber",
]
