"""Clients and servers over a loopback connection of rsocket, with publishers and subscribers of both packages.

`python rsocket_programs.py PROGRAM` prints what it saw as JSON. It runs where rsocket and our wheel are installed.
"""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from rsocket.awaitable.awaitable_rsocket import AwaitableRSocket
from rsocket.awaitable.collector_subscriber import CollectorSubscriber
from rsocket.helpers import create_future
from rsocket.lease import DefinedLease, LeasePublisher
from rsocket.payload import Payload
from rsocket.request_handler import BaseRequestHandler
from rsocket.rsocket_client import RSocketClient
from rsocket.rsocket_server import RSocketServer
from rsocket.streams.stream_from_async_generator import StreamFromAsyncGenerator
from rsocket.streams.stream_from_generator import StreamFromGenerator
from rsocket.transports.tcp import TransportTCP

from reactivestreams import BasePublisher, Stream
from reactivestreams.subjects import UnicastSubject
from reactivestreams.subscriber import DefaultSubscriber

SECONDS = 20
LENGTH = 10
FRAGMENT_BYTES = 64
LARGE = bytes(range(256)) * 40


def payload(number: int) -> Payload:
    return Payload(str(number).encode())


def marked() -> Iterator[tuple[Payload, bool]]:
    """Yield what rsocket's own publishers take: a payload, and whether it is the last."""
    for number in range(LENGTH):
        yield payload(number), number == LENGTH - 1


async def marked_later() -> AsyncIterator[tuple[Payload, bool]]:
    for each in marked():
        yield each


def failing(number: int) -> Payload:
    if number == 3:
        raise OSError("the disk is gone")
    return payload(number)


class Endless(BasePublisher[Payload]):
    """Numbers without end; keep how many were asked for, and whether the reader has left."""

    def __init__(self) -> None:
        self.made = 0
        self.has_ended = asyncio.Event()

    def generate(self, demand: Any) -> Iterator[Payload]:
        try:
            while True:
                self.made += 1
                yield payload(self.made)
        finally:
            self.has_ended.set()


class Handler(BaseRequestHandler):
    """Answer a request by its name."""

    def __init__(self) -> None:
        self.endless = Endless()
        self.served: list[str] = []
        self.received: list[str] = []
        self.channel_has_ended = asyncio.Event()
        self.streams: dict[bytes, Callable[[], Any]] = {
            b"generator": lambda: StreamFromGenerator(marked),
            b"async generator": lambda: StreamFromAsyncGenerator(marked_later),
            b"stream": lambda: Stream.range(LENGTH).map(payload),
            b"filtered": lambda: Stream.range(2 * LENGTH).filter(lambda number: number % 2 == 0).map(payload),
            b"none": Stream.empty,
            b"fails": lambda: Stream.range(LENGTH).map(failing),
            b"fails at once": lambda: Stream.error(OSError("there is no disk")),
            b"endless": lambda: self.endless,
            b"large": lambda: Stream.just(Payload(LARGE, LARGE[::-1]), Payload(b"small")),
        }

    async def request_stream(self, payload: Payload) -> Any:
        return self.streams[bytes(payload.data)]()

    async def request_response(self, payload: Payload) -> Any:
        self.served.append(payload.data.decode())
        return create_future(Payload(payload.data[::-1]))

    async def request_channel(self, payload: Payload) -> Any:
        if payload.data == b"echo":
            echo: UnicastSubject[Payload] = UnicastSubject(capacity=4)
            return echo, Into(echo)
        if payload.data == b"collect":
            return Stream.empty(), Collector(self.received, self.channel_has_ended)
        raise ValueError(f"there is no channel {payload.data!r}")


class Collector(DefaultSubscriber):
    """Take elements one by one, and say when there are no more."""

    def __init__(self, received: list[str], has_ended: asyncio.Event) -> None:
        super().__init__()
        self.received = received
        self.has_ended = has_ended

    def on_subscribe(self, subscription: Any) -> None:
        super().on_subscribe(subscription)
        subscription.request(1)

    def on_next(self, value: Payload, is_complete: bool = False) -> None:
        self.received.append(value.data.decode())
        if is_complete:
            self.has_ended.set()
        else:
            self.subscription.request(1)

    def on_complete(self) -> None:
        self.has_ended.set()


class Into(DefaultSubscriber):
    """Pass on what rsocket signals, whose `on_next` may say that there is no more."""

    def __init__(self, subject: UnicastSubject[Payload]) -> None:
        super().__init__()
        self.subject = subject

    def on_subscribe(self, subscription: Any) -> None:
        self.subject.on_subscribe(subscription)

    def on_next(self, value: Payload, is_complete: bool = False) -> None:
        self.subject.on_next(value)
        if is_complete:
            self.subject.on_complete()

    def on_error(self, exception: Exception) -> None:
        self.subject.on_error(exception)

    def on_complete(self) -> None:
        self.subject.on_complete()


class Leases(LeasePublisher):
    """Grant requests when told to."""

    def __init__(self) -> None:
        self.has_subscriber = asyncio.Event()

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        self.has_subscriber.set()

    def grant(self, requests: int) -> None:
        self.subscriber.on_next(DefinedLease(maximum_request_count=requests))


@asynccontextmanager
async def connected(
    leases: Leases | None = None, fragment_size_bytes: int | None = None
) -> AsyncIterator[tuple[AwaitableRSocket, Handler]]:
    handler = Handler()
    servers: list[RSocketServer] = []

    def serve(*connection: Any) -> None:
        servers.append(
            RSocketServer(
                TransportTCP(*connection),
                handler_factory=lambda: handler,
                lease_publisher=leases,
                fragment_size_bytes=fragment_size_bytes,
            )
        )

    async def transports() -> AsyncGenerator[TransportTCP, None]:
        yield TransportTCP(*await asyncio.open_connection(*address))

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = listening.sockets[0].getsockname()
    try:
        async with RSocketClient(
            transports(), honor_lease=leases is not None, fragment_size_bytes=fragment_size_bytes
        ) as client:
            yield AwaitableRSocket(client), handler
    finally:
        for server in servers:
            await server.close()
        listening.close()


def texts(payloads: list[Payload]) -> list[str]:
    return [each.data.decode() for each in payloads]


async def streams() -> Any:
    """Take each stream as fast as it comes, and in steps of three and of one."""
    async with connected() as (client, _):
        found: dict[str, Any] = {}
        for name in (b"generator", b"async generator", b"stream", b"filtered", b"none"):
            everything = [texts(await client.request_stream(Payload(name), limit_rate=rate)) for rate in (1000, 3, 1)]
            found[name.decode()] = everything
        return found


async def errors() -> Any:
    async with connected() as (client, _):
        found = {}
        for name in (b"fails", b"fails at once"):
            collector = CollectorSubscriber(2)
            client._rsocket.request_stream(Payload(name)).initial_request_n(2).subscribe(collector)
            try:
                await collector.run()
            except Exception as error:
                found[name.decode()] = [texts(collector.values), str(error)]
        return found


async def demand() -> Any:
    """Take so many as were requested, and no more; then leave."""
    async with connected() as (client, handler):
        collector = CollectorSubscriber(4, limit_count=6)
        client._rsocket.request_stream(Payload(b"endless")).initial_request_n(4).subscribe(collector)
        taken = texts(await collector.run())
        await handler.endless.has_ended.wait()
        return {"taken": taken, "made": handler.endless.made, "has_ended": True}


async def channels() -> Any:
    async with connected() as (client, handler):
        publisher = Stream.range(LENGTH).map(payload)
        echoed = [
            texts(await client.request_channel(Payload(b"echo"), publisher, limit_rate=rate)) for rate in (1000, 3, 1)
        ]
        answer = await client.request_channel(Payload(b"collect"), Stream.range(LENGTH).map(payload))
        await handler.channel_has_ended.wait()
        return {"echoed": echoed, "answer": texts(answer), "collected": handler.received}


async def fragments() -> Any:
    async with connected(fragment_size_bytes=FRAGMENT_BYTES) as (client, _):
        large, small = await client.request_stream(Payload(b"large"), limit_rate=1)
        response = await client.request_response(Payload(LARGE.hex().encode()))
        return {
            "data": large.data == LARGE,
            "metadata": large.metadata == LARGE[::-1],
            "small": small.data.decode(),
            "response": response.data == LARGE.hex().encode()[::-1],
        }


async def leases() -> Any:
    """Requests wait for leases, and as many go as a lease allows."""
    given = Leases()
    async with connected(given) as (client, handler):
        requests = [asyncio.create_task(client.request_response(Payload(name))) for name in (b"one", b"two", b"three")]
        await given.has_subscriber.wait()
        found = [list(handler.served)]
        given.grant(2)
        answers = texts([await request for request in requests[:2]])
        found.append(list(handler.served))
        waits = not requests[2].done()
        given.grant(1)
        answers += texts([await requests[2]])
        return {"served": [*found, handler.served], "answers": answers, "the third waits": waits}


PROGRAMS = {each.__name__: each for each in (streams, errors, demand, channels, fragments, leases)}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # closing, rsocket warns of its own tasks, with its own modules too
    print(json.dumps(asyncio.run(asyncio.wait_for(PROGRAMS[sys.argv[1]](), SECONDS))))
