"""Run the same request-streams with rsocket's own publisher and with ours, compare what comes, and measure both.

Server and client are rsocket's own, in one event loop, and talk over TCP on the loopback interface. Ends with status 1
where the results differ or more was made than was requested.
"""

import argparse
import asyncio
import gc
import logging
import platform
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Self

from generator_stream import GeneratorStream
from rsocket.frame import MAX_REQUEST_N
from rsocket.helpers import single_transport_provider
from rsocket.payload import Payload
from rsocket.request_handler import BaseRequestHandler
from rsocket.rsocket_client import RSocketClient
from rsocket.rsocket_server import RSocketServer
from rsocket.streams.stream_from_generator import StreamFromGenerator
from rsocket.transports.tcp import TransportTCP

from reactivestreams.publisher import Publisher
from reactivestreams.subscriber import DefaultSubscriber
from rs_core.version import __version__

HOST = "127.0.0.1"
LIMIT_RATES = (1, 7, 64, MAX_REQUEST_N)
MEASURED_LIMIT_RATE = 64


class Numbers:
    """Makes the elements, and counts how many were made."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.made = 0

    def __call__(self) -> Iterator[tuple[Payload, bool]]:
        for number in range(self.count):
            self.made += 1
            yield Payload(b"element %d" % number, b"metadata"), number == self.count - 1


OWN = "rsocket's"
PUBLISHERS: dict[str, Callable[[Numbers], Publisher[Payload]]] = {
    OWN: StreamFromGenerator,
    "ours, 1 element a turn": lambda numbers: GeneratorStream(numbers, turn_elements=1),
    "ours, 32 elements a turn": GeneratorStream,
}


class Client(DefaultSubscriber[Payload]):
    """Asks for `limit_rate` elements whenever it has got as many; notes by how much the publisher was ahead."""

    def __init__(self, numbers: Numbers, limit_rate: int, *, cancel_after: int | None = None) -> None:
        super().__init__()
        self.numbers = numbers
        self.limit_rate = limit_rate
        self.cancel_after = cancel_after
        self.requested = limit_rate
        self.payloads: list[bytes | None] = []
        self.most_beyond_request = -sys.maxsize
        self.most_ahead = 0
        self.error: Exception | None = None
        self.ended = asyncio.Event()

    def on_next(self, value: Payload, is_complete: bool = False) -> None:
        self.payloads.append(value.data)
        self.most_beyond_request = max(self.most_beyond_request, self.numbers.made - self.requested)
        self.most_ahead = max(self.most_ahead, self.numbers.made - len(self.payloads))
        if is_complete:
            self.ended.set()
        elif len(self.payloads) == self.cancel_after:
            assert self.subscription is not None
            self.subscription.cancel()
            self.ended.set()
        elif len(self.payloads) == self.requested:
            assert self.subscription is not None
            self.requested += self.limit_rate
            self.subscription.request(self.limit_rate)

    def on_complete(self) -> None:
        self.ended.set()

    def on_error(self, exception: Exception) -> None:
        self.error = exception
        self.ended.set()


class Connection:
    """A server and a client; `publisher` is what the server answers the next request with."""

    def __init__(self) -> None:
        self.publisher: Publisher[Payload] | None = None
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        connection = self

        class Handler(BaseRequestHandler):
            async def request_stream(self, payload: Payload) -> Any:
                return connection.publisher

        async def serve(*streams: Any) -> None:
            async with RSocketServer(TransportTCP(*streams), handler_factory=Handler):
                await closed.wait()

        closed = asyncio.Event()
        server = await asyncio.start_server(lambda *streams: asyncio.ensure_future(serve(*streams)), HOST, 0)
        self._open.callback(server.close)
        self._open.callback(closed.set)
        transport = TransportTCP(*await asyncio.open_connection(HOST, server.sockets[0].getsockname()[1]))
        self.client = await self._open.enter_async_context(RSocketClient(single_transport_provider(transport)))
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._open.aclose()

    async def stream(self, kind: str, count: int, limit_rate: int, **client: Any) -> Client:
        """Run one request-stream to its end."""
        numbers = Numbers(count)
        self.publisher = PUBLISHERS[kind](numbers)
        subscriber = Client(numbers, limit_rate, **client)
        self.client.request_stream(Payload()).initial_request_n(limit_rate).subscribe(subscriber)
        await subscriber.ended.wait()
        return subscriber


class Sink(DefaultSubscriber[Payload]):
    """Takes elements as fast as it can, as `Client` does, with no connection in between."""

    def __init__(self, limit_rate: int) -> None:
        super().__init__()
        self.limit_rate = limit_rate
        self.count = 0
        self.ended = asyncio.Event()

    def on_next(self, value: Payload, is_complete: bool = False) -> None:
        self.count += 1
        if is_complete:
            self.ended.set()
        elif self.count % self.limit_rate == 0:
            assert self.subscription is not None
            self.subscription.request(self.limit_rate)

    def on_complete(self) -> None:
        self.ended.set()


async def alone(kind: str, count: int, limit_rate: int) -> None:
    """Run a publisher with a subscriber beside it."""
    sink = Sink(limit_rate)
    PUBLISHERS[kind](Numbers(count)).subscribe(sink)
    assert sink.subscription is not None
    sink.subscription.request(limit_rate)
    await sink.ended.wait()
    assert sink.count == count


@dataclass
class Verdict:
    """What comparing one kind with rsocket's own found."""

    kind: str
    equal: bool
    most_beyond_request: int
    most_ahead: int
    made_before_cancel: int


async def verdict(kind: str, count: int) -> Verdict:
    """Run one kind at all rates and compare it with what rsocket's own sends."""
    expected = [b"element %d" % number for number in range(count)]
    async with Connection() as connection:
        runs = [await connection.stream(kind, count, limit_rate) for limit_rate in LIMIT_RATES]
        cancelled = await connection.stream(kind, count, MAX_REQUEST_N, cancel_after=count // 10)
        await connection.stream(kind, 1, 1)  # a round trip, so that the server has seen the cancellation
        made = cancelled.numbers.made
        await connection.stream(kind, 1, 1)
    return Verdict(
        kind,
        all(run.payloads == expected and run.error is None for run in runs) and cancelled.numbers.made == made,
        max(run.most_beyond_request for run in runs),
        max(run.most_ahead for run in runs if run.limit_rate == MEASURED_LIMIT_RATE),
        made,
    )


async def measured(run: Callable[[str], Awaitable[object]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each round of each kind; the kinds take turns, so that all see the same machine."""
    seconds: dict[str, list[float]] = {kind: [] for kind in PUBLISHERS}
    for _ in range(rounds):
        for kind in PUBLISHERS:
            gc.collect()
            started = time.perf_counter()
            await run(kind)
            seconds[kind].append(time.perf_counter() - started)
    return seconds


def show(title: str, seconds: dict[str, list[float]], count: int) -> None:
    """Print a table: microseconds an element, and the ratio to rsocket's own."""
    own = seconds[OWN]
    print(f"\n{title}, us an element over {len(own)} rounds of {count}:")
    for kind, times in seconds.items():
        least, median = min(times) / count * 1e6, statistics.median(times) / count * 1e6
        print(f"  {kind:<26} {least:7.2f} least {median:7.2f} median {min(times) / min(own):6.2f} x")


async def main(count: int, rounds: int) -> int:
    """Compare, measure, print; return the exit status."""
    build = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()} {platform.system()}"
    print(f"{build}; reactive-streams-core {__version__}")
    verdicts = [await verdict(kind, count) for kind in PUBLISHERS]
    print(f"\n{count} elements, requested {', '.join(map(str, LIMIT_RATES))} at a time:")
    for each in verdicts:
        print(
            f"  {each.kind:<26} {'equal' if each.equal else 'DIFFERENT'}; made beyond what was requested: "
            f"{max(each.most_beyond_request, 0)}; most made and not yet received at {MEASURED_LIMIT_RATE} a request: "
            f"{each.most_ahead}; made when cancelled after {count // 10}: {each.made_before_cancel}"
        )

    async with Connection() as connection:
        over_tcp = await measured(lambda kind: connection.stream(kind, count, MEASURED_LIMIT_RATE), rounds)
    show(f"Over TCP, {MEASURED_LIMIT_RATE} a request", over_tcp, count)
    beside = await measured(lambda kind: alone(kind, count, MEASURED_LIMIT_RATE), rounds)
    show(f"The publisher alone, {MEASURED_LIMIT_RATE} a request", beside, count)
    return 0 if all(each.equal and each.most_beyond_request <= 0 for each in verdicts) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--elements", type=int, default=5_000, help="elements of each stream (default 5000)")
    parser.add_argument("--rounds", type=int, default=7, help="measured rounds of each kind (default 7)")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    sys.exit(asyncio.run(main(arguments.elements, arguments.rounds)))
