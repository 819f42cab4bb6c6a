"""The contract: the four interfaces of Reactive Streams, one a file, and its 43 rules as data in `rules`.

A class conforms by its methods alone: `isinstance(obj, Publisher)` asks whether the class of `obj` has the methods of a
publisher, not whether it derives from ours. Deriving is possible all the same, also from several interfaces and
together with other abstract classes, and asks nothing of the constructor. For type checkers the interfaces are
protocols.
"""

from reactivestreams.spec.processor import Processor
from reactivestreams.spec.publisher import Publisher
from reactivestreams.spec.rules import MAX_DEMAND
from reactivestreams.spec.subscriber import Subscriber
from reactivestreams.spec.subscription import Subscription

__all__ = ["MAX_DEMAND", "Processor", "Publisher", "Subscriber", "Subscription"]
