"""Check a stream step by step, in virtual time or on the real clock: expect, request, wait, expect the end."""

import time
from collections.abc import Callable
from typing import Any, Self

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.dropped import set_hook
from reactivestreams.errors import ArgumentTypeError, ReactiveStreamsError
from reactivestreams.lifecycle import OperatorSubscription, initialize_tree
from reactivestreams.testing.observer import UNBOUNDED, TestObserver
from reactivestreams.testing.recorded import OnComplete, OnErrorWhere, OnNext, OnNextWhere
from reactivestreams.testing.scheduler import TestScheduler

__all__ = ["DEFAULT_PATIENCE_TICKS", "StepError", "StepVerifier"]

__tracebackhide__ = True  # pytest shows the line of the test that failed, and none of these

DEFAULT_PATIENCE_TICKS = 1_000_000
"""How many ticks a step waits by default: one second."""

TICKS_PER_SECOND = 1_000_000
TICK_NANOSECONDS = 1000


class StepError(ReactiveStreamsError, AssertionError):
    """Report that a stream did not do what a step expected."""


class StepVerifier:
    """Describe the expected behaviour of a stream in steps, and verify it, in virtual time if not said otherwise.

    `verify` runs the steps. Each verifier has its own clock; no step waits in real time, and each waits at most
    `patience_ticks` of virtual time. `on_real_clock` makes a verifier for what runs in threads of its own. A tick is a
    microsecond of either clock.

    Args:
        create: Called with a `TestScheduler`, on which the stream runs; returns the stream.
        request: How many elements to request at the start, from 0; by default all.
        patience_ticks: How long a step waits for its signal, from 0.

    Raises:
        ArgumentTypeError: The function cannot be called, or a number is not an integer.
        ArgumentError: A number is negative.

    Example:
        >>> from reactivestreams import Stream
        >>> steps = StepVerifier(lambda scheduler: Stream.range(3), request=1)
        >>> steps.expect_next(0).expect_no_event(50).then_request(2).expect_next(1, 2).expect_complete().verify()
        52
    """

    def __init__(
        self,
        create: Callable[[TestScheduler], Any],
        *,
        request: int = UNBOUNDED,
        patience_ticks: int = DEFAULT_PATIENCE_TICKS,
    ) -> None:
        self._create = checked_callable(create, operator="StepVerifier", name="create")
        self._request = checked_count(request, operator="StepVerifier", name="request", at_least=0, at_most=UNBOUNDED)
        self._patience_ticks = checked_count(
            patience_ticks, operator="StepVerifier", name="patience_ticks", at_least=0, at_most=2**62
        )
        self._steps: list[tuple[str, Callable[[_Verification], None]]] = []
        self._begin: Callable[[], _Verification] = self._begin_in_virtual_time

    @classmethod
    def on_real_clock(
        cls, publisher: Any, *, request: int = UNBOUNDED, patience_ticks: int = DEFAULT_PATIENCE_TICKS
    ) -> Self:
        """Return a verifier that waits in real time, for a publisher that sends from threads or tasks of its own.

        `verify` blocks its thread until each step has its signal, so an event loop on which the publisher runs has to
        run in another thread.

        Args:
            publisher: A stream, or any publisher; `verify` subscribes to it each time.
            request: How many elements to request at the start, from 0; by default all.
            patience_ticks: How many microseconds a step waits for its signal, from 0.

        Raises:
            ArgumentTypeError: It is no publisher, or a number is not an integer.
            ArgumentError: A number is negative.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.schedulers import WorkerScheduler
            >>> with WorkerScheduler(name="worker") as worker:
            ...     steps = StepVerifier.on_real_clock(Stream.range(3).observe_on(worker))
            ...     ticks = steps.expect_next(0, 1, 2).expect_complete().verify()
        """
        if not callable(getattr(publisher, "subscribe", None)):
            raise ArgumentTypeError(
                f"StepVerifier.on_real_clock(publisher) needs a publisher, got {publisher!r:.200} "
                f"({type(publisher).__name__}); pass a stream or another object with subscribe()"
            )
        verifier = cls(lambda scheduler: publisher, request=request, patience_ticks=patience_ticks)
        verifier._begin = lambda: _RealVerification(publisher, verifier._request, verifier._patience_ticks)
        return verifier

    def _begin_in_virtual_time(self) -> "_Verification":
        return _VirtualVerification(self._create, self._request, self._patience_ticks)

    # --- expect -----------------------------------------------------------------------------------------------------

    def expect_next(self, *elements: object) -> Self:
        """Expect these elements, one after the other."""
        for element in elements:
            self._expect(f"expect_next({element!r})", OnNext(element))
        return self

    def expect_next_where(self, predicate: Callable[[Any], object]) -> Self:
        """Expect an element for which a function returns True."""
        return self._expect(f"expect_next_where({_name(predicate)})", OnNextWhere(predicate))

    def expect_next_count(self, count: int) -> Self:
        """Expect a number of arbitrary elements."""
        checked_count(count, operator="expect_next_count", name="count", at_least=0, at_most=2**62)
        wanted = OnNextWhere(_any)
        return self._add(f"expect_next_count({count})", lambda run: run.expect_count(wanted, count))

    def record(self) -> Self:
        """Record the elements that later steps expect, for `expect_recorded`; what was recorded before is forgotten."""
        return self._add("record()", lambda run: run.record())

    def expect_recorded(self, predicate: Callable[[list[Any]], object]) -> Self:
        """Expect that a function returns True for the elements since `record()`, or all if it was not called.

        Args:
            predicate: Called with the list of the elements that steps have expected; no step waits for it.
        """
        checked_callable(predicate, operator="expect_recorded", name="predicate")
        return self._add(f"expect_recorded({_name(predicate)})", lambda run: run.expect_recorded(predicate))

    def expect_no_event(self, ticks: int) -> Self:
        """Let ticks pass, and expect no signal during them."""
        checked_count(ticks, operator="expect_no_event", name="ticks", at_least=0, at_most=2**62)
        return self._add(f"expect_no_event({ticks})", lambda run: run.expect_nothing(ticks))

    def expect_error(self, kind: type[Exception] = Exception, *, where: Callable[[Any], object] | None = None) -> Self:
        """Expect the end by an error.

        Args:
            kind: Its class.
            where: Called with the error; returns whether it is the expected one. None accepts every error of the class.
        """

        def is_wanted(error: Exception) -> bool:
            return isinstance(error, kind) and (where is None or bool(where(error)))

        text = f"expect_error({kind.__name__}{'' if where is None else f', where {_name(where)}'})"
        return self._expect(text, OnErrorWhere(is_wanted))

    def expect_complete(self) -> Self:
        """Expect the end by completion."""
        return self._expect("expect_complete()", OnComplete())

    # --- do ---------------------------------------------------------------------------------------------------------

    def then_request(self, n: int) -> Self:
        """Request n more elements; n may also be a number that the rules forbid."""
        return self._add(f"then_request({n})", lambda run: run.observer.request(n))

    def then_await(self, ticks: int) -> Self:
        """Let ticks pass; later steps must expect the signals that arrive meanwhile."""
        checked_count(ticks, operator="then_await", name="ticks", at_least=0, at_most=2**62)
        return self._add(f"then_await({ticks})", lambda run: run.pass_ticks(ticks))

    def then_cancel(self) -> Self:
        """Cancel the subscription."""
        return self._add("then_cancel()", lambda run: run.observer.cancel())

    def then(self, action: Callable[[], object]) -> Self:
        """Call a function."""
        checked_callable(action, operator="then", name="action")
        return self._add(f"then({_name(action)})", lambda run: action())

    # --- verify -----------------------------------------------------------------------------------------------------

    def verify(self) -> int:
        """Run the stream and all steps; then cancel it, and expect no further signals.

        Returns:
            How many ticks it took.

        Raises:
            StepError: A step did not get its expected signal, or there was a signal that no step expected.
        """
        run = self._begin()
        try:
            for number, (text, step) in enumerate(self._steps, 1):
                run.step = f"step {number}, {text}"
                step(run)
            run.step = f"verify(), after {len(self._steps)} steps"
            run.expect_nothing(0)
        finally:
            run.end()
        return run.ticks

    def verify_dropped(self, *elements: object) -> int:
        """Run as `verify` does, and expect that exactly these elements were dropped meanwhile, in this order.

        What goes to the hook for dropped signals belongs to the whole process. Dropped signals that are no elements go
        to the hook that was there before.

        Returns:
            How many ticks it took.

        Raises:
            StepError: As for `verify`; or other elements were dropped.
        """
        found: list[object] = []

        def note(signal: str, value: object, /, *, origin: str) -> None:
            if signal == "on_next":
                found.append(value)
            else:
                previous(signal, value, origin=origin)

        previous = set_hook(note)
        try:
            ticks = self.verify()
        finally:
            set_hook(previous)
        if found != list(elements):
            raise StepError(
                f"verify_dropped() expected the dropped elements {list(elements)}, and {found or 'none'} were dropped. "
                f"Correct the stream or the expectation"
            )
        return ticks

    def _expect(self, text: str, wanted: object) -> Self:
        return self._add(text, lambda run: run.expect(wanted))

    def _add(self, text: str, step: Callable[["_Verification"], object]) -> Self:
        self._steps.append((text, step))  # type: ignore[arg-type]
        return self


class _Verification:
    """One run of the steps; how it waits is up to the clock."""

    def __init__(self, observer: TestObserver, patience_ticks: int) -> None:
        self.observer = observer
        self.step = ""
        self._patience_ticks = patience_ticks
        self._seen = 0
        self._recorded_from = 0

    @property
    def ticks(self) -> int:
        """The current tick."""
        raise NotImplementedError

    def wait(self) -> None:
        """Wait for a message that no step has seen, at most as long as the patience lasts."""
        raise NotImplementedError

    def pass_ticks(self, ticks: int) -> None:
        """Let ticks pass."""
        raise NotImplementedError

    def end(self) -> None:
        """Cancel the subscription."""
        raise NotImplementedError

    def expect(self, wanted: object) -> None:
        """Wait for the next notification, and compare it."""
        self.wait()
        if self._seen == len(self.observer.messages):
            self._fail(f"nothing came in {self._patience_ticks} ticks")
        message = self.observer.messages[self._seen]
        if message.value != wanted:
            self._fail(f"{message} came")
        self._seen += 1

    def expect_count(self, wanted: object, count: int) -> None:
        """Expect a number of notifications."""
        for _ in range(count):
            self.expect(wanted)

    def expect_nothing(self, ticks: int) -> None:
        """Let ticks pass, and expect no signal during them."""
        self.pass_ticks(ticks)
        if self._seen < len(self.observer.messages):
            self._fail(f"{self.observer.messages[self._seen]} came")

    def record(self) -> None:
        """Begin to record the elements."""
        self._recorded_from = self._seen

    def expect_recorded(self, predicate: Callable[[list[Any]], object]) -> None:
        """Expect that a function returns True for the recorded elements."""
        seen = self.observer.messages[self._recorded_from : self._seen]
        elements = [message.value.element for message in seen if isinstance(message.value, OnNext)]
        if not predicate(elements):
            self._fail(f"it is not so for {elements}")

    def _fail(self, what: str) -> None:
        before = self.observer.messages[: self._seen]
        raise StepError(
            f"{self.step}: {what}, at tick {self.ticks}; before it: {before or 'nothing'}. "
            f"Correct the stream or the step"
        )


class _VirtualVerification(_Verification):
    """A run in virtual time, which passes where a step waits."""

    def __init__(self, create: Callable[[TestScheduler], Any], request: int, patience_ticks: int) -> None:
        scheduler = TestScheduler()
        super().__init__(scheduler.create_observer(requests={}), patience_ticks)
        self._clock = scheduler.clock
        if request:
            self.observer.request(request)
        stream = create(scheduler)
        if not callable(getattr(stream, "bind", None)):
            raise ArgumentTypeError(
                f"StepVerifier(create) needs a function that returns a stream, got {stream!r} "
                f"({type(stream).__name__}) from it; wrap another publisher: Stream.from_publisher(publisher)"
            )
        self._handle: OperatorSubscription = stream.bind(self.observer)
        initialize_tree(self._handle, scheduler.create_context())

    @property
    def ticks(self) -> int:
        return self._clock.ticks

    def wait(self) -> None:
        deadline = self._clock.ticks + self._patience_ticks
        while self._seen == len(self.observer.messages) and self._clock.advance_once(deadline):
            pass

    def pass_ticks(self, ticks: int) -> None:
        self._clock.advance_to(self._clock.ticks + ticks)

    def end(self) -> None:
        self._handle.dispose()


class _RealClock:
    """The microseconds since it was made."""

    def __init__(self) -> None:
        self._began = time.monotonic_ns()

    @property
    def ticks(self) -> int:
        return (time.monotonic_ns() - self._began) // TICK_NANOSECONDS


class _RealVerification(_Verification):
    """A run in real time: signals come from other threads."""

    def __init__(self, publisher: Any, request: int, patience_ticks: int) -> None:
        self._clock = _RealClock()
        super().__init__(TestObserver(self._clock, requests_all=False), patience_ticks)
        if request:
            self.observer.request(request)
        publisher.subscribe(self.observer)

    @property
    def ticks(self) -> int:
        return self._clock.ticks

    def wait(self) -> None:
        with self.observer.changed:
            self.observer.changed.wait_for(
                lambda: self._seen < len(self.observer.messages), self._patience_ticks / TICKS_PER_SECOND
            )

    def pass_ticks(self, ticks: int) -> None:
        time.sleep(ticks / TICKS_PER_SECOND)

    def end(self) -> None:
        self.observer.cancel()


def _any(_: object) -> bool:
    return True


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", repr(function))
