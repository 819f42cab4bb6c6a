"""The verification of a publisher that is made by a function."""

from collections.abc import Callable, Sequence
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import PublisherVerification
from tests.tck.subjects import ScriptedPublisher
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher, Worker, here

__all__ = ["PublisherCase", "case", "failed_case", "numbers_case"]


class PublisherCase(PublisherVerification):
    """Judge what functions make.

    Args:
        create: Makes a publisher of so many elements.
        failed: Makes a failed publisher; without it there is none.
        failing_at: Makes a publisher whose source fails at a position; without it there is none.
        with_executor: Makes a publisher that sends from an executor; without it there is none.
        longest: The length of the longest stream that `create` can make.
        states_order: Whether it is stated that the elements are the numbers from 0.
    """

    def __init__(
        self,
        create: Callable[[int], Any],
        *,
        failed: Callable[[], Any] = lambda: None,
        failing_at: Callable[[int], Any] = lambda position: None,
        with_executor: Callable[[Any, int], Any] = lambda executor, elements: None,
        longest: int = MAX_DEMAND - 1,
        states_order: bool = False,
    ) -> None:
        self._create = create
        self._failed = failed
        self._failing_at = failing_at
        self._with_executor = with_executor
        self._longest = longest
        self._states_order = states_order

    def create_publisher(self, elements: int) -> Any:
        return self._create(elements)

    def create_failed_publisher(self) -> Any:
        return self._failed()

    def create_publisher_failing_at(self, position: int) -> Any:
        return self._failing_at(position)

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        return self._with_executor(executor, elements)

    def expected_elements(self, count: int) -> Sequence[int] | None:
        return range(count) if self._states_order else None

    def max_elements_from_publisher(self) -> int:
        return self._longest


def case(create: Callable[[], Any], *, longest: int = MAX_DEMAND - 1) -> Callable[[], PublisherCase]:
    """Return what makes the verification of a publisher that is made without looking at the number of elements."""
    return lambda: PublisherCase(lambda elements: create(), longest=longest)


def failed_case(create: Callable[[], Any]) -> Callable[[], PublisherCase]:
    """Return what makes the verification of a failed publisher; the other one sends nothing."""
    return lambda: PublisherCase(lambda elements: ScriptedPublisher(), failed=create)


def numbers_case(
    link: type[Link] = Link,
    *,
    publisher: type[NumbersPublisher] = NumbersPublisher,
    run: Worker = here,
    longest: int = MAX_DEMAND - 1,
    states_order: bool = False,
) -> Callable[[], PublisherCase]:
    """Return what makes the verification of a publisher of numbers, with a kind of link.

    Args:
        link: Serves a subscriber.
        publisher: Makes links.
        run: Where signals are sent, unless an executor is given.
        longest: The length of the longest stream.
        states_order: Whether it is stated that the elements are the numbers from 0.
    """

    def failing_at(position: int) -> NumbersPublisher:
        def element(number: int) -> int:
            if number == position:
                raise ValueError(f"element {number} cannot be made")
            return number

        return publisher(position + 10, link, run=run, create_element=element)

    def with_executor(executor: Any, elements: int) -> NumbersPublisher:
        return publisher(elements, link, run=executor.submit)

    return lambda: PublisherCase(
        lambda elements: publisher(elements, link, run=run),
        failed=lambda: publisher(0, type("Rejecting", (_Rejecting, link), {}), run=run),
        failing_at=failing_at,
        with_executor=with_executor,
        longest=longest,
        states_order=states_order,
    )


class _Rejecting(Link):
    """Fail at once, in the manner of the kind of link that stands behind it."""

    def next_signal(self) -> Any:
        if self.failure is None and not self.is_over:
            self.failure = RuntimeError("the source has failed")
        return super().next_signal()
