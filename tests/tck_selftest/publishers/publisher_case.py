"""The verification of a publisher that is made by a function."""

from collections.abc import Callable
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import PublisherVerification
from tests.tck.subjects import ScriptedPublisher

__all__ = ["PublisherCase", "case", "failed_case"]


class PublisherCase(PublisherVerification):
    """Judge what functions make.

    Args:
        create: Makes a publisher of so many elements.
        failed: Makes a failed publisher; without it there is none.
        failing_at: Makes a publisher whose source fails at a position; without it there is none.
        with_executor: Makes a publisher that sends from an executor; without it there is none.
        longest: The length of the longest stream that `create` can make.
    """

    def __init__(
        self,
        create: Callable[[int], Any],
        *,
        failed: Callable[[], Any] = lambda: None,
        failing_at: Callable[[int], Any] = lambda position: None,
        with_executor: Callable[[Any, int], Any] = lambda executor, elements: None,
        longest: int = MAX_DEMAND - 1,
    ) -> None:
        self._create = create
        self._failed = failed
        self._failing_at = failing_at
        self._with_executor = with_executor
        self._longest = longest

    def create_publisher(self, elements: int) -> Any:
        return self._create(elements)

    def create_failed_publisher(self) -> Any:
        return self._failed()

    def create_publisher_failing_at(self, position: int) -> Any:
        return self._failing_at(position)

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        return self._with_executor(executor, elements)

    def max_elements_from_publisher(self) -> int:
        return self._longest


def case(create: Callable[[], Any], *, longest: int = MAX_DEMAND - 1) -> Callable[[], PublisherCase]:
    """Return what makes the verification of a publisher that is made without looking at the number of elements."""
    return lambda: PublisherCase(lambda elements: create(), longest=longest)


def failed_case(create: Callable[[], Any]) -> Callable[[], PublisherCase]:
    """Return what makes the verification of a failed publisher; the other one sends nothing."""
    return lambda: PublisherCase(lambda elements: ScriptedPublisher(), failed=create)
