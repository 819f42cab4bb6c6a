"""A node that checks the signals between an operator written in Python and its subscriber, in debug mode."""

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from reactivestreams.errors import (
    AlreadySubscribedError,
    DemandExceededError,
    NullElementError,
    SignalAfterEndError,
    SignalOverlapError,
)
from reactivestreams.lifecycle.dispatch import needs_dispatch
from reactivestreams.lifecycle.errors import LifecycleError
from reactivestreams.lifecycle.operator_node import OperatorNode
from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec import Subscriber, Subscription
from rs_core.demand import Demand

__all__ = ["SignalChecker"]


class SignalChecker(OperatorNode):
    """Check the signals between an operator and its subscriber. It is visible to visitors and has no state.

    It raises in the caller of a signal if signals overlap (§1.3), follow the end (§1.7), exceed the demand (§1.1),
    precede `on_subscribe` or contain a second subscription (§2.12), are None (§2.13), or run outside of the host's
    scheduler. Only `on_error` may run outside, because a scheduler that accepts no task cannot report its error.

    Args:
        subscriber: The subscriber.
        sender: Name of the operator in messages.

    Threads: those of the operator.
    """

    def __init__(self, subscriber: Subscriber[Any], sender: str) -> None:
        self._subscriber = subscriber
        self._sender = sender
        self._operator: OperatorSubscription | None = None
        self._subscription: Subscription | None = None
        self._lock = threading.RLock()  # guards `_subscription`, `_allowed` until there is one, `_early_refused`
        self._early_refused: list[int] = []  # the first illegal request that came before there was a subscription
        self._signalling = threading.Lock()
        self._allowed = Demand()
        self._passed = 0
        self._ended_with: str | None = None

    def check(self, operator: OperatorSubscription) -> None:
        """Set the operator to check, the result of `bind_inputs`."""
        self._operator = operator

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        """Return the checked operator."""
        return () if self._operator is None else (self._operator,)

    # --- what the subscriber calls ----------------------------------------------------------------------------------

    def request(self, n: int, /) -> None:
        """Record a request and pass it on; before the subscription, requests add up."""
        with self._lock:
            subscription = self._subscription
            try:
                self._allowed.add(n)
            except (ValueError, TypeError):  # the operator answers it (§3.9)
                if subscription is None and not self._early_refused:
                    self._early_refused.append(n)
        if subscription is not None:
            subscription.request(n)

    def cancel(self) -> None:
        """Cancel: the same as `dispose`."""
        self.dispose()

    # --- what the operator calls ------------------------------------------------------------------------------------

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Pass this node to the subscriber as its subscription."""
        if subscription is None:
            raise NullElementError(f"§2.13: {self._sender} called on_subscribe(None); pass a subscription")
        self._refuse("on_subscribe")
        with self._lock:
            is_second = self._subscription is not None
            early = [self._allowed.value] if self._allowed.value else []
            if not is_second:
                self._subscription = subscription
        if is_second:
            raise AlreadySubscribedError(
                f"§2.12: {self._sender} called on_subscribe a second time; call it once, before all other signals"
            )
        self._subscriber.on_subscribe(self)  # §1.9: first, since a request may be answered at once
        for n in (*early, *self._early_refused):
            subscription.request(n)

    def on_next(self, element: Any, /) -> None:
        """Pass an element on."""
        if element is None:
            raise NullElementError(f"§2.13: {self._sender} called on_next(None); None cannot be an element")
        with self._passing("on_next"):
            allowed = self._allowed.value
            if self._passed >= allowed and not self._allowed.is_unbounded:
                raise DemandExceededError(
                    f"§1.1: {self._sender} sent {element!r} as element {self._passed + 1}, {allowed} were requested; "
                    f"send what was requested, at most"
                )
            self._passed += 1
            self._subscriber.on_next(element)

    def on_error(self, error: Exception, /) -> None:
        """Pass the error on."""
        if error is None:
            raise NullElementError(f"§2.13: {self._sender} called on_error(None); pass an exception")
        with self._passing("on_error"):
            self._ended_with = "on_error"
            self._subscriber.on_error(error)

    def on_complete(self) -> None:
        """Pass the completion on."""
        with self._passing("on_complete"):
            self._ended_with = "on_complete"
            self._subscriber.on_complete()

    @contextmanager
    def _passing(self, signal: str) -> Generator[None]:
        if not self._signalling.acquire(blocking=False):
            raise SignalOverlapError(
                f"§1.3: {self._sender} called {signal} while its subscriber is still processing a signal; "
                f"signal one at a time, never inside a signal"
            )
        try:
            self._refuse(signal)
            yield
        finally:
            self._signalling.release()

    def _refuse(self, signal: str) -> None:
        if self._ended_with is not None:
            raise SignalAfterEndError(
                f"§1.7: {self._sender} called {signal}, and has terminated already with {self._ended_with}; "
                f"nothing may come after the end"
            )
        if signal == "on_subscribe":  # by the thread that starts the tree
            return
        if self._subscription is None:
            raise LifecycleError(f"{self._sender} called {signal} before on_subscribe (§1.9); call that first")
        if signal == "on_error":  # by whoever finds that the scheduler takes no task
            return
        scheduler = getattr(self._node_context, "scheduler", None)
        if needs_dispatch(scheduler):
            raise LifecycleError(
                f"{self._sender} called {signal} in a thread that is none of {scheduler!r}; schedule what signals there"
            )
