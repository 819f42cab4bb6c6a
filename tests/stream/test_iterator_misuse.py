"""Blocking iterators that are called while a call of theirs runs: refused, where they would wait for ever."""

import threading
from typing import Any

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.errors import StateError, StreamCancelledError

SAYS = r"^next\(\) of an iterator was called while another call of it is running, .*; give each thread an iterator of"
WAIT_SECONDS = 30


@pytest.mark.parametrize("prefetch", [None, 1, 3])
def test_next_by_a_function_of_its_own_stream_is_refused(prefetch: int | None) -> None:
    iterators: list[Any] = []

    def taken_from_itself(number: int) -> int:
        return next(iterators[0]) if number == 2 else number

    iterators.append(Stream.range(5).map(taken_from_itself).iterate(prefetch=prefetch))
    with pytest.raises(StateError, match=SAYS):
        list(iterators[0])
    assert list(iterators[0]) == []  # the stream has ended


def test_next_by_a_function_of_its_own_stream_in_another_thread_is_refused() -> None:
    iterators: list[Any] = []
    with WorkerScheduler() as worker:
        iterators.append(Stream.range(5).observe_on(worker).map(lambda _: next(iterators[0])).iterate())
        with pytest.raises(StateError, match=SAYS):
            next(iterators[0])


def test_next_of_several_threads_is_refused_in_all_but_one() -> None:
    emitters: list[Any] = []
    iterator = Stream.create(emitters.append, on_overflow="error").iterate()
    refused, refusals = threading.Semaphore(0), []
    taken: list[int] = []

    def take() -> None:
        try:
            taken.append(next(iterator))
        except StateError as error:
            refusals.append(str(error))
            refused.release()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        assert refused.acquire(timeout=WAIT_SECONDS)
    emitters[0].emit(1)
    emitters[0].emit(2)
    emitters[0].complete()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert (taken, len(refusals), list(iterator)) == ([1], 3, [2])


def test_iterator_that_another_thread_closes_ends_for_the_one_that_waits() -> None:
    iterator: Any = Stream.create(lambda _: None, on_overflow="error").iterate()
    ends: list[str] = []

    def take() -> None:
        try:
            ends.append(f"took {list(iterator)}")
        except StreamCancelledError:
            ends.append("cancelled")

    waits = threading.Thread(target=take)
    waits.start()
    iterator.close()
    waits.join(WAIT_SECONDS)
    assert (waits.is_alive(), len(ends)) == (False, 1)
    assert ends[0] in {"took []", "cancelled"}  # by whether it waited already
