"""The tasks by aiostream, whose streams are asynchronous generators."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from aiostream import pipe, stream

from bench.peers.tasks import CHUNK, MAPS, add, four_times, increment, inputs, is_odd, is_small

PACKAGE = "aiostream"
AHEAD = "asks for one element after the other"
SLOWNESS = 20


def last(made: Any) -> Any:
    async def main() -> Any:
        return await made

    return asyncio.run(main())


def map_filter_reduce(n: int) -> Any:
    return last(stream.range(n) | pipe.map(increment) | pipe.filter(is_odd) | pipe.reduce(add))


def ten_maps(n: int) -> Any:
    made: Any = stream.range(n)
    for _ in range(MAPS):
        made = made | pipe.map(increment)
    return last(made)


def flat_map_tuples(n: int) -> Any:
    return last(stream.range(n // 4) | pipe.concatmap(lambda x: stream.iterate(four_times(x))))


def flat_map_streams(n: int) -> Any:
    return last(stream.range(n // 4) | pipe.flatmap(lambda x: stream.iterate(four_times(x)), task_limit=32))


def buffer_sum(n: int) -> Any:
    return last(stream.range(n) | pipe.chunks(CHUNK) | pipe.map(len) | pipe.reduce(add))


def zip_two(n: int) -> Any:
    return last(stream.zip(stream.range(n), stream.range(n)))


def merge_four(n: int) -> Any:
    return last(stream.merge(*map(stream.iterate, inputs(n))))


def concat_four(n: int) -> Any:
    return last(stream.chain(*map(stream.iterate, inputs(n))))


def take_while(n: int) -> Any:
    return last(stream.range(n) | pipe.map(increment) | pipe.takewhile(is_small))


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    last(stream.iterate(elements) | pipe.map(consume))
