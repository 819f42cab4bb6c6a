"""The base of the subjects in memory: a multicaster with a demand policy, sealing and disposing."""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from reactivestreams.arguments import checked_callable
from reactivestreams.dropped import dropped
from reactivestreams.errors import AlreadySubscribedError, ArgumentTypeError, NullElementError
from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.schedulers import Scheduler
from reactivestreams.spec import MAX_DEMAND, Subscriber, Subscription
from reactivestreams.state import StateChanged, StateReader, StateWriter, Version
from reactivestreams.subjects.errors import SubjectDisposedError, SubjectSealedError
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.policy import SubjectPolicy
from reactivestreams.subjects.subscription_definition import SubjectSubscription
from rs_core.ends.subscriber import SubscriberStage
from rs_core.multicaster import OfferResult, SubjectCore, SubjectInput
from rs_core.state.refusals import check_loading, check_saving
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from reactivestreams.tck import ProcessorTraits

__all__ = ["InMemorySubject"]

T = TypeVar("T")


class InMemorySubject(SubjectInput[T], MultiSubject[T, T]):
    """Send signals to all subscribers; the base of the subjects of this package, not instantiated itself.

    It is a Processor: subscribe it to a publisher, or push with `on_next`, or with `offer`, which returns whether every
        subscriber can accept an element. Subscriptions begin when they are started.

    A host saves and loads it as a node with state: what late subscribers get is the elements that it retains, the end,
    and whether it is sealed or disposed. What was given to subscribers and not sent is in their own state.
    """

    version: ClassVar[Version] = (1, 0, 0, 0)
    loadable_versions: ClassVar[tuple[Version, ...]] = ()

    _is_shared: ClassVar[bool] = True
    _remembers_end: ClassVar[bool] = True

    def _open(
        self,
        policy: SubjectPolicy,
        *,
        replay_limit: int = 0,
        max_age: timedelta | None = None,
        scheduler: Scheduler | None = None,
        auto_cancel: bool = False,
        delay_error: bool = True,
    ) -> Self:
        if not isinstance(policy, SubjectPolicy):
            raise ArgumentTypeError(
                f"{self._label}(policy) needs a SubjectPolicy, got {policy!r} ({type(policy).__name__}); pass "
                f"lockstep(), error_slow(), drop_slow() or buffer()"
            )
        self._policy = policy
        self._replays = replay_limit > 0
        self._auto_cancel = auto_cancel
        self._delay_error = delay_error
        self._is_sealed = False
        self._is_disposed = False
        self._has_upstream = False
        self._changes = StateChanged()
        self._core = SubjectCore(
            self._label,
            policy,
            is_shared=self._is_shared,
            replay_limit=replay_limit,
            max_age=max_age,
            scheduler=scheduler,
            remembers_end=self._remembers_end,
            auto_cancel=auto_cancel,
            delay_error=delay_error,
        )
        return self

    @property
    def policy(self) -> SubjectPolicy:
        """How subscribers are served that request at different speeds."""
        return self._policy

    @property
    def core(self) -> SubjectCore:
        """What passes the signals on; a shared stream adds its subscribers to it."""
        return self._core

    @property
    def _label(self) -> str:
        return type(self).__name__

    # --- producers --------------------------------------------------------------------------------------------------

    def create_observer(self) -> Subscriber[T]:
        """Return this subject: it is its own observer."""
        return self

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Accept the subscription of an upstream; cancel a second one, or one after the end, immediately (§2.5).

        What was cancelled goes to the hook for dropped signals, since its publisher's elements come nowhere.
        """
        self._has_upstream = True
        if not self._core.accept_subscription(subscription):
            dropped(
                "on_subscribe",
                AlreadySubscribedError(
                    f"§2.12: {self._label} has ended or has a publisher already, so {subscription!r:.200} was "
                    f"cancelled; subscribe one stream that merges the publishers, or a new subject"
                ),
                origin=self._label,
            )

    def _refuse_element(self, element: T) -> None:
        if self._is_over("on_next"):
            dropped("on_next", element, origin=self._label)

    def offer(self, element: T, /) -> OfferResult:
        """Send an element if every subscriber can accept it, else do nothing. Always runs user code.

        Returns:
            The result; unless it is ACCEPTED, the caller still owns the element. During another delivery NO_DEMAND may
            be too cautious: then only the demand from before that delivery counts.

        Raises:
            NullElementError: The element is None.
        """
        return self._core.offer(element)

    def on_error(self, error: Exception, /) -> None:
        """Fail: all subscribers get the error after their waiting elements.

        Raises:
            NullElementError: The error is None (§2.13).
            SubjectDisposedError: As for `on_next`.
        """
        if error is None:
            raise NullElementError("§2.13: on_error(None): an exception is needed; pass the error", rule="2.13")
        if not self._core.accept_end(error):
            self._is_over("on_error")
            dropped("on_error", error, origin=self._label)

    def on_complete(self) -> None:
        """Complete: all subscribers complete after their waiting elements.

        Raises:
            SubjectDisposedError: As for `on_next`.
        """
        if not self._core.accept_end(None):
            self._is_over("on_complete")

    def _is_over(self, signal: str) -> bool:
        """Return whether a signal came after the end; after `dispose`, signals of an upstream may arrive late."""
        if self._is_disposed and not self._has_upstream:
            raise SubjectDisposedError(
                f"{signal} of {self._label}, which was disposed; push before that, or into another subject"
            )
        return not self._is_disposed

    # --- subscribers ------------------------------------------------------------------------------------------------

    def bind(self, subscriber: Subscriber[T], /) -> OperatorSubscription:
        """Return the handle of a new subscription; it begins when it is started.

        If the subject is sealed, disposed or already has its only subscriber, the subscriber gets an error.

        Raises:
            NullElementError: The subscriber is None (§1.9).
            ArgumentTypeError: It is not a Subscriber.
        """
        return SubscriberStage(Description(SubjectSubscription, (self._core,)), subscriber)

    @property
    def subscriber_count(self) -> int:
        """How many subscribers there are."""
        return self._core.subscriber_count

    @property
    def processor_traits(self) -> "ProcessorTraits":
        """The traits of this subject as a processor, for the compatibility kit. Never runs user code."""
        from reactivestreams.tck import ProcessorTraits

        return ProcessorTraits(
            max_supported_subscribers=MAX_DEMAND if self._is_shared else 1,
            does_coordinated_emission=self._policy.is_lockstep,
            delays_errors=self._delay_error,
            replays_elements=self._replays,
            cancels_upstream=self._auto_cancel or not self._is_shared,
            overflow=self._policy.overflow,
        )

    # --- state --------------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The id in front of its saved state."""
        return f"rx://subjects/{self._label}"

    @property
    def state_changed(self) -> bool:
        """Whether there is state that is not yet stored; True until it was saved or loaded once."""
        return self._changes.state_changed or self._core.state_differs

    def save_state(self, writer: StateWriter, /) -> int:
        """Write what late subscribers get, whether it is sealed, and whether it was disposed.

        Returns:
            The number of the snapshot, for `on_state_saved`.

        Raises:
            StateError: Something is being delivered.
        """
        check_saving(self, writer, self._core.is_flowing)
        generation = self._changes.save_state()
        try:
            writer.write(self._is_disposed)
            writer.write(self._is_sealed)
            self._core.save_fields(writer)
        except BaseException:
            self._changes.state_changed = True
            raise
        return generation

    def load_state(self, reader: StateReader, version: Version, /) -> None:
        """Read the state of `save_state` into a new subject, before it has subscribers.

        A sealed one takes the subscribers back that it had, and no others. What `on_empty` was is not known any more.

        Raises:
            StateError: The subject was used already, or cannot read the version.
        """
        was_used = self._has_upstream or self._core.state_differs or self.subscriber_count or self._changes.generation
        check_loading(self, reader, version, bool(was_used))
        is_disposed = reader.read(bool)
        is_sealed = reader.read(bool)
        self._core.load_fields(reader)
        if is_sealed:
            self.seal()
        if is_disposed:
            self.dispose()
        self._core.loaded()
        self._changes.load_state()

    def on_state_saved(self, generation: int | None = None) -> None:
        """Record that a snapshot was stored; does nothing if none is pending.

        Args:
            generation: The snapshot, as returned by `save_state`; None means the last one.
        """
        self._changes.on_state_saved(generation)

    # --- the end ------------------------------------------------------------------------------------------------------

    @property
    def is_sealed(self) -> bool:
        """Whether more subscribers are refused."""
        return self._is_sealed

    @property
    def is_disposed(self) -> bool:
        """Whether it was disposed."""
        return self._is_disposed

    def seal(self, *, on_empty: Callable[[], object] | None = None) -> None:
        """Refuse more subscribers; the current ones stay. When none is left the subject disposes itself.

        Args:
            on_empty: Called once after that; the function of a later call is ignored.

        Raises:
            ArgumentTypeError: It cannot be called, or is a coroutine function.
        """
        if on_empty is not None:
            checked_callable(on_empty, operator="seal", name="on_empty")
        if self._is_sealed:
            return
        self._is_sealed = True

        def leave() -> None:
            self.dispose()
            if on_empty is not None:
                on_empty()

        self._core.seal(self._sealed_error, leave)

    def dispose(self) -> None:
        """Stop: subscribers fail, and the upstream is cancelled. Idempotent."""
        self._is_disposed = True
        self._core.dispose(self._disposed_error)

    def _sealed_error(self) -> Exception:
        return SubjectSealedError(f"{self._label} is sealed and accepts no more subscribers; subscribe before that")

    def _disposed_error(self) -> Exception:
        return SubjectDisposedError(f"{self._label} was disposed; subscribe to another subject")

    def __repr__(self) -> str:
        state = "disposed" if self._is_disposed else f"{self.subscriber_count} subscribers"
        return f"<{self._label}: {state}{', sealed' if self._is_sealed and not self._is_disposed else ''}>"
