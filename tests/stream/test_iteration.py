"""Blocking iteration: the elements of a stream in a for loop."""

import itertools
import signal
import sys
import threading
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher


def test_loop_sees_the_elements_in_order() -> None:
    assert list(Stream.just(3, None, 1)) == [3, None, 1]
    assert list(Stream.empty()) == []


def test_nothing_flows_before_the_first_next() -> None:
    source = CountedIterable([1, 2])
    iterator = iter(Stream.from_iterable(source))
    assert source.taken == 0
    assert next(iterator) == 1


def test_nothing_is_read_ahead_in_the_calling_thread() -> None:
    source = CountedIterable(list(range(10)))
    for position, element in enumerate(Stream.from_iterable(source), start=1):
        assert (element, source.taken) == (position - 1, position)


def test_prefetch_reads_ahead_by_as_much() -> None:
    source = CountedIterable(list(range(20)))
    iterator = Stream.from_iterable(source).iterate(prefetch=4)
    assert source.taken == 0
    taken = []
    for _ in range(6):
        next(iterator)
        taken.append(source.taken)
    assert taken[0] == 4
    assert all(position <= read <= position + 4 for position, read in enumerate(taken, start=1))
    assert list(iterator) == list(range(6, 20))


def test_early_break_cancels_and_closes_at_once() -> None:
    source = CountedIterable([1, 2, 3])
    for element in Stream.from_iterable(source):
        assert element == 1
        break
    assert (source.taken, source.is_closed) == (1, True)


def test_exception_in_the_loop_cancels_and_closes_once_the_iterator_is_dropped() -> None:
    source = CountedIterable([1, 2, 3])
    with pytest.raises(KeyError):
        consume_and_fail(Stream.from_iterable(source))
    assert source.is_closed


def consume_and_fail(stream: Stream[int]) -> None:
    with stream.iterate() as elements:
        for element in elements:
            raise KeyError(element)


def test_close_cancels_and_ends_the_iteration() -> None:
    source = CountedIterable([1, 2, 3])
    iterator = Stream.from_iterable(source).iterate()
    assert next(iterator) == 1
    iterator.close()
    iterator.close()
    assert source.is_closed
    assert list(iterator) == []


def test_iterator_that_is_used_up_stays_so() -> None:
    iterator = iter(Stream.just(1))
    assert list(iterator) == [1]
    assert list(iterator) == []


def test_error_is_raised_once_after_the_elements() -> None:
    iterator = iter(Stream.from_iterable(CountedIterable([1], fails_with=ValueError("why"))))
    assert next(iterator) == 1
    with pytest.raises(ValueError, match="why"):
        next(iterator)
    assert list(iterator) == []


def test_stop_iteration_of_an_operator_is_no_end() -> None:
    def stop(element: int) -> int:
        raise StopIteration

    with pytest.raises(RuntimeError, match="the stream failed with StopIteration") as raised:
        list(Stream.just(1).map(stop))
    assert isinstance(raised.value.__cause__, StopIteration)


def test_each_loop_subscribes_anew() -> None:
    stream = Stream.range(3)
    assert list(zip(stream, stream, strict=True)) == [(0, 0), (1, 1), (2, 2)]


def test_infinite_stream_is_read_as_far_as_wanted() -> None:
    naturals = Stream.from_iterable(itertools.count())
    assert list(itertools.islice(naturals, 3)) == [0, 1, 2]


def test_elements_of_another_thread_are_waited_for() -> None:
    with WorkerScheduler(name="reactivestreams-delivering") as worker:
        assert list(Stream.range(3000).observe_on(worker)) == list(range(3000))


def test_error_of_another_thread_is_raised_after_its_elements() -> None:
    with WorkerScheduler(name="reactivestreams-delivering") as worker:
        iterator = iter(Stream.just(1, 0).observe_on(worker).map(lambda element: 1 // element))
        assert next(iterator) == 1
        with pytest.raises(ZeroDivisionError):
            next(iterator)


def test_early_break_cancels_the_other_thread() -> None:
    source = CountedIterable(list(range(10_000)))
    closed = threading.Event()
    with WorkerScheduler(name="reactivestreams-above") as above, WorkerScheduler(name="reactivestreams-below") as below:
        stream = Stream.from_iterable(source).observe_on(above, prefetch=4).observe_on(below, prefetch=4)
        for element in stream.iterate(prefetch=4):
            assert element == 0
            break
        below.schedule(closed.set)
        assert closed.wait(10)
    assert source.taken <= 4 + 4 + 4 + 1
    assert source.is_closed


def test_default_prefetch_of_another_thread_is_a_batch() -> None:
    publisher = ManualPublisher()
    publisher.during_request = [lambda: publisher.send(1), publisher.complete]
    assert list(Stream.from_publisher(publisher)) == [1]
    assert publisher.requests == [128]


def test_with_block_cancels_at_its_end() -> None:
    source = CountedIterable([1, 2, 3])
    with Stream.from_iterable(source).iterate() as elements:
        assert next(elements) == 1
    assert source.is_closed


def test_interrupt_of_an_operator_is_raised_by_next() -> None:
    def stop(_: int) -> int:
        raise KeyboardInterrupt

    source = CountedIterable([1])
    with pytest.raises(KeyboardInterrupt):
        next(iter(Stream.from_iterable(source).map(stop)))
    assert source.is_closed


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to a thread")
def test_ctrl_c_wakes_the_waiting_loop_and_cancels() -> None:
    publisher = ManualPublisher()
    waiting = threading.get_ident()
    pressing = threading.Thread(target=lambda: signal.pthread_kill(waiting, signal.SIGINT))
    publisher.during_request = [pressing.start]
    with pytest.raises(KeyboardInterrupt):
        next(iter(Stream.from_publisher(publisher)))
    pressing.join()
    assert publisher.cancels == 1


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: Any) -> None:
    with pytest.raises(ArgumentError, match=rf"iterate\(prefetch\) needs a count from 1 to {2**24}, got {prefetch}"):
        Stream.just(1).iterate(prefetch=prefetch)
