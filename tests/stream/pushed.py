"""A stream that a test feeds, from whatever thread, and whose cancellation it sees."""

import threading
from typing import Any

from reactivestreams import Stream
from rs_core.sources.emitter import StreamEmitter


class Pushed:
    """The stream, its emitter once it is started, and what has happened to it."""

    def __init__(self) -> None:
        self.is_started = threading.Event()
        self.is_cancelled = threading.Event()
        self.stream: Stream[Any] = Stream.create(self._start, on_overflow="error")

    def _start(self, emitter: StreamEmitter[Any]) -> None:
        self.emitter = emitter
        emitter.on_dispose(self.is_cancelled.set)
        self.is_started.set()
