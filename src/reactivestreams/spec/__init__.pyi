from reactivestreams.spec.processor import Processor
from reactivestreams.spec.publisher import Publisher
from reactivestreams.spec.rules import MAX_DEMAND
from reactivestreams.spec.subscriber import Subscriber
from reactivestreams.spec.subscription import Subscription

__all__ = ["MAX_DEMAND", "Processor", "Publisher", "Subscriber", "Subscription"]
