"""A subject of an engine as the outside sees it: to subscribe to, not to push into."""

from typing import Any, Generic, NoReturn, TypeVar

from reactivestreams.engine.errors import EngineStatusError
from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.schedulers import LogicalScheduler
from reactivestreams.spec import Subscriber
from reactivestreams.subjects import MultiSubject

__all__ = ["HostedSubject"]

T = TypeVar("T")


class HostedSubject(MultiSubject[T, T], Generic[T]):
    """Give subscribers what comes to a subject of an engine; refuse what would not be part of a checkpoint.

    Args:
        artifact_id: For messages.
        subject: The subject.
        scheduler: Where its artifact runs.

    Demand, State, Threads, Rules: the subject's.
    Errors: the subject's; EngineStatusError for who pushes from outside of the engine, or disposes.
    """

    def __init__(self, artifact_id: str, subject: MultiSubject[T, T], scheduler: LogicalScheduler) -> None:
        self._artifact_id = artifact_id
        self._subject = subject
        self._scheduler = scheduler

    def create_observer(self) -> Subscriber[T]:
        """Return the entrance, inside of a task of the engine.

        Raises:
            EngineStatusError: The caller is outside of the engine.
        """
        if not self._scheduler.is_in_turn():
            raise EngineStatusError(
                f"create_observer() of the subject {self._artifact_id!r}: what is pushed from outside of the engine "
                f"would be part of no checkpoint; define a PushInput, and call engine.push()"
            )
        return self._subject.create_observer()

    def bind(self, subscriber: Subscriber[T], /) -> OperatorSubscription:
        """Return the handle of a new subscription."""
        return self._subject.bind(subscriber)

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
