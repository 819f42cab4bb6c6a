"""Processors as library authors write them, which note what their hooks saw."""

import threading
from typing import Any

from rs_core.authors.base_classes import BaseProcessor
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import RecordingSubscriber


class Repeating(BaseProcessor[int, int]):
    """Emits n as often as n says; notes its hooks, and whether two of them ran at the same time."""

    prefetch = 4
    capacity = 8

    def __init__(self) -> None:  # without super().__init__()
        self.hooks: list[str] = []
        self.faults: list[str] = []
        self._running = threading.Lock()

    def note(self, hook: str) -> None:
        if not self._running.acquire(blocking=False):
            self.faults.append(f"{hook} while another hook was running")
            return
        self.hooks.append(hook)
        self._running.release()

    def hook_on_subscribe(self) -> None:
        self.note("subscribe")

    def hook_on_next(self, element: int) -> None:
        self.note(f"next {element}")
        for _ in range(element):
            self.emit(element)

    def hook_on_error(self, error: Exception) -> None:
        self.note(f"error {error}")

    def hook_on_complete(self) -> None:
        self.note("complete")

    def hook_on_cancel(self) -> None:
        self.note("cancel")


def connected(
    processor: BaseProcessor[Any, Any], *, first_request: int = 0
) -> tuple[ManualPublisher, RecordingSubscriber]:
    """Put a processor between a publisher and a subscriber of other origin."""
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=first_request)
    publisher.subscribe(processor)
    processor.subscribe(subscriber)
    return publisher, subscriber
