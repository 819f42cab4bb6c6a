"""Check a stream step by step in virtual time: expect, request, wait, expect the end."""

from collections.abc import Callable
from typing import Any, Self

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentTypeError, ReactiveStreamsError
from reactivestreams.lifecycle import OperatorSubscription, initialize_tree
from reactivestreams.testing.observer import UNBOUNDED, TestObserver
from reactivestreams.testing.recorded import OnComplete, OnErrorWhere, OnNext, OnNextWhere
from reactivestreams.testing.scheduler import TestScheduler

__all__ = ["DEFAULT_PATIENCE_TICKS", "StepError", "StepVerifier"]

DEFAULT_PATIENCE_TICKS = 1_000_000
"""How many ticks of virtual time a step waits by default: one second."""


class StepError(ReactiveStreamsError, AssertionError):
    """Report that a stream did not do what a step expected."""


class StepVerifier:
    """Describe the expected behaviour of a stream in steps, and verify it in virtual time.

    `verify` runs the steps. Each verifier has its own clock; no step waits in real time, and each waits at most
    `patience_ticks` of virtual time.

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
        run = _Verification(self._create, self._request, self._patience_ticks)
        for number, (text, step) in enumerate(self._steps, 1):
            run.step = f"step {number}, {text}"
            step(run)
        run.step = f"verify(), after {len(self._steps)} steps"
        run.expect_nothing(0)
        run.handle.dispose()
        return run.scheduler.clock.ticks

    def _expect(self, text: str, wanted: object) -> Self:
        return self._add(text, lambda run: run.expect(wanted))

    def _add(self, text: str, step: Callable[["_Verification"], object]) -> Self:
        self._steps.append((text, step))  # type: ignore[arg-type]
        return self


class _Verification:
    """One run of the steps."""

    def __init__(self, create: Callable[[TestScheduler], Any], request: int, patience_ticks: int) -> None:
        self.scheduler = TestScheduler()
        self.observer: TestObserver = self.scheduler.create_observer(requests={})
        if request:
            self.observer.request(request)
        self.step = ""
        self._patience_ticks = patience_ticks
        self._seen = 0
        stream = create(self.scheduler)
        if not callable(getattr(stream, "bind", None)):
            raise ArgumentTypeError(
                f"StepVerifier(create) needs a function that returns a stream, got {stream!r} "
                f"({type(stream).__name__}) from it; wrap another publisher: Stream.from_publisher(publisher)"
            )
        self.handle: OperatorSubscription = stream.bind(self.observer)
        initialize_tree(self.handle, self.scheduler.create_context())

    def expect(self, wanted: object) -> None:
        """Wait for the next notification, and compare it."""
        clock = self.scheduler.clock
        deadline = clock.ticks + self._patience_ticks
        while self._seen == len(self.observer.messages) and clock.advance_once(deadline):
            pass
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

    def pass_ticks(self, ticks: int) -> None:
        """Let ticks pass."""
        clock = self.scheduler.clock
        clock.advance_to(clock.ticks + ticks)

    def _fail(self, what: str) -> None:
        before = self.observer.messages[: self._seen]
        raise StepError(
            f"{self.step}: {what}, at tick {self.scheduler.clock.ticks}; before it: {before or 'nothing'}. "
            f"Correct the stream or the step"
        )


def _any(_: object) -> bool:
    return True


def _name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", repr(function))
