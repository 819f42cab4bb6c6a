"""Every hop from where elements are made to where they are taken, with every way in which it can end."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from reactivestreams.errors import StreamCancelledError
from tests.stream.hops import MADE, TAKEN, WAIT_SECONDS, Source

ELEMENTS = 2000
PREFETCH = 16

pytestmark = [
    pytest.mark.parametrize("made", MADE),
    pytest.mark.parametrize("taken", TAKEN),
]


@pytest.fixture
def nothing_is_dropped(dropped_signals: list[Any]) -> Iterator[None]:
    yield
    assert dropped_signals == []


def keep(elements: list[int]) -> Any:
    def take(element: int) -> bool:
        elements.append(element)
        return True

    return take


@pytest.mark.usefixtures("nothing_is_dropped")
def test_stream_that_completes_arrives_whole(made: str, taken: str) -> None:
    source, elements = Source(ELEMENTS), list[int]()
    with MADE[made](source, PREFETCH) as stream:
        TAKEN[taken](stream, keep(elements), PREFETCH)
    assert elements == list(range(ELEMENTS))
    assert source.released.is_set()


@pytest.mark.usefixtures("nothing_is_dropped")
def test_stream_that_fails_arrives_up_to_there(made: str, taken: str) -> None:
    source, elements = Source(ELEMENTS, failing_at=ELEMENTS // 2), list[int]()
    with MADE[made](source, PREFETCH) as stream, pytest.raises(OSError, match="lost"):
        TAKEN[taken](stream, keep(elements), PREFETCH)
    assert elements == list(range(ELEMENTS // 2))


@pytest.mark.usefixtures("nothing_is_dropped")
def test_consumer_that_leaves_ends_the_source(made: str, taken: str) -> None:
    source, elements = Source(10**9), list[int]()

    def take(element: int) -> bool:
        elements.append(element)
        return element < ELEMENTS // 2

    with MADE[made](source, PREFETCH) as stream:
        TAKEN[taken](stream, take, PREFETCH)
        assert source.released.wait(WAIT_SECONDS)
    assert elements == list(range(ELEMENTS // 2 + 1))


@pytest.mark.usefixtures("nothing_is_dropped")
def test_consumer_that_raises_ends_the_source(made: str, taken: str) -> None:
    source = Source(10**9)

    def take(element: int) -> bool:
        if element == 100:
            raise LookupError("mine")
        return True

    with MADE[made](source, PREFETCH) as stream:
        with pytest.raises(LookupError, match="mine"):
            TAKEN[taken](stream, take, PREFETCH)
        assert source.released.wait(WAIT_SECONDS)


@pytest.mark.usefixtures("nothing_is_dropped")
def test_slow_consumer_is_never_sent_more_than_it_requested(made: str, taken: str) -> None:
    source, ahead = Source(300), list[int]()

    def take(element: int) -> bool:
        if element % 10 == 0:
            time.sleep(0.0005)
        ahead.append(source.made - element - 1)
        return True

    with MADE[made](source, PREFETCH) as stream:
        TAKEN[taken](stream, take, PREFETCH)
    assert len(ahead) == 300
    assert max(ahead) <= 2 * PREFETCH + 1  # what waits at the boundary, at the end, and the one that is being made


def test_place_that_ends_first_ends_the_consumer(made: str, taken: str) -> None:
    if made == "caller":
        pytest.skip("elements are made where they are taken: there is no other place that could end")
    ended: list[bool] = []
    with ExitStack() as place:
        stream = place.enter_context(MADE[made](Source(10**9), PREFETCH))

        def take(element: int) -> bool:
            if element == 100:
                place.close()
                ended.append(True)
            return True

        with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is looked at below
            TAKEN[taken](stream, take, PREFETCH)
    assert ended == [True]
    assert isinstance(raised.value, StreamCancelledError | RuntimeError), raised.value
