"""Subscribers that call something inside of an element, and threads that come meanwhile."""

import threading
from collections.abc import Callable
from typing import Any

from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

WAIT_SECONDS = 60


class Calling(RecordingSubscriber):
    """Calls a function inside of its first element."""

    def __init__(self, function: Callable[[], object], *, first_request: int = UNBOUNDED) -> None:
        super().__init__(first_request=first_request)
        self.function: Callable[[], object] | None = function

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        function, self.function = self.function, None
        if function is not None:
            function()


def subscribed(subject: Any, *, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    subject.subscribe(subscriber)
    return subscriber


def in_another_thread(function: Callable[[], object]) -> threading.Thread:
    """Start it, and return when it is done or waits for the delivery of this thread."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(WAIT_SECONDS)
    return thread
