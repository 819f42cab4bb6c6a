"""A receptacle: what was received and not looked at yet, first in first out, and then the end."""

import threading
from collections import deque
from typing import Generic, TypeVar

from reactivestreams.errors import StateError
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, shown
from reactivestreams.tck.kit.failure import BufferOverflowError

__all__ = ["BUFFER_SIZE", "CAPACITY", "Receptacle"]

T = TypeVar("T")

BUFFER_SIZE = 16
"""How many elements the checks put into a buffer of the subject at most."""

CAPACITY = 2 * BUFFER_SIZE
"""How many elements wait in a receptacle at most; no check asks for more than it takes out in time."""


class _End:
    """The mark that nothing follows; never an element."""


class Receptacle(Generic[T]):
    """Keep what a probe received until the check takes it.

    Args:
        environment: Of the check.
        capacity: How many entries may wait; None for no limit.

    Example:
        >>> from reactivestreams.tck import Environment
        >>> received = Receptacle(Environment().for_check("example"))
        >>> received.add("a")
        >>> received.next("nothing came")
        'a'
    """

    def __init__(self, environment: CheckEnvironment, *, capacity: int | None = CAPACITY) -> None:
        self._environment = environment
        self._capacity = capacity
        self._condition = threading.Condition()
        self._entries: deque[T | _End] = deque()
        self._is_complete = False

    def add(self, element: T) -> None:
        """Take an element in; flop if the end is there already, but take it anyway.

        Raises:
            BufferOverflowError: As many as fit are waiting.
        """
        with self._condition:
            was_complete = self._is_complete
        if was_complete:
            self._environment.flop(
                StateError(f"Unexpected element {shown(element)} received after stream completed", rule="1.7")
            )
        self._put(element)

    def complete(self) -> None:
        """Take the end in; flop if it is there already.

        Raises:
            BufferOverflowError: As many as fit are waiting.
        """
        with self._condition:
            was_complete, self._is_complete = self._is_complete, True
        if was_complete:
            self._environment.flop(StateError("Unexpected additional complete signal received!", rule="1.7"))
        self._put(_End())

    def next(self, message: str, timeout_milliseconds: float | None = None) -> T:
        """Take an element out.

        Args:
            message: What to say if none comes; the time is put after it.
            timeout_milliseconds: How long to wait; the default timeout of the environment by default.

        Raises:
            Failed: No element came, or the end came in its place.
        """
        entry = self._take(self._timeout(timeout_milliseconds))
        if not entry:
            self._environment.flop_and_fail(f"{message} within {self._timeout(timeout_milliseconds):g} ms")
        if isinstance(entry[0], _End):
            self._environment.flop_and_fail("Expected element but got end-of-stream")
        return entry[0]

    def next_or_end_of_stream(self, message: str, timeout_milliseconds: float | None = None) -> list[T]:
        """Take an element or the end out; flop if neither comes.

        Returns:
            The element alone in a list; an empty list for the end, or when nothing came.
        """
        entry = self._take(self._timeout(timeout_milliseconds))
        if not entry:
            self._environment.flop(f"{message} within {self._timeout(timeout_milliseconds):g} ms")
            return []
        return [] if isinstance(entry[0], _End) else [entry[0]]

    def next_n(self, count: int, message: str, timeout_milliseconds: float | None = None) -> list[T]:
        """Take elements out, all of them within one time.

        Raises:
            Failed: Fewer came.
        """
        timeout = self._timeout(timeout_milliseconds)
        self._environment.wait(self._condition, lambda: self._has_end_or(count), timeout)
        elements: list[T] = []
        for _ in range(count):
            entry = self._take(0)
            if not entry:
                self._environment.flop_and_fail(f"{message} within {timeout:g} ms")
            if isinstance(entry[0], _End):
                self._environment.flop_and_fail("Expected element but got end-of-stream")
            elements.append(entry[0])
        return elements

    def expect_completion(self, message: str, timeout_milliseconds: float | None = None) -> None:
        """Take the end out; flop if an element comes in its place, or nothing."""
        timeout = self._timeout(timeout_milliseconds)
        entry = self._take(timeout)
        if not entry:
            self._environment.flop(f"{message} within {timeout:g} ms")
        elif not isinstance(entry[0], _End):
            self._environment.flop(f"Expected end-of-stream but got element [{shown(entry[0])}]")

    def expect_error(
        self, kind: type[BaseException], message: str, timeout_milliseconds: float, poll_milliseconds: int
    ) -> BaseException:
        """Wait for an error among the flops of the environment, and take it out of them.

        Raises:
            Failed: None came, or the oldest flop is of another kind.
        """
        environment = self._environment
        error = environment.await_async_error(round(timeout_milliseconds), poll_milliseconds)
        if error is None:
            environment.flop_and_fail(f"{message} within {timeout_milliseconds:g} ms")
        if not isinstance(error, kind):
            environment.flop_and_fail(
                f"{message} within {timeout_milliseconds:g} ms; Got {type(error).__name__} ({error_text(error)}) "
                f"but expected {kind.__name__}"
            )
        return error

    def expect_none(self, prefix: str, timeout_milliseconds: float | None = None) -> None:
        """Wait for nothing to come; flop if something does.

        Args:
            prefix: What to say before the element that came.
            timeout_milliseconds: How long; the no-signals timeout of the environment by default.
        """
        timeout = (
            self._environment.no_signals_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        )
        entry = self._take(timeout, is_for_silence=True)
        if entry and isinstance(entry[0], _End):
            self._environment.flop("Expected no element but got end-of-stream")
        elif entry:
            self._environment.flop(f"{prefix} [{shown(entry[0])}]")

    def _has_end_or(self, count: int) -> bool:
        return len(self._entries) >= count or any(isinstance(entry, _End) for entry in self._entries)

    def _put(self, entry: T | _End) -> None:
        with self._condition:
            if self._capacity is not None and len(self._entries) >= self._capacity:
                raise BufferOverflowError(
                    f"the receptacle is full: {self._capacity} entries wait; take them out, or request fewer"
                )
            self._entries.append(entry)
            self._condition.notify_all()

    def _take(self, timeout_milliseconds: float, *, is_for_silence: bool = False) -> list[T | _End]:
        if not self._environment.wait(
            self._condition, lambda: bool(self._entries), timeout_milliseconds, is_for_silence=is_for_silence
        ):
            return []
        with self._condition:
            return [self._entries.popleft()] if self._entries else []

    def _timeout(self, timeout_milliseconds: float | None) -> float:
        return self._environment.default_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
