"""The subjects that send to each subscriber the elements that arrive after it subscribed."""

from typing import ClassVar, TypeVar

from reactivestreams.subjects.in_memory_subject import InMemorySubject
from reactivestreams.subjects.policy import DEFAULT_POLICY, SubjectPolicy

__all__ = ["BroadcastSubject", "SimpleSubject"]

T = TypeVar("T")


class BroadcastSubject(InMemorySubject[T]):
    """Send elements to all current subscribers; a late subscriber gets only the terminal signal.

    Args:
        policy: How to serve subscribers that request at different speeds: `error_slow()` by default, `lockstep()`,
            `drop_slow()`, `buffer(...)`.
        auto_cancel: Whether the upstream is cancelled when the last subscriber has cancelled; False by default, because
            another may subscribe. With True, a late subscriber fails with StreamCancelledError until there is another
            upstream.
        delay_error: Whether an error is sent after the elements that a subscriber has not requested yet; True by
            default. False: it is sent immediately, and those elements go to the hook for dropped signals.

    Demand: the policy decides how much is requested upstream; nothing while there is no subscriber.
    Errors: the upstream's error goes to all subscribers; if the policy fails a slow subscriber, the others continue.
    State: the end, and whether it is sealed or disposed; each subscription saves the elements that wait for its
        subscriber. Version 1.0.0.0.
    Threads: any; one at a time delivers, so all subscribers see the same order, and the signals of other threads wait
        meanwhile.
    Rules: §1.1, §1.3, §1.7, §1.9, §2.5, §2.7, §2.12, §2.13, §3.9, §4.1, §4.2.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import BroadcastSubject, lockstep
        >>> class Printing:
        ...     def __init__(self, name):
        ...         self.name = name
        ...
        ...     def on_subscribe(self, subscription):
        ...         subscription.request(2)
        ...
        ...     def on_next(self, element):
        ...         print(self.name, element)
        ...
        ...     def on_error(self, error):
        ...         print(self.name, "failed:", error)
        ...
        ...     def on_complete(self):
        ...         print(self.name, "complete")
        >>> subject = BroadcastSubject(policy=lockstep())
        >>> subject.subscribe(Printing("first"))
        >>> subject.subscribe(Printing("second"))
        >>> Stream.just("a", "b").subscribe(subject)
        first a
        second a
        first b
        second b
        first complete
        second complete
    """

    def __init__(
        self, *, policy: SubjectPolicy = DEFAULT_POLICY, auto_cancel: bool = False, delay_error: bool = True
    ) -> None:
        self._open(policy, auto_cancel=auto_cancel, delay_error=delay_error)


class SimpleSubject(InMemorySubject[T]):
    """Send signals to all current subscribers and retain none, not even a terminal signal.

    A terminal signal ends the subscriptions, not the subject: more upstreams, elements and subscribers may follow.

    Args:
        policy: As for `BroadcastSubject`.
        auto_cancel: As for `BroadcastSubject`.
        delay_error: As for `BroadcastSubject`.

    Demand, Errors, State, Threads, Rules: as for `BroadcastSubject`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import SimpleSubject
        >>> subject = SimpleSubject()
        >>> subject.create_observer() is subject
        True
        >>> subject.offer("nobody listens")
        <OfferResult.NO_SUBSCRIBER: 'no subscriber'>
    """

    _remembers_end: ClassVar[bool] = False

    def __init__(
        self, *, policy: SubjectPolicy = DEFAULT_POLICY, auto_cancel: bool = False, delay_error: bool = True
    ) -> None:
        self._open(policy, auto_cancel=auto_cancel, delay_error=delay_error)
