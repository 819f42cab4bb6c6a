"""A publisher that breaks one chosen rule and follows the others, to test the reaction of a subscriber."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from reactivestreams.errors import ArgumentError
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.source_publishers import SourceSubscription, SynchronousPublisher

__all__ = ["BROKEN_RULES", "MisbehavingPublisher"]

MEETING_SECONDS = 10.0
"""How long one thread waits for the other if signals should overlap; then it continues alone."""

LATE_ELEMENTS = 100_000
"""The maximum of elements after an ignored `cancel`; §3.12 counts as broken from 20,000 on."""


class MisbehavingPublisher(SynchronousPublisher):
    """Send elements on the thread that requests, or that is already sending, and break one rule.

    Args:
        rule: The broken rule; `BROKEN_RULES` describes the behaviour for each.
        elements: How many elements a subscriber gets, >= 0; `MAX_DEMAND` means endless.
        create_element: Makes the element for a number, counted from 0; by default the number itself.
        environment: Gets the report of a subscriber that raises (§2.13); without it the exception is logged.

    Raises:
        ArgumentError: This publisher cannot break the rule, or the number is negative.

    Threads: any; with rule 1.3 a second thread signals.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.tck.probes.misbehaving_publisher import MisbehavingPublisher
        >>> Stream.from_publisher(MisbehavingPublisher("1.1", elements=3), prefetch=2).to_list()
        Traceback (most recent call last):
        rs_core.errors.DemandExceededError: §1.1: ...
    """

    def __init__(
        self,
        rule: str,
        *,
        elements: int = 3,
        create_element: Callable[[int], Any] = int,
        environment: CheckEnvironment | None = None,
    ) -> None:
        if rule not in BROKEN_RULES:
            raise ArgumentError(
                f"MisbehavingPublisher(rule) cannot break {rule!r}; pass one of {', '.join(BROKEN_RULES)}"
            )
        if elements < 0:
            raise ArgumentError(
                f"MisbehavingPublisher(elements) needs 0 or more, got {elements}; pass how many to send"
            )
        super().__init__(elements, create_element, environment=environment)
        self.rule = rule

    def __repr__(self) -> str:
        return f"MisbehavingPublisher({self.rule!r})"

    @property
    def subscription_class(self) -> type[SourceSubscription]:
        """The class of the subscription that breaks the rule."""
        return _KINDS[self.rule][1]


class _Greedy(SourceSubscription):
    def request(self, n: int, /) -> None:
        super().request(n + 1 if n > 0 else n)


class _Overlapping(SourceSubscription):
    def _drain(self) -> None:
        while (step := self._next_step()) is not None:
            self._signal_both(step, self._next_step() if self._has_another() else None)
            del step

    def _has_another(self) -> bool:
        # Checked first: _next_step ends the drain if it finds nothing, and the first step is not signalled yet.
        if self._next is None and not self._is_over:
            self._next = next(self._numbers, None)
        with self._lock:
            return self._next is None or self._demand > 0 or self._must_end()

    def _signal_both(self, step: Callable[[], None], other_step: Callable[[], None] | None) -> None:
        if other_step is None:
            self._signal(step)
            return
        meeting = threading.Barrier(2, timeout=MEETING_SECONDS)

        def meet_and_signal(step: Callable[[], None]) -> None:
            with suppress(threading.BrokenBarrierError):
                meeting.wait()
            self._signal(step)

        other = threading.Thread(target=meet_and_signal, args=(other_step,), name="misbehaving", daemon=True)
        other.start()
        meet_and_signal(step)
        other.join(MEETING_SECONDS)


class _Silent(SourceSubscription):
    def _drain(self) -> None:
        """Fail without a signal."""


class _NeverEnding(SourceSubscription):
    def _last_step(self, error: Exception | None) -> Callable[[], None] | None:
        step = super()._last_step(error)
        return None if error is None and self._failure is None else step


class _EndingTwice(SourceSubscription):
    def _last_step(self, error: Exception | None) -> Callable[[], None] | None:
        subscriber = self._subscriber
        step = super()._last_step(error)
        if step is None or error is not None or self._failure is not None:
            return step

        def end_and_go_on() -> None:
            subscriber.on_complete()
            subscriber.on_next(self._create_element(0))
            subscriber.on_complete()

        return end_and_go_on


class _Deaf(SourceSubscription):
    _late_steps: int | None = None

    def cancel(self) -> None:
        """Continue for a while."""
        if self._late_steps is None:
            self._late_steps = LATE_ELEMENTS

    def _next_step(self) -> Callable[[], None] | None:
        if self._late_steps is not None:
            if self._late_steps == 0:
                super().cancel()
            self._late_steps -= 1
        return super()._next_step()


class _WithoutSubscription(SourceSubscription):
    def begin(self) -> None:
        subscriber = self._end()
        self._signal(subscriber.on_complete)


class _SendingNone(SourceSubscription):
    def __init__(self, numbers: Iterator[int], create_element: Callable[[int], Any], *others: Any) -> None:
        super().__init__(numbers, lambda number: create_element(number) if number else None, *others)


class _Nesting(SourceSubscription):
    def request(self, n: int, /) -> None:
        self._draining = False
        super().request(n)


class _Lenient(SourceSubscription):
    def request(self, n: int, /) -> None:
        if n > 0:
            super().request(n)


_KINDS: dict[str, tuple[str, type[SourceSubscription]]] = {
    "1.1": ("sends one element more than each request allows", _Greedy),
    "1.3": ("sends two signals at the same time, from two threads, as often as it has two to send", _Overlapping),
    "1.4": ("fails immediately, and never signals it", _Silent),
    "1.5": ("sends all elements, and never completes", _NeverEnding),
    "1.7": ("sends an element and a second on_complete after on_complete", _EndingTwice),
    "1.8": (
        f"continues when it is cancelled, until all requested elements are sent, or {LATE_ELEMENTS:,} elements",
        _Deaf,
    ),
    "1.9": ("completes without on_subscribe", _WithoutSubscription),
    "2.13": ("sends None instead of its first element", _SendingNone),
    "3.3": ("sends inside request, also while an element is being sent: the stack grows with each", _Nesting),
    "3.9": ("ignores requests that are not positive", _Lenient),
}

BROKEN_RULES: MappingProxyType[str, str] = MappingProxyType({rule: text for rule, (text, _) in _KINDS.items()})
"""The rules that a `MisbehavingPublisher` can break, each with its behaviour."""
