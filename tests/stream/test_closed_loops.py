"""An event loop that is closed while a thread waits for what its tasks bring: the thread is told."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from reactivestreams import Stream
from reactivestreams.errors import WrongEventLoopError
from tests.contracts.loop_thread import WAIT_SECONDS


def asyncio_loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def uvloop_loop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop = pytest.importorskip("uvloop").new_event_loop()
    return loop


class Rude:
    """A loop in a thread that, when told to, is closed without a word to its tasks."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(WAIT_SECONDS)
        assert not self._thread.is_alive()


Waits = Callable[[Callable[[], object], asyncio.AbstractEventLoop], Stream[int]]


def source_that_waits(is_waiting: Callable[[], object], loop: asyncio.AbstractEventLoop) -> Stream[int]:
    async def numbers() -> AsyncIterator[int]:
        yield 1
        is_waiting()
        await asyncio.Event().wait()

    return Stream.from_async_iterable(numbers(), loop=loop)


def calls_that_wait(is_waiting: Callable[[], object], loop: asyncio.AbstractEventLoop) -> Stream[int]:
    async def wait(number: int) -> int:
        if number == 2:
            is_waiting()
            await asyncio.sleep(3_600)
        return number

    return Stream.range(1, 100).map_async(wait, concurrency=1, loop=loop)


@pytest.fixture(autouse=True)
def leftovers_are_collected(dropped_signals: list[object]) -> Iterator[None]:
    """Destroy the tasks of a closed loop here; nobody waits any more then, so they have nothing to say."""
    yield
    gc.collect()
    assert dropped_signals == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("new_loop", [asyncio_loop, uvloop_loop])
@pytest.mark.parametrize("waits", [source_that_waits, calls_that_wait])
def test_thread_that_waits_for_a_loop_is_told_that_it_was_closed(
    waits: Waits, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    seen, is_waiting = list[int](), threading.Event()
    rude = Rude(new_loop())
    closing = threading.Thread(target=lambda: is_waiting.wait(WAIT_SECONDS) and rude.close())
    closing.start()
    with pytest.raises(WrongEventLoopError, match="has ended, and runs nothing more"):
        waits(is_waiting.set, rude.loop).for_each(seen.append, timeout_seconds=WAIT_SECONDS)
    closing.join(WAIT_SECONDS)
    assert seen == [1]


@pytest.mark.parametrize("new_loop", [asyncio_loop, uvloop_loop])
def test_loop_that_is_closed_when_all_was_done_says_nothing(
    new_loop: Callable[[], asyncio.AbstractEventLoop], dropped_signals: list[object]
) -> None:
    async def negated(number: int) -> int:
        return -number

    rude = Rude(new_loop())
    assert Stream.range(3).map_async(negated, loop=rude.loop).to_list(timeout_seconds=WAIT_SECONDS) == [0, -1, -2]
    rude.close()
    assert dropped_signals == []
