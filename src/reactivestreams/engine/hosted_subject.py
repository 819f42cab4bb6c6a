"""A subject of an engine as the outside sees it: to subscribe to, not to push into."""

from typing import Any, Generic, NoReturn, TypeVar

from reactivestreams.engine.errors import EngineStatusError
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.schedulers import LogicalScheduler
from reactivestreams.spec import Subscriber, Subscription
from reactivestreams.stream import Stream
from reactivestreams.subjects import ConvertingSubject, MultiSubject, SubjectTypeError

__all__ = ["HostedSubject"]

T = TypeVar("T")


class HostedSubject(MultiSubject[T, T], Generic[T]):
    """Give subscribers what comes to a subject of an engine; refuse what would not be part of a checkpoint.

    Args:
        artifact_id: For messages.
        subject: The subject.
        scheduler: Where its artifact runs.
        conversions: What converts its elements, where types have to be converted; None: types are only checked.
        accepts: The type of the elements that this use pushes.
        sends: The type of the elements that this use gets.

    Demand, State, Threads, Rules: the subject's.
    Errors: the subject's; EngineStatusError for who pushes from outside of the engine, or disposes; SubjectTypeError
        for who pushes an element of another type, and the error of `cast` for who gets one.
    """

    def __init__(
        self,
        artifact_id: str,
        subject: MultiSubject[T, T],
        scheduler: LogicalScheduler,
        conversions: ConvertingSubject | None = None,
        accepts: Any = object,
        sends: Any = object,
    ) -> None:
        self._artifact_id = artifact_id
        self._subject = subject
        self._scheduler = scheduler
        self._conversions = conversions
        self._accepts = accepts
        self._sends = sends

    def to_typed(self, accepts: Any, sends: Any, /) -> "HostedSubject[Any]":
        """Return the subject for the types of one use.

        Args:
            accepts: The type of the elements that this use pushes, as `isinstance` takes it, or what the subject has
                conversions for.
            sends: The type of the elements that this use gets.

        Raises:
            ArgumentTypeError: The subject has no conversions, and this is nothing that `isinstance` takes.
        """
        if self._conversions is None:
            for name, kind in (("accepts", accepts), ("sends", sends)):
                self._require_type(name, kind)
        return HostedSubject(self._artifact_id, self._subject, self._scheduler, self._conversions, accepts, sends)

    def _require_type(self, name: str, kind: Any) -> None:
        try:
            isinstance(None, kind)
        except TypeError as error:
            raise ArgumentTypeError(
                f"get_subject({self._artifact_id!r}, {name}={kind!r:.200}): this subject checks classes, and this is "
                f"{type(kind).__name__}: {error}; pass a class, or let its factory return a ConvertingSubject"
            ) from error

    def create_observer(self) -> Subscriber[T]:
        """Return the entrance, inside of a task of the engine.

        Raises:
            EngineStatusError: The caller is outside of the engine.
            SubjectTypeError: The subject has no conversion from the type of this use.
        """
        if not self._scheduler.is_in_turn():
            raise EngineStatusError(
                f"create_observer() of the subject {self._artifact_id!r}: what is pushed from outside of the engine "
                f"would be part of no checkpoint; define a PushInput, and call engine.push()"
            )
        if self._accepts is object:
            return self._subject.create_observer()
        if self._conversions is not None:
            return self._conversions.get_observer(self._accepts)
        return _CheckingObserver(self._artifact_id, self._accepts, self._subject.create_observer())

    def bind(self, subscriber: Subscriber[T], /) -> OperatorSubscription:
        """Return the handle of a new subscription.

        Raises:
            SubjectTypeError: The subject has no conversion to the type of this use.
        """
        if self._sends is object:
            return self._subject.bind(subscriber)
        if self._conversions is not None:
            return self._conversions.get_observable(self._sends).bind(subscriber)
        return Stream.from_publisher(self._subject).cast(self._sends).bind(subscriber)

    def dispose(self) -> NoReturn:
        """Raise: the engine owns the subject.

        Raises:
            EngineStatusError: Always.
        """
        raise EngineStatusError(
            f"dispose() of the subject {self._artifact_id!r}, which its engine owns; call engine.delete()"
        )

    def __repr__(self) -> str:
        subject: Any = self._subject
        return f"<HostedSubject {self._artifact_id}: {subject!r}>"


class _CheckingObserver(Subscriber[T]):
    """Push elements of one type, and raise for others."""

    def __init__(self, artifact_id: str, kind: Any, observer: Subscriber[T]) -> None:
        self._artifact_id = artifact_id
        self._kind = kind
        self._observer = observer

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self._observer.on_subscribe(subscription)

    def on_next(self, element: T, /) -> None:
        if not isinstance(element, self._kind):
            raise SubjectTypeError(
                f"{element!r:.200} ({type(element).__name__}) was pushed into the subject {self._artifact_id!r}, which "
                f"was taken with accepts={self._kind!r}; push what is of this type, or take the subject with another"
            )
        self._observer.on_next(element)

    def on_error(self, error: Exception, /) -> None:
        self._observer.on_error(error)

    def on_complete(self) -> None:
        self._observer.on_complete()
