"""What library authors subclass instead of writing the protocol themselves."""

from rs_core.async_base_subscriber import AsyncBaseSubscriber
from rs_core.base_processor import BaseProcessor
from rs_core.base_publisher import BasePublisher, DemandView
from rs_core.base_subscriber import BaseSubscriber
from rs_core.base_subscription import BaseSubscription

__all__ = [
    "AsyncBaseSubscriber",
    "BaseProcessor",
    "BasePublisher",
    "BaseSubscriber",
    "BaseSubscription",
    "DemandView",
]
