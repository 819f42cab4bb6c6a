"""A base subscriber as a context manager: leaving the block cancels it, however the block is left."""

import asyncio
from collections.abc import Callable

import pytest

from reactivestreams.schedulers import ImmediateScheduler
from tests.contracts.manual_publisher import ManualPublisher
from tests.rs_core.author_subscribers import AsyncNoting, Noting

Subscriber = Noting | AsyncNoting


def block(subscriber: Subscriber, publisher: ManualPublisher, error: Exception | None) -> None:
    with subscriber as entered:
        assert entered is subscriber
        publisher.subscribe(subscriber)
        publisher.send(1)
        if error is not None:
            raise error


def async_block(subscriber: Subscriber, publisher: ManualPublisher, error: Exception | None) -> None:
    async def main() -> None:
        async with subscriber as entered:
            assert entered is subscriber
            publisher.subscribe(subscriber)
            publisher.send(1)
            await asyncio.sleep(0)
            if error is not None:
                raise error

    asyncio.run(main())


BLOCKS = pytest.mark.parametrize("block", [block, async_block])
SUBSCRIBERS = pytest.mark.parametrize(
    "create",
    [Noting, lambda: AsyncNoting(scheduler=ImmediateScheduler())],
    ids=["BaseSubscriber", "AsyncBaseSubscriber"],
)
Block = Callable[[Subscriber, ManualPublisher, Exception | None], None]


@BLOCKS
@SUBSCRIBERS
def test_end_of_the_block_cancels(create: Callable[[], Subscriber], block: Block) -> None:
    subscriber, publisher = create(), ManualPublisher()
    block(subscriber, publisher, None)
    assert (subscriber.names, subscriber.is_cancelled, publisher.cancels) == (["subscribe", "next", "cancel"], True, 1)


@BLOCKS
@SUBSCRIBERS
def test_exception_of_the_block_cancels_and_goes_on(create: Callable[[], Subscriber], block: Block) -> None:
    subscriber, publisher = create(), ManualPublisher()
    with pytest.raises(LookupError, match="mine"):
        block(subscriber, publisher, LookupError("mine"))
    assert (subscriber.names, publisher.cancels) == (["subscribe", "next", "cancel"], 1)


@SUBSCRIBERS
def test_block_of_a_complete_stream_has_nothing_to_cancel(create: Callable[[], Subscriber]) -> None:
    subscriber, publisher = create(), ManualPublisher()
    with subscriber:
        publisher.subscribe(subscriber)
        publisher.complete()
    assert (subscriber.names, publisher.cancels) == (["subscribe", "complete"], 0)
