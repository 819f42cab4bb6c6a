"""Judge rsocket's own publishers, and ours in their place, by the rules of Reactive Streams.

rsocket's publishers live in an event loop and speak a dialect: the last `on_next` says that it is the last. So that
the compatibility kit can judge all else, each publisher gets an event loop of its own, its calls are made there, and
the mark of the last element becomes `on_complete`. Ours passes in the same place, so that none of this is to blame.

Prints which checks fail, with the rules that were broken and what was seen; with `--json` the names of the checks.
Ends with status 1 where ours fails one.
"""

import asyncio
import json
import logging
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from itertools import count
from typing import Any

from generator_stream import GeneratorStream
from rsocket.payload import Payload
from rsocket.streams.stream_from_async_generator import StreamFromAsyncGenerator
from rsocket.streams.stream_from_generator import StreamFromGenerator

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import Environment, PublisherVerification, Report, run

SHOWN_CHARACTERS = 200

CALL_FRACTION = 0.2
"""How long a call from another thread waits for the event loop, as a part of the kit's timeout, which grows with the
load of the machine; after that it only leaves word, and returns."""


class EventLoopThread:
    """An event loop in a thread, for one publisher; a call from another thread waits `call_seconds` for it at most."""

    def __init__(self, call_seconds: float) -> None:
        self._call_seconds = call_seconds
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="event loop", daemon=True)
        self._thread.start()

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function in the loop, at once if this is its thread; raise what it raises if that is known in time."""
        if threading.current_thread() is self._thread:
            function(*arguments)
            return
        done: Future[None] = Future()

        def run() -> None:
            try:
                function(*arguments)
            except Exception as error:
                done.set_exception(error)
            else:
                done.set_result(None)

        self.loop.call_soon_threadsafe(run)
        try:
            done.result(self._call_seconds)
        except NotYet:
            return

    def close(self) -> None:
        """Cancel the tasks of the loop and end its thread."""

        async def cancel_tasks() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(cancel_tasks(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class InItsLoop:
    """A publisher all of whose calls are made in its event loop."""

    def __init__(self, create: Callable[[], Any], thread: EventLoopThread) -> None:
        self.thread = thread
        self._create = create
        self._publisher: Any = None

    def subscribe(self, subscriber: Any, /) -> None:
        self.thread.call(self._subscribe, subscriber)

    def _subscribe(self, subscriber: Any) -> None:
        if self._publisher is None:
            self._publisher = self._create()
        self._publisher.subscribe(None if subscriber is None else InTheDialect(subscriber, self.thread))


class InTheDialect:
    """A subscriber that is told by a mark of the last element that the stream has ended."""

    def __init__(self, subscriber: Any, thread: EventLoopThread) -> None:
        self._subscriber = subscriber
        self._thread = thread

    def on_subscribe(self, subscription: Any) -> None:
        self._subscriber.on_subscribe(CalledInTheLoop(subscription, self._thread))

    def on_next(self, value: Payload, is_complete: bool = False) -> None:
        self._subscriber.on_next(value if value.data is None else value.data)
        if is_complete:
            self._subscriber.on_complete()

    def on_error(self, exception: Exception) -> None:
        self._subscriber.on_error(exception)

    def on_complete(self) -> None:
        self._subscriber.on_complete()


class CalledInTheLoop:
    """A subscription all of whose calls are made in its event loop."""

    def __init__(self, subscription: Any, thread: EventLoopThread) -> None:
        self._subscription = subscription
        self._thread = thread

    def request(self, n: int, /) -> None:
        self._thread.call(self._subscription.request, n)

    def cancel(self) -> None:
        self._thread.call(self._subscription.cancel)


def payloads(elements: int, failing_at: int = -1) -> Iterator[tuple[Payload, bool]]:
    """Yield payloads, each with whether it is the last one; fail at a position, if there is one."""
    for number in count() if elements == MAX_DEMAND else range(elements):
        if number == failing_at:
            raise OSError(f"element {number} cannot be made")
        yield Payload(b"element %d" % number), number == elements - 1


async def async_payloads(elements: int, failing_at: int = -1) -> AsyncIterator[tuple[Payload, bool]]:
    """Yield the same, asynchronously."""
    for pair in payloads(elements, failing_at):
        yield pair


class InLoopVerification(PublisherVerification):
    """Judge a publisher that is made of a generator function; a generator fails when it is read, not before."""

    kind: Callable[[Any], Any] = StreamFromGenerator
    generator: Callable[..., Any] = staticmethod(payloads)

    def __init__(self, call_seconds: float) -> None:
        self._call_seconds = call_seconds
        self._threads: list[EventLoopThread] = []

    def create_publisher(self, elements: int) -> Any:
        return self._made(elements)

    def create_publisher_failing_at(self, position: int) -> Any:
        return self._made(position + 10, position)

    def _made(self, *arguments: int) -> InItsLoop:
        kind, generator = type(self).kind, type(self).generator
        self._threads.append(EventLoopThread(self._call_seconds))
        return InItsLoop(lambda: kind(lambda: generator(*arguments)), self._threads[-1])

    def close(self) -> None:
        """End all event loops."""
        for thread in self._threads:
            thread.close()


class StreamFromGeneratorVerification(InLoopVerification):
    """rsocket's publisher of a generator."""


class StreamFromAsyncGeneratorVerification(InLoopVerification):
    """rsocket's publisher of an asynchronous generator."""

    kind = StreamFromAsyncGenerator
    generator = staticmethod(async_payloads)


class GeneratorStreamVerification(InLoopVerification):
    """Ours, in place of the first."""

    kind = GeneratorStream


SUBJECTS = (StreamFromGeneratorVerification, StreamFromAsyncGeneratorVerification, GeneratorStreamVerification)


def judged(kind: type[InLoopVerification]) -> Report:
    """Run the compatibility kit, with twice the time that it takes on a machine as busy as this one is now."""
    usual = Environment()
    settings = Environment(2 * usual.default_timeout_milliseconds, usual.no_signals_timeout_milliseconds)
    verification = kind(CALL_FRACTION * settings.default_timeout_milliseconds / 1000)
    try:
        return run(verification, settings)
    finally:
        verification.close()


def main() -> int:
    logging.disable(logging.ERROR)  # what tasks die of is in the evidence
    reports = [judged(kind) for kind in SUBJECTS]
    if "--json" in sys.argv[1:]:
        print(json.dumps({report.subject: [verdict.check for verdict in report.failed] for report in reports}))
    else:
        for report in reports:
            print(f"\n{report.summary()}")
            for verdict in report.failed:
                print(f"  §{', §'.join(verdict.broken_rules)}  {verdict.check}")
                print(f"      {verdict.message[:SHOWN_CHARACTERS]}")
    return 1 if reports[-1].failed else 0


if __name__ == "__main__":
    sys.exit(main())
