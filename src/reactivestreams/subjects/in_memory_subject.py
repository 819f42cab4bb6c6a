"""What the subjects in memory share: a core that passes signals on by a policy of demand, sealing and disposing."""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from reactivestreams.arguments import checked_callable
from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentTypeError, NullElementError
from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.schedulers import Scheduler
from reactivestreams.spec import MAX_DEMAND, Subscriber, Subscription
from reactivestreams.subjects.errors import SubjectDisposedError, SubjectSealedError
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.policy import SubjectPolicy
from reactivestreams.subjects.subscription_definition import SubjectSubscription
from rs_core.ends.subscriber import SubscriberStage
from rs_core.multicaster import OfferResult, SubjectCore
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from reactivestreams.tck import ProcessorTraits

__all__ = ["InMemorySubject"]

T = TypeVar("T")


class InMemorySubject(MultiSubject[T, T]):
    """Pass on what is signalled to all subscribers; the base of the subjects of this package, not made by itself.

    It is a Processor: subscribe it to a publisher, or push with `on_next`, or with `offer`, which tells whether
    everybody can take an element. Subscriptions begin when they are started.
    """

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
    def _label(self) -> str:
        return type(self).__name__

    # --- producers --------------------------------------------------------------------------------------------------

    def create_observer(self) -> Subscriber[T]:
        """Return the entrance, which is this subject, each time."""
        return self

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription of an upstream; a second one, and one after the end, is cancelled at once (§2.5)."""
        self._has_upstream = True
        self._core.accept_subscription(subscription)

    def on_next(self, element: T, /) -> None:
        """Pass an element on, by the policy. Always runs user code: the subscribers'.

        While another thread delivers, or from inside a delivery, it waits; one beyond the bound, 1024 or the capacity
        of the policy, is dropped or ends the subject, as the policy says. After the end it goes to the hook for dropped
        signals.

        Raises:
            NullElementError: The element is None (§2.13).
            SubjectDisposedError: The subject was disposed, and it has no upstream, whose elements may be late (§2.8).
        """
        if not self._core.accept_element(element) and self._is_over("on_next"):
            dropped("on_next", element, origin=self._label)

    def offer(self, element: T, /) -> OfferResult:
        """Pass an element on if every subscriber can take it, else do nothing. Always runs user code.

        Returns:
            What became of it; after all results but ACCEPTED the element is still the caller's. NO_DEMAND may be too
            careful where it meets another delivery: then it counts on what was requested before that.

        Raises:
            NullElementError: The element is None.
        """
        return self._core.offer(element)

    def on_error(self, error: Exception, /) -> None:
        """Fail: all subscribers get the error after what they have not taken yet.

        Raises:
            NullElementError: The error is None (§2.13).
            SubjectDisposedError: As for `on_next`.
        """
        if error is None:
            raise NullElementError("§2.13: on_error(None): an exception is needed; pass one", rule="2.13")
        if not self._core.accept_end(error):
            self._is_over("on_error")
            dropped("on_error", error, origin=self._label)

    def on_complete(self) -> None:
        """Complete: all subscribers do, after what they have not taken yet.

        Raises:
            SubjectDisposedError: As for `on_next`.
        """
        if not self._core.accept_end(None):
            self._is_over("on_complete")

    def _is_over(self, signal: str) -> bool:
        """Return whether a signal came after the end; after dispose it may be late, where there is an upstream."""
        if self._is_disposed and not self._has_upstream:
            raise SubjectDisposedError(
                f"{signal} of {self._label}, which was disposed; push before, or into another one"
            )
        return not self._is_disposed

    # --- subscribers ------------------------------------------------------------------------------------------------

    def bind(self, subscriber: Subscriber[T], /) -> OperatorSubscription:
        """Return the handle of a new subscription; it begins when it is started.

        Where the subject is sealed, disposed or serves one subscriber only, the subscriber gets that as an error.

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
        """What this subject is like as a processor, which the compatibility kit asks for. Never runs user code."""
        from reactivestreams.tck import ProcessorTraits

        return ProcessorTraits(
            max_supported_subscribers=MAX_DEMAND if self._is_shared else 1,
            does_coordinated_emission=self._policy.is_lockstep,
            delays_errors=self._delay_error,
            replays_elements=self._replays,
            cancels_upstream=self._auto_cancel or not self._is_shared,
            overflow=self._policy.overflow,
        )

    # --- the end ------------------------------------------------------------------------------------------------------

    @property
    def is_sealed(self) -> bool:
        """Whether there can be no more subscribers."""
        return self._is_sealed

    @property
    def is_disposed(self) -> bool:
        """Whether it was disposed."""
        return self._is_disposed

    def seal(self, *, on_empty: Callable[[], object] | None = None) -> None:
        """Take no more subscribers; those that are there stay. When none is left the subject disposes itself.

        Args:
            on_empty: Called once, when that has happened; a later call's is ignored.

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
        """Take and give nothing any more: subscribers fail, the upstream is cancelled. Idempotent."""
        self._is_disposed = True
        self._core.dispose(self._disposed_error)

    def _sealed_error(self) -> Exception:
        return SubjectSealedError(f"{self._label} is sealed and takes no more subscribers; subscribe before it is")

    def _disposed_error(self) -> Exception:
        return SubjectDisposedError(f"{self._label} was disposed; subscribe to another one")

    def __repr__(self) -> str:
        state = "disposed" if self._is_disposed else f"{self.subscriber_count} subscribers"
        return f"<{self._label}: {state}{', sealed' if self._is_sealed and not self._is_disposed else ''}>"
