"""The verification of a processor that is made by a function."""

from collections.abc import Callable
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import ProcessorVerification

__all__ = ["ProcessorCase", "relay_case"]


class ProcessorCase(ProcessorVerification):
    """Judge what a function makes.

    Args:
        create: Makes a processor that passes on what it gets.
        subscribers: How many subscribers it serves at once.
        coordinated: Whether it sends only when all of them have asked.
        fails: Whether a failed one can be made.
        keeps_upstream: Whether it keeps its upstream when the last subscriber has left.
        helper: Makes a publisher of so many elements to feed it; the kit's own without one.
    """

    def __init__(
        self,
        create: Callable[[], Any],
        *,
        subscribers: int = MAX_DEMAND,
        coordinated: bool = False,
        fails: bool = True,
        keeps_upstream: bool = False,
        helper: Callable[[int], Any] | None = None,
    ) -> None:
        self._create = create
        self._subscribers = subscribers
        self._coordinated = coordinated
        self._fails = fails
        self._keeps_upstream = keeps_upstream
        self._helper = helper

    def create_identity_processor(self, buffer_size: int) -> Any:
        return self._create()

    def create_failed_publisher(self) -> Any:
        if not self._fails:
            return None
        processor = self._create()
        processor.on_error(RuntimeError("the source has failed"))
        return processor

    def create_helper_publisher(self, elements: int) -> Any:
        return super().create_helper_publisher(elements) if self._helper is None else self._helper(elements)

    def create_element(self, element: int) -> int:
        return element

    def max_supported_subscribers(self) -> int:
        return self._subscribers

    def does_coordinated_emission(self) -> bool:
        return self._coordinated

    def cancels_upstream(self) -> bool:
        return not self._keeps_upstream


def relay_case(create: Callable[[], Any], **hooks: Any) -> Callable[[], ProcessorCase]:
    """Return what makes the verification of a relay, which sends to all at once."""
    return lambda: ProcessorCase(create, coordinated=True, **hooks)
