"""The subject that serves one subscriber."""

from typing import ClassVar, TypeVar

from reactivestreams.subjects.in_memory_subject import InMemorySubject
from reactivestreams.subjects.policy import DEFAULT_WINDOW, buffer

__all__ = ["UnicastSubject"]

T = TypeVar("T")


class UnicastSubject(InMemorySubject[T]):
    """Buffer elements for its only subscriber; another subscriber gets an error (§1.11).

    Args:
        capacity: How many elements may wait, also before there is a subscriber: from 1 to 2**24, 256 by default.
            Pushing one more ends it with CapacityError.

    Demand: requests the free capacity from the upstream once there is a subscriber.
    Errors: as above; the upstream's error is sent after the elements.
    State: the elements that wait until there is a subscriber, the end, and whether it is sealed or disposed; version
        1.0.0.0. The subscription saves the elements that wait for it.
    Threads: any; one at a time delivers, and the signals of other threads wait meanwhile.
    Rules: §1.1, §1.3, §1.7, §1.9, §1.11, §2.5, §2.7, §2.13, §3.9, §4.1, §4.2.

    Example:
        >>> from reactivestreams.subjects import UnicastSubject
        >>> subject = UnicastSubject()
        >>> subject.on_next("early")
        >>> subject.on_complete()
        >>> subject.to_list()
        ['early']
    """

    _is_shared: ClassVar[bool] = False

    def __init__(self, *, capacity: int = DEFAULT_WINDOW) -> None:
        self._open(buffer(capacity))
