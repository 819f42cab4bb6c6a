"""The processor: a stage that subscribes to one stream and publishes another."""

from abc import ABCMeta
from typing import TypeVar

from reactivestreams.spec.publisher import Publisher
from reactivestreams.spec.structure import Interface, has_methods, structural
from reactivestreams.spec.subscriber import SIGNALS, Subscriber

__all__ = ["Processor"]

T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


@structural
class Processor(Subscriber[T_contra], Publisher[R_co], Interface[T_contra, R_co], metaclass=ABCMeta):
    """Receive elements of one type and publish elements of another, under the contracts of both sides (§4.1).

    An upstream error is passed on immediately, unless the processor recovers from it (§4.2).

    Example:
        >>> from reactivestreams.spec import Publisher, Subscriber
        >>> issubclass(Processor, Publisher), issubclass(Processor, Subscriber)
        (True, True)
    """

    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, *SIGNALS, "subscribe") if cls is Processor else NotImplemented
