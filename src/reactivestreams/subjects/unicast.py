"""The subject that serves one subscriber."""

from typing import ClassVar, TypeVar

from reactivestreams.subjects.in_memory_subject import InMemorySubject
from reactivestreams.subjects.policy import DEFAULT_WINDOW, buffer

__all__ = ["UnicastSubject"]

T = TypeVar("T")


class UnicastSubject(InMemorySubject[T]):
    """Keep what comes for the one subscriber that it serves; another one gets an error (§1.11).

    Args:
        capacity: How many elements may wait, also before there is a subscriber: from 1 to 2**24, 256 by default. One
            more that is pushed ends it with CapacityError.

    Demand: as much of the upstream as there is room, when there is a subscriber.
    Errors: as above; the upstream's come after the elements.
    State: none of its own; the subscription saves what waits.
    Threads: any; one delivers at a time, and what others push meanwhile waits.
    Rules: §1.1, §1.3, §1.7, §1.9, §1.11, §2.5, §2.7, §2.13, §3.9, §4.1, §4.2.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import UnicastSubject
        >>> subject = UnicastSubject()
        >>> subject.on_next("early")
        >>> subject.on_complete()
        >>> Stream.from_publisher(subject).to_list()
        ['early']
    """

    _is_shared: ClassVar[bool] = False

    def __init__(self, *, capacity: int = DEFAULT_WINDOW) -> None:
        self._open(buffer(capacity))
