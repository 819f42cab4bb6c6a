"""The subjects that serve any number of subscribers from the moment they come."""

from typing import ClassVar, TypeVar

from reactivestreams.subjects.in_memory_subject import InMemorySubject
from reactivestreams.subjects.policy import DEFAULT_POLICY, SubjectPolicy

__all__ = ["BroadcastSubject", "SimpleSubject"]

T = TypeVar("T")


class BroadcastSubject(InMemorySubject[T]):
    """Pass on what comes to all subscribers that are there; a late subscriber gets the terminal signal.

    Args:
        policy: What to do about subscribers that request at different speeds: `error_slow()` by default, `lockstep()`,
            `drop_slow()`, `buffer(...)`.
        auto_cancel: Whether the upstream is cancelled when the last subscriber has left; False by default, since
            somebody may come. A late subscriber then fails with StreamCancelledError, until there is another upstream.
        delay_error: Whether an error waits behind what a subscriber has not requested yet, as it does by default.
            False: it passes that at once; what it passes goes to the hook for dropped signals.

    Demand: of the upstream is requested what the policy says; while there is no subscriber nothing.
    Errors: the upstream's go to all; a slow subscriber fails as the policy says, and the others go on.
    State: none of its own; each subscription saves what waits for its subscriber.
    Threads: any; one delivers at a time, so that all subscribers see one order, and what others push meanwhile waits.
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
    """Pass on what comes to all subscribers that are there, and forget it, a terminal signal too.

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
