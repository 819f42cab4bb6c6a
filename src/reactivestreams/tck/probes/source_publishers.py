"""Correct publishers for a subscriber under test, which send in the caller's thread or in their own."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from itertools import count
from typing import Any

from reactivestreams.errors import InvalidRequestError, NullElementError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.probes.lingering_threads import LingeringThreads

__all__ = ["AsynchronousPublisher", "SourceSubscription", "SynchronousPublisher"]

_log = logging.getLogger("reactivestreams.tck")


class SynchronousPublisher:
    """Send elements on the thread that requests, or that is already sending.

    Each subscriber gets all elements from the first. A request that finds the loop running only adds (§3.3), from any
    thread (§1.3).

    Args:
        elements: How many; `MAX_DEMAND` means endless.
        create_element: Makes the element for a number, counted from 0; by default the number itself.
        environment: Gets the report of a subscriber that raises (§2.13); its end cancels every subscription. Without it
            the exception is logged, and nothing is cancelled.

    Example:
        >>> from reactivestreams.tck.probes.source_publishers import SynchronousPublisher
        >>> class Collector:
        ...     def __init__(self):
        ...         self.signals = []
        ...
        ...     def on_subscribe(self, subscription):
        ...         subscription.request(5)
        ...
        ...     def on_next(self, element):
        ...         self.signals.append(element)
        ...
        ...     def on_error(self, error):
        ...         self.signals.append(error)
        ...
        ...     def on_complete(self):
        ...         self.signals.append("end")
        >>> collector = Collector()
        >>> SynchronousPublisher(2).subscribe(collector)
        >>> collector.signals
        [0, 1, 'end']
    """

    def __init__(
        self,
        elements: int,
        create_element: Callable[[int], Any] = int,
        *,
        environment: CheckEnvironment | None = None,
    ) -> None:
        self._elements = elements
        self._create_element = create_element
        self._environment = environment

    @property
    def subscription_class(self) -> "type[SourceSubscription]":
        """The class of the subscription for a subscriber."""
        return SourceSubscription

    def numbers(self) -> Iterator[int]:
        """Return the numbers of the elements."""
        return count() if self._elements >= MAX_DEMAND else iter(range(self._elements))

    def subscribe(self, subscriber: Any, /) -> None:
        """Start a subscription for the subscriber.

        Raises:
            NullElementError: The subscriber is None.
        """
        if subscriber is None:
            raise NullElementError("§1.9: subscribe(None); pass a subscriber", rule="1.9")
        kind = self.subscription_class
        subscription = kind(self.numbers(), self._create_element, subscriber, self._run, self._report)
        if self._environment is not None:
            # A subject that neither cancels nor stops requesting would take elements of an endless source forever.
            self._environment.at_end(subscription.cancel)
        subscription.begin()

    def _run(self, drain: Callable[[], None]) -> None:
        drain()

    def _report(self, error: Exception) -> None:
        message = f"a signal raised {type(error).__name__}: {error_text(error)}"
        if self._environment is None:
            _log.error("§2.13: %s; the subscription is cancelled", message)
        else:
            self._environment.violation("2.13", message)


class AsynchronousPublisher(SynchronousPublisher):
    """Send elements from tasks of an executor, or from threads that end soon after they have nothing to send.

    An executor that refuses work leads to `on_error` after `on_subscribe` (§1.9).

    Args:
        elements: How many; `MAX_DEMAND` means endless.
        create_element: Makes the element for a number, counted from 0; by default the number itself.
        environment: Gets the report of a subscriber that raises (§2.13); without it the exception is logged.
        executor: The executor whose tasks send; without it the publisher's own threads send when there are elements.
    """

    def __init__(
        self,
        elements: int,
        create_element: Callable[[int], Any] = int,
        *,
        environment: CheckEnvironment | None = None,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(elements, create_element, environment=environment)
        self._executor = executor
        self._threads = LingeringThreads("tck-source")

    def _run(self, drain: Callable[[], None]) -> None:
        if self._executor is not None:
            self._executor.submit(drain)
        else:
            self._threads.run(drain)


class SourceSubscription:
    """Serve one subscriber from an iterator of numbers.

    One thread drains at a time: a thread that finds `_draining` set records its request or cancellation and returns.

    Args:
        numbers: The numbers of the elements.
        create_element: Makes an element.
        subscriber: The receiver of the elements.
        run: Calls a function, in this or another thread.
        report: Called with the exception of a signal, after the subscription was cancelled for it.
    """

    def __init__(
        self,
        numbers: Iterator[int],
        create_element: Callable[[int], Any],
        subscriber: Any,
        run: Callable[[Callable[[], None]], None],
        report: Callable[[Exception], None],
    ) -> None:
        self._numbers = numbers
        self._create_element = create_element
        self._subscriber: Any = subscriber
        self._run = run
        self._report = report
        self._lock = threading.Lock()
        self._draining = True  # until on_subscribe has returned: its requests only add
        self._demand = 0
        self._failure: Exception | None = None
        self._next: int | None = None
        self._is_over = False

    def begin(self) -> None:
        """Signal `on_subscribe`, then serve the requests from it."""
        subscriber = self._subscriber
        self._signal(lambda: subscriber.on_subscribe(self))
        self._start()

    def request(self, n: int, /) -> None:
        """Request n more elements."""
        with self._lock:
            if self._is_over:  # §3.6
                return
            if n > 0:
                self._demand = min(MAX_DEMAND, self._demand + n)  # §3.8, §3.17
            elif self._failure is None:
                self._failure = InvalidRequestError(f"§3.9: non-positive subscription request: {n}")
            if self._draining:  # §3.3
                return
            self._draining = True
        self._start()

    def cancel(self) -> None:
        """Send nothing more."""
        with self._lock:
            self._end()

    def _start(self) -> None:
        try:
            self._run(self._drain)
        except Exception as error:  # the executor refused: no other thread drains, so this one may signal
            with self._lock:
                refusal, subscriber = error, self._end()
            if subscriber is not None:
                self._signal(lambda: subscriber.on_error(refusal))

    def _end(self) -> Any:
        # §3.13: the subscriber is released immediately, also while the drain runs.
        subscriber, self._subscriber = self._subscriber, None
        self._is_over = True
        self._demand = 0
        return subscriber

    def _drain(self) -> None:
        while True:
            step = self._next_step()
            if step is None:
                return
            self._signal(step)
            del step  # it refers to the subscriber

    def _signal(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as error:  # §2.13: as if it had cancelled; the error is reported elsewhere
            with self._lock:
                self._end()
            self._report(error)

    def _next_step(self) -> Callable[[], None] | None:
        """Return the next signal, or end the drain and return None if there is none."""
        if self._next is None and not self._is_over:
            self._next = next(self._numbers, None)
        number = self._next
        with self._lock:
            if number is None or self._must_end():
                return self._last_step(None)
            if not self._demand:
                self._draining = False
                return None
        # Only this thread reduces the demand, so the value read stays valid while the element is made without the lock.
        element: Any = None
        error: Exception | None = None
        try:
            element = self._create_element(number)
        except Exception as cause:
            error = RuntimeError(f"Failed to create element for id {number}! {error_text(cause)}")
            error.__cause__ = cause
        with self._lock:
            if error is not None or self._must_end():
                return self._last_step(error)
            self._demand -= 1 if self._demand < MAX_DEMAND else 0
            self._next = None
            subscriber = self._subscriber
            return lambda: subscriber.on_next(element)

    def _must_end(self) -> bool:
        return self._is_over or self._failure is not None

    def _last_step(self, error: Exception | None) -> Callable[[], None] | None:
        if self._is_over:
            self._draining = False
            return None
        failure = self._failure or error
        subscriber = self._end()
        if failure is not None:
            return lambda: subscriber.on_error(failure)
        complete: Callable[[], None] = subscriber.on_complete
        return complete

    def __repr__(self) -> str:
        return f"SourceSubscription(demand={safe_repr(self._demand)})"
