"""A receptacle: received elements that were not yet read, first in, first out, and then completion."""

import threading
from collections import deque
from typing import Generic, TypeVar

from reactivestreams.errors import StateError
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import BufferOverflowError

__all__ = ["BUFFER_SIZE", "CAPACITY", "Receptacle"]

T = TypeVar("T")

BUFFER_SIZE = 16
"""The maximum of elements that the checks put into a buffer of the subject."""

CAPACITY = 2 * BUFFER_SIZE
"""The maximum of elements in a receptacle; no check requests more than it takes out in time."""


class _End:
    """The mark of completion; never an element."""


class Receptacle(Generic[T]):
    """Store the elements that a probe received until the check takes them.

    Args:
        environment: The environment of the check.
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
        """Add an element; also flop if completion was already added.

        Raises:
            BufferOverflowError: The receptacle is full.
        """
        with self._condition:
            was_complete = self._is_complete
        if was_complete:
            self._environment.flop(
                StateError(f"Unexpected element {safe_repr(element)} received after stream completed", rule="1.7")
            )
        self._put(element)

    def complete(self) -> None:
        """Add completion; flop if it was already added.

        Raises:
            BufferOverflowError: The receptacle is full.
        """
        with self._condition:
            was_complete, self._is_complete = self._is_complete, True
        if was_complete:
            self._environment.flop(StateError("Unexpected additional complete signal received!", rule="1.7"))
        self._put(_End())

    def next(self, message: str, timeout_milliseconds: float | None = None) -> T:
        """Take an element out.

        Args:
            message: The text of the failure if none arrives; the time is appended.
            timeout_milliseconds: How long to wait; by default the default timeout of the environment.

        Raises:
            Failed: No element arrived, or completion arrived in its place.
        """
        entry = self._take(self._timeout(timeout_milliseconds))
        if not entry:
            self._environment.flop_and_fail(f"{message} within {self._timeout(timeout_milliseconds):g} ms")
        if isinstance(entry[0], _End):
            self._environment.flop_and_fail("Expected element but got end-of-stream")
        return entry[0]

    def next_or_end_of_stream(self, message: str, timeout_milliseconds: float | None = None) -> list[T]:
        """Take an element or completion out; flop if neither arrives.

        Returns:
            The element in a list; an empty list for completion, or if nothing arrived.
        """
        entry = self._take(self._timeout(timeout_milliseconds))
        if not entry:
            self._environment.flop(f"{message} within {self._timeout(timeout_milliseconds):g} ms")
            return []
        return [] if isinstance(entry[0], _End) else [entry[0]]

    def next_n(self, count: int, message: str, timeout_milliseconds: float | None = None) -> list[T]:
        """Take elements out, all of them within one timeout.

        Raises:
            Failed: Fewer arrived.
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
        """Take completion out; flop if an element arrives in its place, or nothing."""
        timeout = self._timeout(timeout_milliseconds)
        entry = self._take(timeout)
        if not entry:
            self._environment.flop(f"{message} within {timeout:g} ms")
        elif not isinstance(entry[0], _End):
            self._environment.flop(f"Expected end-of-stream but got element [{safe_repr(entry[0])}]")

    def expect_error(
        self, kind: type[BaseException], message: str, timeout_milliseconds: float, poll_milliseconds: int
    ) -> BaseException:
        """Wait for an error among the flops of the environment, and remove it from them.

        Raises:
            Failed: There was none, or the oldest flop is of another type.
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
        """Expect nothing for a time; flop if something arrives.

        Args:
            prefix: The text before the unexpected element.
            timeout_milliseconds: How long to wait; by default the no-signals timeout of the environment.
        """
        timeout = (
            self._environment.no_signals_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        )
        entry = self._take(timeout, is_for_silence=True)
        if entry and isinstance(entry[0], _End):
            self._environment.flop("Expected no element but got end-of-stream")
        elif entry:
            self._environment.flop(f"{prefix} [{safe_repr(entry[0])}]")

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
