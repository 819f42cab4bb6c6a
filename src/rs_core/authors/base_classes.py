"""The base classes for library authors, which implement the protocol."""

from rs_core.authors.async_subscriber import AsyncBaseSubscriber
from rs_core.authors.processor import BaseProcessor
from rs_core.authors.publisher import BasePublisher, DemandView
from rs_core.authors.subscriber import BaseSubscriber
from rs_core.authors.subscription import BaseSubscription

__all__ = [
    "AsyncBaseSubscriber",
    "BaseProcessor",
    "BasePublisher",
    "BaseSubscriber",
    "BaseSubscription",
    "DemandView",
]
