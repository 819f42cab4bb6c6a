"""A subscriber whose first element is held, so that what is emitted meanwhile waits in the queue of its emitter."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rs_core.emitter import SerializedEmitter
from tests.rs_core.recording_subscriber import RecordingSubscriber

WAIT_SECONDS = 30.0
HELD = "held"


class GatedSubscriber(RecordingSubscriber):
    """Stays inside `on_next(HELD)` until the gate is opened; notes signals that overlap."""

    def __init__(self) -> None:
        super().__init__(demand=None)
        self.is_inside = threading.Event()
        self.gate = threading.Event()
        self.overlaps = 0
        self._signalling = threading.Lock()

    def on_next(self, element: Any) -> None:
        if not self._signalling.acquire(blocking=False):
            self.overlaps += 1
            return
        super().on_next(element)
        if element == HELD:
            self.is_inside.set()
            assert self.gate.wait(WAIT_SECONDS)
        self._signalling.release()


@contextmanager
def delivery_held(emitter: SerializedEmitter[Any], subscriber: GatedSubscriber) -> Iterator[None]:
    """Have another thread deliver HELD, and keep it there while the block runs; then let it deliver what waits."""
    deliverer = threading.Thread(target=emitter.emit, args=(HELD,))
    deliverer.start()
    assert subscriber.is_inside.wait(WAIT_SECONDS)
    try:
        yield
    finally:
        subscriber.gate.set()
        deliverer.join(WAIT_SECONDS)
        assert not deliverer.is_alive()
